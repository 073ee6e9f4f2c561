/** Placeholder until the panel is written. */
export function ImportDialog() {
  return null;
}
