/** Placeholder until the panel is written. */
export function SourcesList() {
  return null;
}
