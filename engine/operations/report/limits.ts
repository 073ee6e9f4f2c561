/** Limits of a report, and counts of what it leaves out. */

/** Maximum numbers of items in a report. */
export const LIMITS = {
  sources: 5000,
  ledger: 500,
  manifests: 500,
  quarantineRead: 200_000,
  quarantineReasons: 200,
  searches: 100,
  viewRows: 25,
  viewColumns: 12,
  taggedPerTag: 40,
  tags: 100,
  notes: 1000,
  audit: 1000,
} as const;

export interface Limited<T> {
  shown: readonly T[];
  /** Number of further items. */
  left: number;
}

export function limited<T>(all: readonly T[], most: number): Limited<T> {
  return { shown: all.slice(0, most), left: Math.max(0, all.length - most) };
}

/** Column with the decided parts of a time; shown as a mark next to it. */
export const BASIS = 'ts_basis';
