/** Placeholder until the panel is written. */
export function RangePicker() {
  return null;
}
export function ZonePicker() {
  return null;
}
