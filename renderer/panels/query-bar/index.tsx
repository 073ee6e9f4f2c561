/** Placeholder until the panel is written. */
export function QueryBar() {
  return null;
}
