/** Placeholder until the panel is written. */
export function TalkersPanel() {
  return null;
}
