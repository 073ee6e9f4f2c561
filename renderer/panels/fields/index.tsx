/** Placeholder until the panel is written. */
export function FieldsPanel() {
  return null;
}
