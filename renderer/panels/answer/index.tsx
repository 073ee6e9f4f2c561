/** Placeholder until the panel is written. */
export function AnswerPanel() {
  return null;
}
