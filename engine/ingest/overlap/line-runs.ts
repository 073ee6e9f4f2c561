/**
 * Finds runs of lines that sources have in common. Logs repeat single lines; a run of LEAST_RUN equal
 * lines, which have times in them, is a copy.
 *
 * Of each source some lines are kept as anchors, at first all, and fewer the more lines a case has, so
 * that memory is bounded; from an anchor that is met, a run is followed to both sides line by line.
 */
export const LEAST_RUN = 8;
/** Lines that make up an anchor's key. */
const KEY_LINES = 4;
const MOST_ANCHORS = 500_000;
/** Above the lines that a source may have. */
const LINES = 2 ** 23;

/** `lines` lines of the one that was asked about, from line `from`, are those of `other` from `otherFrom`. */
interface LineRun {
  readonly from: number;
  readonly lines: number;
  readonly other: number;
  readonly otherFrom: number;
}

export class LineIndex {
  private readonly hashes = new Map<number, Uint32Array>();
  /** Source and line by key. */
  private anchors = new Map<number, number>();
  /** Lines whose hash has these bits are no anchors. */
  private mask = 0;

  has(source: number): boolean {
    return this.hashes.has(source);
  }

  /** Of equal runs, those of the source that was added first are found. */
  add(source: number, hashes: Uint32Array): void {
    this.hashes.set(source, hashes);
    for (let i = 0; i + KEY_LINES <= hashes.length; i++) {
      if ((hashes[i]! & this.mask) !== 0) continue;
      const key = keyAt(hashes, i);
      if (!this.anchors.has(key)) this.anchors.set(key, source * LINES + i);
      if (this.anchors.size > MOST_ANCHORS) this.thin();
    }
  }

  /** Runs of `hashes` that sources of the index have, in order and without overlap. */
  runsOf(hashes: Uint32Array): LineRun[] {
    const out: LineRun[] = [];
    let free = 0;
    for (let i = 0; i + KEY_LINES <= hashes.length; i++) {
      if ((hashes[i]! & this.mask) !== 0) continue;
      const found = this.anchors.get(keyAt(hashes, i));
      if (found === undefined) continue;
      const other = Math.floor(found / LINES);
      const line = found % LINES;
      const others = this.hashes.get(other)!;
      let back = 0;
      while (i - back > free && line - back > 0 && hashes[i - back - 1] === others[line - back - 1])
        back += 1;
      let ahead = 0;
      while (
        i + ahead < hashes.length &&
        line + ahead < others.length &&
        hashes[i + ahead] === others[line + ahead]
      )
        ahead += 1;
      if (back + ahead < LEAST_RUN) continue;
      out.push({ from: i - back, lines: back + ahead, other, otherFrom: line - back });
      free = i + ahead;
      i = free - 1;
    }
    return out;
  }

  private thin(): void {
    this.mask = this.mask * 2 + 1;
    const kept = new Map<number, number>();
    for (const [key, found] of this.anchors) {
      const hash = this.hashes.get(Math.floor(found / LINES))![found % LINES]!;
      if ((hash & this.mask) === 0) kept.set(key, found);
    }
    this.anchors = kept;
  }
}

/** 53 bits of the four lines from `at`. */
function keyAt(hashes: Uint32Array, at: number): number {
  const a = Math.imul(hashes[at]!, 0x9e3779b1) ^ hashes[at + 1]!;
  const b = Math.imul(hashes[at + 2]!, 0x85ebca6b) ^ hashes[at + 3]!;
  const high = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ b;
  return (high & 0x1fffff) * 2 ** 32 + ((Math.imul(b, 0x297a2d39) ^ a) >>> 0);
}
