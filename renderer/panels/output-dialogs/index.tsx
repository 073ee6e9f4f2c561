/** Placeholder until the panel is written. */
export function OutputDialogs() {
  return null;
}
