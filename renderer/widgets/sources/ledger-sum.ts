/** The sum that every ledger must show: read = stored + duplicate + quarantined + skipped. */

export interface Counts {
  readonly read: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly quarantined: number;
  readonly skipped: number;
}

export function ledgerParts(counts: Counts): [keyof Counts, number][] {
  const { stored, duplicate, quarantined, skipped } = counts;
  return [
    ['stored', stored],
    ['duplicate', duplicate],
    ['quarantined', quarantined],
    ['skipped', skipped],
  ];
}

/** Records read that are in no part; negative if the parts have more. 0 unless something is wrong. */
export function ledgerRest(counts: Counts): number {
  return ledgerParts(counts).reduce((rest, [, n]) => rest - n, counts.read);
}

/** Total of events by kind: a capture has flows besides its packets, so they are not its records. */
export function eventsOf(byKind: Readonly<Record<string, number>>): number {
  return Object.values(byKind).reduce((sum, n) => sum + n, 0);
}

export function addCounts(all: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => all.reduce((total, one) => total + one[name], 0);
  return {
    read: sum('read'),
    stored: sum('stored'),
    duplicate: sum('duplicate'),
    quarantined: sum('quarantined'),
    skipped: sum('skipped'),
  };
}
