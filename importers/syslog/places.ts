/**
 * The places where a log's lines have their time, judged by its first 64 KiB: at the beginning, or at a place
 * further on that many lines share. A time anywhere else is text of a message.
 *
 * Invariant: the judgement depends on the content alone, so that every reading of a log uses the same times.
 */

/** Properties of a log that are judged by its beginning. */
export interface LogShape {
  /** Whether most records that are not indented have a time. */
  readonly mostlyDated: boolean;
  /** Places further on in a line where times are accepted: keys of functions such as `positionPlace`. */
  readonly places: readonly number[];
}

/** The result of `parseHeader` for a line's time. */
interface FoundTime {
  readonly dated: boolean;
  readonly leading: boolean;
  readonly foundAt: Iterable<number>;
  readonly epochAt: number;
  readonly epochSeconds: number;
}

const POSITION = 1 << 28;
const NAMED = 2 << 28;
const MARKED = 3 << 28;
const EPOCH = 4 << 28;
const MAX_WORDS = 63;
const MAX_NAME = 40;

/** A place that this share of the lines has in common is part of the log's layout. */
const SHARED_TENTH = 10;
const LEAST_SHARED = 3;

/** The place of the text at `at`: how many words are before it, and the byte before it. */
export function positionPlace(b: Uint8Array, start: number, at: number): number {
  return POSITION + wordsBefore(b, start, at) * 256 + b[at - 1]!;
}

/** The same for a number since 1970, which only its place distinguishes from an identifier. */
export function epochPlace(b: Uint8Array, start: number, at: number): number {
  return EPOCH + wordsBefore(b, start, at) * 256 + b[at - 1]!;
}

/** The place after this byte, wherever in the line it is. */
export function markedPlace(b: Uint8Array, at: number): number {
  return MARKED + b[at - 1]!;
}

/** The place of a value by its name, as in `time="…"` and `"created": "…"`; 0 if it has none. */
export function namedPlace(b: Uint8Array, start: number, at: number): number {
  let i = at - 1;
  if (b[i] === 34 || b[i] === 39) i--;
  while (i > start && b[i] === 32) i--;
  if (i <= start || (b[i] !== 61 && b[i] !== 58)) return 0;
  i--;
  if (b[i] === 34 || b[i] === 39) i--;
  let hash = 0;
  let size = 0;
  for (; i >= start && size < MAX_NAME; i--, size++) {
    const c = b[i]!;
    const low = c | 32;
    const named =
      (low >= 97 && low <= 122) || (c >= 48 && c <= 57) || c === 95 || c === 64 || c === 46;
    if (!named) break;
    hash = (Math.imul(hash, 31) + low) & 0xffffff;
  }
  return size === 0 ? 0 : NAMED + hash;
}

function wordsBefore(b: Uint8Array, start: number, at: number): number {
  let words = 0;
  let blank = true;
  for (let i = start; i < at; i++) {
    const isBlank = b[i] === 32 || b[i] === 9;
    if (blank && !isBlank) words++;
    blank = isBlank;
  }
  // A word that has already begun is the one that contains the text.
  return Math.min(blank ? words : words - 1, MAX_WORDS);
}

/** Counts the places of the times of a log's first lines. */
export class PlaceSurvey {
  private lines = 0;
  private led = 0;
  private readonly counts = new Map<number, number>();
  private readonly epochs = new Map<number, { count: number; least: number; most: number }>();

  /** A line that begins a record, as `parseHeader` found it without knowing any place. */
  add(h: FoundTime): void {
    this.lines++;
    if (h.dated) {
      if (h.leading) this.led++;
      else for (const place of h.foundAt) this.count(place);
      return;
    }
    if (h.epochAt === 0) return;
    const before = this.epochs.get(h.epochAt);
    const seconds = h.epochSeconds;
    this.epochs.set(h.epochAt, {
      count: (before?.count ?? 0) + 1,
      least: Math.min(before?.least ?? seconds, seconds),
      most: Math.max(before?.most ?? seconds, seconds),
    });
  }

  private count(place: number): void {
    if (place !== 0) this.counts.set(place, (this.counts.get(place) ?? 0) + 1);
  }

  shape(): LogShape {
    const places: number[] = [];
    let dated = this.led;
    let most = 0;
    for (const [place, count] of this.counts) {
      const shared = count >= LEAST_SHARED && count * SHARED_TENTH >= this.lines;
      if (count * 2 <= this.lines && !(shared && place < MARKED)) continue;
      places.push(place);
      most = Math.max(most, count);
    }
    dated += most;
    for (const [place, { count, least, most: last }] of this.epochs) {
      // Identifiers of ten digits are spread over a century.
      if (count < LEAST_SHARED || count * 5 < this.lines * 4 || last - least > SPREAD) continue;
      places.push(place);
      dated += count;
    }
    return { mostlyDated: dated * 2 > this.lines, places };
  }
}

/** Seconds between the times of one log, at most: 20 years. */
const SPREAD = 20 * 366 * 86_400;
