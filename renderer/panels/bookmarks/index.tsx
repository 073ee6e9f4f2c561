/** Placeholder until the panel is written. */
export function BookmarksPanel() {
  return null;
}
