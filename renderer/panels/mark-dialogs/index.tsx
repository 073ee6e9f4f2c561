/** Placeholder until the panel is written. */
export function MarkDialogs() {
  return null;
}
