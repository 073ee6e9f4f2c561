/** Placeholder until the panel is written. */
export function HelpDialogs() {
  return null;
}
