/** Ledgers as the window writes them. */
import { numberIn } from './numbers.ts';

/** The figures of a ledger. */
export interface LedgerCounts {
  readonly read: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly quarantined: number;
  readonly skipped: number;
}

/** `12 read = 10 stored + 0 duplicate + …`; figures that are not mentioned are 0. */
export function ledgerIn(text: string): LedgerCounts {
  const line = text.replace(/\s+/g, ' ');
  const of = (sign: string, word: string): number =>
    numberIn(line, new RegExp(`${sign}([\\d,]+) ${word}`)) ?? 0;
  return {
    read: of('', 'read'),
    stored: of('= ', 'stored'),
    duplicate: of('\\+ ', 'duplicate'),
    quarantined: of('\\+ ', 'quarantined'),
    skipped: of('\\+ ', 'skipped'),
  };
}

export function addsUp(counts: LedgerCounts): boolean {
  const { read, stored, duplicate, quarantined, skipped } = counts;
  return read === stored + duplicate + quarantined + skipped;
}
