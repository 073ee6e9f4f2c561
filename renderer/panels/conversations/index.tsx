/** Placeholder until the panel is written. */
export function ConversationsPanel() {
  return null;
}
