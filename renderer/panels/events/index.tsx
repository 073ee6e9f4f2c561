/** Placeholder until the panel is written. */
export function EventsPanel() {
  return null;
}
