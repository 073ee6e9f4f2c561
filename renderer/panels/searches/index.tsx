/** Placeholder until the panel is written. */
export function SearchesPanel() {
  return null;
}
