/** Placeholder until the panel is written. */
export function DetailsPanel() {
  return null;
}
