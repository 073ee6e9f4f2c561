/** Placeholder until the panel is written. */
export function Palette() {
  return null;
}
