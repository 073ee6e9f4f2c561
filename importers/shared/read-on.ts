/**
 * Reading on after damage, for compressions whose units begin with something to know them by: a gzip member, a zstd
 * frame, a block or stream of xz. Damage is often noticed only after its unit's end, so the search begins before the
 * place where it was. What is found may be no unit at all: it counts when it was decoded to its end.
 */
import { DaybookError, messageOfError } from '../../engine/contract/errors.ts';
import type { ByteSource } from './byte-source.ts';
import { DamagedAt, isCutOff, type Sums } from './checked.ts';

/** How far back a unit is looked for: a decoder is not led further astray, and what it was given at a time is less. */
const REACH = 1024 * 1024;
/** A content may be made of nothing but beginnings of units, each of which takes its time. */
const MOST_FAILURES = 1000;

/** Where the first unit begins in [at, end) of `buffer`, if its header is all there; -1 for nowhere. */
export type FindUnit = (buffer: Buffer, at: number, end: number) => number;

interface UnitKind {
  readonly find: FindUnit;
  /** Bytes of the longest header. */
  readonly headerBytes: number;
}

/** Goes to the next unit, or to the end; false where there is none. */
export async function seekUnit(
  source: ByteSource,
  { find, headerBytes }: UnitKind,
): Promise<boolean> {
  for (;;) {
    const found = find(source.buffer, source.at, source.end);
    if (found >= 0) {
      source.at = found;
      return true;
    }
    source.at = Math.max(source.at, source.end - headerBytes + 1);
    if (await source.more()) continue;
    source.at = source.end;
    return false;
  }
}

export class ReadOn {
  private readonly source: ByteSource;
  private readonly sums: Sums;
  private readonly kind: UnitKind;
  private failures = 0;

  /** Before the first byte of `source` is asked for. */
  constructor(source: ByteSource, sums: Sums, kind: UnitKind) {
    this.source = source;
    this.sums = sums;
    this.kind = kind;
    if (sums.goesOn) source.keep(REACH);
  }

  /**
   * Goes to the next unit after one that began at byte `from` and failed with `error`. Throws what reading ends with where
   * there is none, or where it is not to go on.
   */
  async after(from: number, error: unknown): Promise<void> {
    const { source, sums } = this;
    if (!sums.goesOn || source.failure.length > 0 || error instanceof DaybookError) throw error;
    const { position } = source;
    const isCut = isCutOff(error, source);
    if (++this.failures > MOST_FAILURES) throw new DamagedAt(from, 'too many damaged parts');
    source.goTo(Math.max(from + 1, position - REACH));
    if (!(await seekUnit(source, this.kind)))
      throw isCut ? error : new DamagedAt(position, messageOfError(error));
    sums.lost(from, source.position, messageOfError(error));
  }
}
