/**
 * Searches what both sides of a connection sent as it arrives, across packet boundaries.
 *
 * Invariants: a match is found once, wherever packets are divided; for each direction no more is buffered than a
 * match may have, and the context shown around it. A gap ends a match.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { BodyPlace, BodyTaker, StreamTaker } from '../../evidence/payloads.ts';
import type { FoundBody } from '../../contract/words/payload-search.ts';
import type { PayloadPattern } from './payload-pattern.ts';

/** Bytes that are shown in front of a match and after it. */
const [BEFORE, AFTER] = [24, 48];
/** Number of bytes shown of the match itself. */
const MAX_SHOWN = 128;
/** New bytes of a direction that are gathered before they are searched. */
const GATHERED = 8192;

/** A match in what one side sent. */
export interface FoundBytes {
  readonly isFromClient: boolean;
  /**
   * Position in what the side sent, missing bytes included; for UDP, in the datagram; for a body, in its decoded
   * bytes.
   */
  readonly offset: number;
  /** The decoded body that contains it; undefined: it was found as sent. */
  readonly body?: FoundBody;
  readonly length: number;
  /** When its first byte was captured. */
  readonly ts: EpochMicros | undefined;
  readonly before: Uint8Array<ArrayBuffer>;
  /** Its first bytes. */
  readonly match: Uint8Array<ArrayBuffer>;
  readonly after: Uint8Array<ArrayBuffer>;
}

type Report = (found: FoundBytes) => void;

export class StreamSearch implements StreamTaker {
  private readonly sides: readonly [SideSearch, SideSearch];

  constructor(pattern: PayloadPattern, report: Report) {
    this.sides = [new SideSearch(pattern, true, report), new SideSearch(pattern, false, report)];
  }

  data(isFromClient: boolean, bytes: Uint8Array, ts: EpochMicros | undefined): void {
    this.sides[isFromClient ? 0 : 1].data(bytes, ts);
  }

  gap(isFromClient: boolean, size: number): void {
    this.sides[isFromClient ? 0 : 1].gap(size);
  }

  end(): void {
    for (const side of this.sides) side.gap(0);
  }
}

/** Searches one datagram. */
export function searchDatagram(
  pattern: PayloadPattern,
  isFromClient: boolean,
  bytes: Uint8Array,
  ts: EpochMicros | undefined,
  report: Report,
): void {
  const side = new SideSearch(pattern, isFromClient, report);
  side.data(bytes, ts);
  side.gap(0);
}

/**
 * Searches a decoded body. If it was sent in chunks, or in frames of HTTP/2, but not compressed, matches within one
 * of these were already found in the sent bytes: they are not reported again.
 */
export function searchBody(
  pattern: PayloadPattern,
  { isFromClient, ts, message, start, encoding }: BodyPlace,
  report: Report,
): BodyTaker {
  const body = { message, start, encoding };
  /** Chunk boundaries that a match may span; undefined: compressed. */
  let boundaries: number[] | undefined = FRAMINGS.has(encoding) ? [] : undefined;
  let size = 0;
  const side = new SideSearch(pattern, isFromClient, (match) => {
    const { offset, length } = match;
    if (boundaries !== undefined) {
      boundaries = boundaries.filter((at) => at > offset);
      if (!boundaries.some((at) => at < offset + length)) return;
    }
    report({ ...match, body });
  });
  return {
    data(bytes) {
      side.data(bytes, ts);
      size += bytes.length;
      if (boundaries !== undefined && boundaries.length > MAX_BOUNDARIES)
        boundaries = boundaries.filter((at) => at > side.from);
    },
    chunkBoundary: () => boundaries?.push(size),
    end: () => side.gap(0),
  };
}

/** Framings of bodies that are not compressed. */
const FRAMINGS: ReadonlySet<string> = new Set(['chunked', 'frames']);
/** Above this number, boundaries that were searched already are dropped. */
const MAX_BOUNDARIES = 32_768;

interface Mark {
  readonly offset: number;
  readonly ts: EpochMicros | undefined;
}

class SideSearch {
  private readonly pattern: PayloadPattern;
  private readonly isFromClient: boolean;
  private readonly report: Report;
  private held: Buffer = Buffer.alloc(0);
  /** Position of `held` in what the side sent, and in it, where the next match may begin. */
  private base = 0;
  private next = 0;
  private gathered = 0;
  /** When the buffered bytes were captured: from which byte on. */
  private marks: Mark[] = [];

  constructor(pattern: PayloadPattern, isFromClient: boolean, report: Report) {
    this.pattern = pattern;
    this.isFromClient = isFromClient;
    this.report = report;
  }

  /** Offset of the first byte at which a match may begin. */
  get from(): number {
    return this.base + this.next;
  }

  data(bytes: Uint8Array, ts: EpochMicros | undefined): void {
    this.marks.push({ offset: this.base + this.held.length, ts });
    this.held = Buffer.concat([this.held, bytes]);
    this.gathered += bytes.length;
    if (this.gathered >= GATHERED) this.search(false);
  }

  /** Number of missing bytes; 0: nothing follows. */
  gap(size: number): void {
    this.search(true);
    this.base += this.held.length + size;
    this.held = Buffer.alloc(0);
    this.next = 0;
    this.marks = [];
  }

  private search(isEnd: boolean): void {
    const { held, pattern } = this;
    this.gathered = 0;
    for (;;) {
      const found = pattern.find(held, this.next);
      if (found === undefined) {
        if (!isEnd) this.next = Math.max(this.next, held.length - pattern.reach + 1);
        break;
      }
      // More bytes may belong to it, or are shown after it.
      const isOpen =
        found.end + AFTER > held.length && held.length - found.start < pattern.reach + AFTER;
      if (isOpen && !isEnd) {
        this.next = found.start;
        break;
      }
      if (found.end > found.start) this.give(found.start, found.end);
      this.next = Math.max(found.end, found.start + 1);
      if (this.next > held.length) break;
    }
    this.trim();
  }

  private give(start: number, end: number): void {
    const { held, base, isFromClient } = this;
    const part = (from: number, to: number): Uint8Array<ArrayBuffer> =>
      Uint8Array.from(held.subarray(Math.max(0, from), to));
    this.report({
      ...{ isFromClient, offset: base + start, length: end - start },
      ts: this.marks.findLast(({ offset }) => offset <= base + start)?.ts,
      before: part(start - BEFORE, start),
      match: part(start, Math.min(end, start + MAX_SHOWN)),
      after: part(end, end + AFTER),
    });
  }

  /** Drops bytes that no match can include. */
  private trim(): void {
    const drop = Math.min(this.next, this.held.length) - BEFORE;
    if (drop <= 0) return;
    this.held = Buffer.from(this.held.subarray(drop));
    this.base += drop;
    this.next -= drop;
    const first = this.marks.findLastIndex(({ offset }) => offset <= this.base);
    if (first > 0) this.marks.splice(0, first);
  }
}
