/**
 * Finds where a pattern and its groups match: leftmost, and of several matches the one that a backtracking matcher
 * would find first, as in RE2, in time linear in the text. https://swtch.com/~rsc/regexp/regexp2.html
 */
import { type Matcher, compilePattern, isWord } from './matcher.ts';
import { type Instruction, compileProgram } from './program.ts';
import { type Assertion, parseCaptures } from './syntax.ts';

const NEWLINE = 10;

/** Threads of one step in order of priority, with their captures. */
interface Threads {
  readonly places: Int32Array;
  readonly slots: Int32Array[];
  size: number;
}

export class CaptureMatcher {
  /** For each group, from the first; undefined: it has no name. */
  readonly names: readonly (string | undefined)[];
  private readonly code: readonly Instruction[];
  private readonly start: number;
  private readonly width: number;
  private readonly mark: Int32Array;
  private generation = 0;
  private now: Threads;
  private next: Threads;
  private readonly finder: Matcher;

  /** @param ignoreCase as RE2's `i`: Unicode simple folding */
  constructor(pattern: string, ignoreCase: boolean) {
    const { node, names } = parseCaptures(pattern, ignoreCase);
    const { code, start } = compileProgram(node);
    this.names = names;
    this.code = code;
    this.start = start;
    this.width = 2 * (names.length + 1);
    this.mark = new Int32Array(code.length);
    this.now = this.threads();
    this.next = this.threads();
    this.finder = compilePattern(pattern, ignoreCase);
  }

  private threads(): Threads {
    return { places: new Int32Array(this.code.length), slots: [], size: 0 };
  }

  /**
   * Start and end of the first match from `from` on, then of each of its groups; -1: it did not take part. `^` and
   * `\b` still see the text before `from`. Undefined: there is no match.
   */
  exec(bytes: Uint8Array, from = 0): Int32Array | undefined {
    const { code, width } = this;
    // Most texts have no match, which the first pass finds out faster.
    if (from === 0 && !this.finder.test(bytes, 0, bytes.length)) return undefined;
    let found: Int32Array | undefined;
    let { now, next } = this;
    now.size = 0;
    for (let at = from; ; at++) {
      this.generation += 1;
      // A later start has the lowest priority, and is not tried once there is a match.
      if (found === undefined && isBoundary(bytes, at)) {
        this.markAll(now);
        const slots = new Int32Array(width).fill(-1);
        slots[0] = at;
        this.add(now, this.start, slots, bytes, at);
      }
      if (now.size === 0 && (found !== undefined || at >= bytes.length)) break;
      const byte = at < bytes.length ? bytes[at]! : -1;
      next.size = 0;
      this.generation += 1;
      for (let i = 0; i < now.size; i++) {
        const one = code[now.places[i]!]!;
        const slots = now.slots[i]!;
        if (one.op === 'match') {
          found = slots.slice();
          found[1] = at;
          break;
        }
        if (one.op === 'byte' && byte >= one.low && byte <= one.high)
          this.add(next, one.next, slots, bytes, at + 1);
      }
      [now, next] = [next, now];
      if (byte < 0) break;
    }
    return found;
  }

  /** Threads that are there already are not added a second time. */
  private markAll(threads: Threads): void {
    for (let i = 0; i < threads.size; i++) this.mark[threads.places[i]!] = this.generation;
  }

  private add(to: Threads, start: number, given: Int32Array, bytes: Uint8Array, at: number): void {
    const open: { readonly place: number; readonly slots: Int32Array }[] = [
      { place: start, slots: given },
    ];
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      const { place, slots } = top;
      if (this.mark[place] === this.generation) continue;
      this.mark[place] = this.generation;
      const one = this.code[place]!;
      switch (one.op) {
        case 'split':
          open.push({ place: one.other, slots }, { place: one.next, slots });
          break;
        case 'save': {
          const changed = slots.slice();
          changed[one.slot] = at;
          open.push({ place: one.next, slots: changed });
          break;
        }
        case 'assert':
          if (holdsAt(one.assertion, bytes, at)) open.push({ place: one.next, slots });
          break;
        default:
          to.places[to.size] = place;
          to.slots[to.size] = slots;
          to.size += 1;
      }
    }
  }
}

/** Matches begin between characters. */
function isBoundary(bytes: Uint8Array, at: number): boolean {
  return at >= bytes.length || (bytes[at]! & 0xc0) !== 0x80;
}

function holdsAt(assertion: Assertion, bytes: Uint8Array, at: number): boolean {
  const before = at > 0 && isWord(bytes[at - 1]!);
  const after = at < bytes.length && isWord(bytes[at]!);
  switch (assertion) {
    case 'text-start':
      return at === 0;
    case 'text-end':
      return at === bytes.length;
    case 'line-start':
      return at === 0 || bytes[at - 1] === NEWLINE;
    case 'line-end':
      return at === bytes.length || bytes[at] === NEWLINE;
    case 'word-edge':
      return before !== after;
    case 'no-word-edge':
      return before === after;
  }
}
