/** Placeholder until the panel is written. */
export function TimelinePanel() {
  return null;
}
