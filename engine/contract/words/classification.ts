/** Where a report's classification, such as TLP:AMBER, is printed: not all browsers can print in page margins. */
export const CLASSIFICATION_PAGES =
  'Chromium and Edge print it at the top and the bottom of each page; browsers that cannot print in page margins print it on the first and the last page.';
