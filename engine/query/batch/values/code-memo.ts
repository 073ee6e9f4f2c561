/** Caches a result for each code of a `CodedColumn`. */

/** Codes from here on are not cached: there may be any number of them. */
const MAX_CODES = 65_536;
const UNKNOWN = -1;

export class CodeMemo {
  private known = new Int32Array(1024).fill(UNKNOWN);
  private readonly find: (code: number) => number;

  /** @param find returns a number from 0 on */
  constructor(find: (code: number) => number) {
    this.find = find;
  }

  of(code: number): number {
    const known = code < this.known.length ? this.known[code]! : UNKNOWN;
    return known === UNKNOWN ? this.learn(code) : known;
  }

  private learn(code: number): number {
    const found = this.find(code);
    if (code >= MAX_CODES) return found;
    if (code >= this.known.length) {
      const bigger = new Int32Array(MAX_CODES).fill(UNKNOWN);
      bigger.set(this.known);
      this.known = bigger;
    }
    this.known[code] = found;
    return found;
  }
}
