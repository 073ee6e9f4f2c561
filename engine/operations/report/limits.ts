/** What the parts of a report's facts share: how much it holds, and how what is left out is counted. */

/** How much a report holds at most. */
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
  /** Of one tag, to find those that are not printed elsewhere. */
  taggedRead: 200,
  tags: 100,
  notes: 1000,
  audit: 1000,
} as const;

export interface Limited<T> {
  shown: readonly T[];
  /** How many there are beyond those. */
  left: number;
}

export function limited<T>(all: readonly T[], most: number): Limited<T> {
  return { shown: all.slice(0, most), left: Math.max(0, all.length - most) };
}

/** How an event came by its time: read with the columns, shown as a mark at the time. */
export const BASIS = 'ts_basis';
