/** Where a report's classification, such as TLP:AMBER, is printed: only some browsers print margins of pages. */
export const CLASSIFICATION_PAGES =
  'Chromium and Edge print it at the top and the bottom of each page; browsers without margins of their own for pages print it on the first and the last.';
