/**
 * Finds runs of lines that sources have in common. Logs repeat single lines; a run of LEAST_RUN equal lines, which
 * have times in them, is a copy. Where lines have none a source may repeat a run, too: one run of another source is
 * the copy of one run only.
 *
 * Of each source some lines are kept as anchors, at first all, and fewer the more lines a case has, so that memory
 * is bounded; from an anchor that is met, a run is followed to both sides line by line. A source that is longer
 * than the one asked about is searched linearly instead, which costs a hundredth of anchoring it: without that, a
 * batch of 1,000 flows into a case of a million took 0.6 s.
 */
import { HASH_SEED, hashWord } from '../../util/hash-table/hash.ts';
import { HashIndex } from '../../util/hash-table/hash-index.ts';

export const LEAST_RUN = 8;
/** Number of lines in an anchor. */
const ANCHOR_LINES = 4;
const MOST_ANCHORS = 2 ** 19;
const FEWEST_ANCHORS = 2 ** 10;
/** A source that was searched this often is anchored. */
const MOST_TIMES = 64;
/** Bits of a filter for the lines of a source, by their hashes. */
const BITS = 2 ** 20;
/** Greater than the number of lines that a source may have. */
const LINES = 2 ** 23;
/** Position of a line: its source and its number there. The lowest is that of the first source. */
type Place = number;
const NOWHERE: Place = Infinity;

/** `lines` lines of the source asked about, from line `from`, equal those of `other` from `otherFrom`. */
interface LineRun {
  readonly from: number;
  readonly lines: number;
  readonly other: number;
  readonly otherFrom: number;
}

type Sources = ReadonlyMap<number, Uint32Array>;

export class LineIndex {
  private readonly sources = new Map<number, Uint32Array>();
  private anchors: Anchors | undefined;
  /** How often each source without anchors was searched. */
  private readonly times = new Map<number, number>();

  has(source: number): boolean {
    return this.sources.has(source);
  }

  add(source: number, hashes: Uint32Array): void {
    this.sources.set(source, hashes);
    this.times.set(source, 0);
  }

  /**
   * Runs of `hashes` that sources of the index have, in order and without overlap; of equal runs, that of the
   * source with the lowest number.
   * @param without for lines without times, which may be repeated: sources whose lines are copies of others already
   */
  runsOf(hashes: Uint32Array, without?: ReadonlySet<number>): LineRun[] {
    const shared = this.anchorsSharedWith(hashes);
    const out: LineRun[] = [];
    /** By source: 1 for each line that is in a run. */
    const used = new Map<number, Uint8Array>();
    let free = 0;
    for (let i = 0; i + ANCHOR_LINES <= hashes.length; i++) {
      const place = Math.min(
        this.anchors?.find(hashes, i) ?? NOWHERE,
        shared?.find(hashes, i) ?? NOWHERE,
      );
      if (place === NOWHERE) continue;
      const other = Math.floor(place / LINES);
      if (without?.has(other) === true) continue;
      const line = place % LINES;
      const others = this.sources.get(other)!;
      const taken = used.get(other) ?? new Uint8Array(others.length);
      used.set(other, taken);
      const isSame = (at: number): boolean =>
        hashes[i + at] === others[line + at] && taken[line + at] === 0;
      let back = 0;
      while (i - back > free && line - back > 0 && isSame(-back - 1)) back += 1;
      let ahead = 0;
      while (i + ahead < hashes.length && line + ahead < others.length && isSame(ahead)) ahead += 1;
      if (back + ahead < LEAST_RUN) continue;
      if (without !== undefined) taken.fill(1, line - back, line + ahead);
      out.push({ from: i - back, lines: back + ahead, other, otherFrom: line - back });
      free = i + ahead;
      i = free - 1;
    }
    return out;
  }

  /** The anchors of sources that are searched; others get anchors now. */
  private anchorsSharedWith(hashes: Uint32Array): Anchors | undefined {
    const room = 2 ** Math.ceil(Math.log2(hashes.length));
    const most = Math.min(MOST_ANCHORS, Math.max(FEWEST_ANCHORS, room));
    let shared: Anchors | undefined;
    let wanted: Wanted | undefined;
    for (const [source, times] of this.times) {
      if (this.sources.get(source)!.length <= hashes.length || times >= MOST_TIMES) {
        this.anchors ??= new Anchors(this.sources, MOST_ANCHORS);
        this.anchors.add(source);
        this.times.delete(source);
        continue;
      }
      this.times.set(source, times + 1);
      wanted ??= new Wanted(hashes, most);
      shared ??= new Anchors(this.sources, most);
      shared.add(source, wanted);
    }
    return shared;
  }
}

/** Positions of lines by their hashes and those of the following lines. */
class Anchors {
  private readonly sources: Sources;
  private readonly most: number;
  private readonly index = new HashIndex(FEWEST_ANCHORS);
  /** Of each entry of the index. */
  private places = new Float64Array(FEWEST_ANCHORS);
  /** Lines whose hash has these bits set are no anchors. */
  private mask = 0;

  /** @param most maximum number of anchors */
  constructor(sources: Sources, most: number) {
    this.sources = sources;
    this.most = most;
  }

  /** @param wanted skips all others */
  add(source: number, wanted?: Wanted): void {
    const hashes = this.sources.get(source)!;
    for (let line = 0; line + ANCHOR_LINES <= hashes.length; line++) {
      if ((hashes[line]! & this.mask) !== 0) continue;
      if (wanted !== undefined && !wanted.has(hashes, line)) continue;
      this.put(source * LINES + line, hashes, line);
      if (this.index.size >= this.most) this.thin();
    }
  }

  find(hashes: Uint32Array, line: number): Place {
    if ((hashes[line]! & this.mask) !== 0) return NOWHERE;
    const entry = this.entryOf(hashes, line, anchorHash(hashes, line));
    return entry < 0 ? NOWHERE : this.places[entry]!;
  }

  private put(place: Place, hashes: Uint32Array, line: number): void {
    const { index } = this;
    const hash = anchorHash(hashes, line);
    const known = this.entryOf(hashes, line, hash);
    if (known >= 0) {
      if (place < this.places[known]!) this.places[known] = place;
      return;
    }
    const entry = index.size;
    if (entry === this.places.length) {
      const places = new Float64Array(entry * 2);
      places.set(this.places);
      this.places = places;
    }
    this.places[entry] = place;
    index.put(entry, hash);
  }

  /** The entry of these lines, or -1. */
  private entryOf(hashes: Uint32Array, line: number, hash: number): number {
    const { index } = this;
    let entry = index.first(hash);
    while (entry >= 0 && !this.isAt(this.places[entry]!, hashes, line)) entry = index.next(hash);
    return entry;
  }

  private isAt(place: Place, hashes: Uint32Array, line: number): boolean {
    return areEqual(hashes, line, this.linesAt(place), place % LINES);
  }

  private linesAt(place: Place): Uint32Array {
    return this.sources.get(Math.floor(place / LINES))!;
  }

  private thin(): void {
    const places = this.places.slice(0, this.index.size);
    this.mask = this.mask * 2 + 1;
    this.index.clear();
    for (const place of places) {
      const hashes = this.linesAt(place);
      const line = place % LINES;
      if ((hashes[line]! & this.mask) === 0) this.put(place, hashes, line);
    }
  }
}

function anchorHash(hashes: Uint32Array, line: number): number {
  let hash = HASH_SEED;
  for (let i = 0; i < ANCHOR_LINES; i++) hash = hashWord(hash, hashes[line + i]!);
  return hash;
}

function areEqual(a: Uint32Array, at: number, b: Uint32Array, bAt: number): boolean {
  for (let i = 0; i < ANCHOR_LINES; i++) if (a[at + i] !== b[bAt + i]) return false;
  return true;
}

/** The anchors of one source, with a bit for each of its lines: most lines of other sources match none. */
class Wanted {
  private readonly bits = new Uint8Array(BITS / 8);
  private readonly anchors: Anchors;

  constructor(hashes: Uint32Array, most: number) {
    for (const hash of hashes) this.bits[(hash & (BITS - 1)) >>> 3]! |= 1 << (hash & 7);
    this.anchors = new Anchors(new Map([[0, hashes]]), most);
    this.anchors.add(0);
  }

  has(hashes: Uint32Array, line: number): boolean {
    const hash = hashes[line]!;
    if (((this.bits[(hash & (BITS - 1)) >>> 3]! >>> (hash & 7)) & 1) === 0) return false;
    return this.anchors.find(hashes, line) !== NOWHERE;
  }
}
