/**
 * Reading on after damage, for compressions whose units begin with a signature: a gzip member, a zstd frame, a
 * block or stream of xz. Damage is often noticed only after its unit's end, so the search begins before that
 * position. A match may be no unit at all: it counts once it was decoded to its end.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { DaybookError, messageOfError } from '../../../engine/contract/errors.ts';
import type { ByteSource } from '../byte-source.ts';
import { DamagedAt, isCutOff, type Sums } from './checked.ts';

/**
 * How far back a unit is searched: a decoder goes astray no further than this, and its input per call is smaller.
 */
const REACH = 1024 * 1024;
/** A content may consist of beginnings of units only, each of which takes time. */
const MOST_FAILURES = 1000;

export interface UnitKind {
  /** With its article. */
  readonly name: string;
  /** Whether one begins at the source's place. */
  readonly begins: (source: ByteSource) => boolean;
  /** Number of bytes that identify it. */
  readonly magicBytes: number;
  /** Position of the first one in [at, end) of `buffer`, if its header is complete; otherwise -1. */
  readonly find: (buffer: Buffer, at: number, end: number) => number;
  /** Bytes of the longest header. */
  readonly headerBytes: number;
}

/** Moves to the next unit, or to the end; false if there is none. */
async function seekUnit(source: ByteSource, { find, headerBytes }: UnitKind): Promise<boolean> {
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

  /** Before the first byte of `source` is requested. */
  constructor(source: ByteSource, sums: Sums, kind: UnitKind) {
    this.source = source;
    this.sums = sums;
    this.kind = kind;
    if (sums.goesOn) source.keep(REACH);
  }

  /**
   * Moves to the next unit after one that began at byte `from` and failed with `error`. Throws the final error if
   * there is none, or if reading should not continue.
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

  /**
   * Skips padding after a unit; true if another follows, false at the end. Records other bytes in `notes`, unless a
   * unit follows them: then they are damage.
   */
  async next(notes: string[]): Promise<boolean> {
    const { source, sums, kind } = this;
    for (;;) {
      while (source.at < source.end && source.buffer[source.at] === 0) source.at += 1;
      if (source.at < source.end) break;
      if (!(await source.more())) {
        if (source.failure.length > 0) throw source.failure[0];
        return false;
      }
    }
    await source.ensure(kind.magicBytes);
    if (kind.begins(source)) return true;
    const from = source.position;
    if (await seekUnit(source, kind)) {
      sums.lost(from, source.position, `no header where ${kind.name} should begin`);
      return true;
    }
    if (source.failure.length > 0) throw source.failure[0];
    const left = source.position - from;
    notes.push(
      `${left} ${nounOf(left, 'byte')} after the end of the compressed data, at byte ${from} of the file, were not read`,
    );
    return false;
  }
}
