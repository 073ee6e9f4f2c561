/** Placeholder until the panel is written. */
export function ImportStatus() {
  return null;
}
