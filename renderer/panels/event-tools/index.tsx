/** Placeholder until the panel is written. */
export function EventTools() {
  return null;
}
