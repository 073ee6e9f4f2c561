/** Placeholder until the panel is written. */
export function StartPage() {
  return null;
}
