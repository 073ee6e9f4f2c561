/** Placeholder until the panel is written. */
export function SourcesPanel() {
  return null;
}
