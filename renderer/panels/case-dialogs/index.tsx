/** Placeholder until the panel is written. */
export function CaseDialogs() {
  return null;
}
