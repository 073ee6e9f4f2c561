/** Folded words in which `*` is any run of characters and `?` is one, over folded UTF-8. */
import { foldText, foldedBytes } from '../../../util/fold.ts';

/** A character of the pattern as bytes, or a wildcard for one or any. */
type Element = Uint8Array | '?' | '*';

interface ContainedDigits {
  readonly value: number;
  /** The least power of ten that has more digits. */
  readonly scale: number;
  /** The least number with as many digits. */
  readonly least: number;
  readonly last: boolean;
}

export class Glob {
  /** The literal beginning of every match. */
  readonly prefix: Uint8Array;
  /** Whether only one `*` follows `prefix`. */
  readonly onlyPrefix: boolean;
  /** Runs of bytes that are in every match, in this order; whether it ends with the last. */
  readonly runs: readonly Uint8Array[];
  readonly endsWithRun: boolean;
  /** The longest of these. */
  readonly literal: Uint8Array;
  /** Whether it holds for every token. */
  readonly any: boolean;
  /** For `*DIGITS` (`last`) and `*DIGITS*`: the digits that numbers must contain. */
  readonly digits: ContainedDigits | undefined;
  private readonly elements: readonly Element[];
  private readonly pattern: string;

  /** @param text a word in which `*` and `?` are wildcards */
  constructor(text: string) {
    this.pattern = foldText(text).replace(/\*+/g, '*');
    const elements: Element[] = [];
    const runs: Uint8Array[] = [];
    for (const part of this.pattern.split(/([*?])/)) {
      if (part === '') continue;
      if (part === '*' || part === '?') elements.push(part);
      else {
        const bytes = foldedBytes(part);
        runs.push(bytes);
        elements.push(bytes);
      }
    }
    this.elements = elements;
    const [first] = elements;
    this.prefix = first instanceof Uint8Array ? first : new Uint8Array(0);
    this.onlyPrefix = this.prefix.length > 0 && elements.length === 2 && elements[1] === '*';
    this.runs = runs;
    this.endsWithRun = elements.at(-1) instanceof Uint8Array;
    this.literal = runs.reduce(
      (longest, run) => (run.length > longest.length ? run : longest),
      new Uint8Array(0),
    );
    const digits = /^\*(\d{1,9})(\*?)$/.exec(this.pattern);
    if (digits !== null) {
      const [, text = '', end] = digits;
      this.digits = {
        value: Number(text),
        scale: 10 ** text.length,
        least: 10 ** (text.length - 1),
        last: end === '',
      };
    }
    this.any = /^(\*|\*\?|\?\*|\*\?\*)$/.test(this.pattern);
  }

  /** Matches a whole folded token given as text. */
  get expression(): RegExp {
    const source = this.pattern.replace(/[^*?]+|\*|\?/g, (part) =>
      part === '*' ? '[^]*' : part === '?' ? '[^]' : part.replace(/[\\^$.|+()[\]{}/-]/g, '\\$&'),
    );
    return new RegExp(`^${source}$`, 'u');
  }

  /** Whether bytes `from` to `to` of `data` match. */
  matches(data: Uint8Array, from: number, to: number): boolean {
    const { elements } = this;
    let at = from;
    let element = 0;
    // Where to continue if the text after the last `*` did not match: one character further.
    let star = -1;
    let starAt = 0;
    for (;;) {
      if (element < elements.length) {
        const wanted = elements[element]!;
        if (wanted === '*') {
          star = element++;
          starAt = at;
          continue;
        }
        const next = wanted === '?' ? characterEnd(data, at, to) : runEnd(data, at, to, wanted);
        if (next >= 0) {
          at = next;
          element += 1;
          continue;
        }
      } else if (at === to) return true;
      if (star < 0) return false;
      starAt = characterEnd(data, starAt, to);
      if (starAt < 0) return false;
      at = starAt;
      element = star + 1;
    }
  }

  /** Whether some token that continues beyond these bytes may match. */
  mayMatchLonger(data: Uint8Array, from: number, to: number): boolean {
    const states = new Set<string>();
    const waiting: [number, number, number][] = [[0, 0, from]];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      const [element, within, at] = state;
      const key = state.join(' ');
      if (states.has(key)) continue;
      states.add(key);
      const wanted = this.elements[element];
      if (wanted === undefined) continue;
      if (at >= to) return true;
      if (wanted === '*') {
        waiting.push([element + 1, 0, at], [element, 0, characterEnd(data, at, to)]);
      } else if (wanted === '?') waiting.push([element + 1, 0, characterEnd(data, at, to)]);
      else if (wanted[within] === data[at]) {
        waiting.push(
          within + 1 === wanted.length ? [element + 1, 0, at + 1] : [element, within + 1, at + 1],
        );
      }
    }
    return false;
  }
}

/** The end of the character at `at`; -1 if there is none. */
function characterEnd(data: Uint8Array, at: number, to: number): number {
  if (at >= to) return -1;
  let end = at + 1;
  while (end < to && (data[end]! & 0xc0) === 0x80) end += 1;
  return end;
}

function runEnd(data: Uint8Array, at: number, to: number, run: Uint8Array): number {
  if (at + run.length > to) return -1;
  for (let i = 0; i < run.length; i++) if (data[at + i] !== run[i]) return -1;
  return at + run.length;
}
