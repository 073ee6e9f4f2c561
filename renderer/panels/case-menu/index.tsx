/** Placeholder until the panel is written. */
export function CaseMenu() {
  return null;
}
