/** Placeholder until the panel is written. */
export function LatencyPanel() {
  return null;
}
