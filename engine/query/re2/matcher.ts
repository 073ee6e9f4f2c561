/**
 * Whether UTF-8 text contains a match of a pattern: an automaton whose states are made on demand. Each byte is read
 * once, whatever the pattern and the text: evidence is hostile. Texts that lack what every match contains are
 * excluded by reading fewer bytes (required.ts).
 *
 * Invariant: memory is bounded; when there are too many states, all are dropped and made again.
 * https://swtch.com/~rsc/regexp/regexp3.html
 */
import { type Instruction, type Program, compileProgram } from './program.ts';
import { type RequiredBytes, requiredBytes } from './required.ts';
import { type Assertion, parsePattern } from './syntax.ts';

const MATCH = -2;
const DEAD = -3;
const UNKNOWN = -1;
const MAX_STATES = 2000;
/** Places in programs that all states together name. */
const MAX_PLACES = 2_000_000;
const NEWLINE = 10;

/** Context before the next byte. */
const TEXT_START = 0;
const AFTER_NEWLINE = 1;
const AFTER_WORD = 2;
const AFTER_OTHER = 3;

/** A text that is only partly known: bytes, or a run of one to `most` bytes of a set (ranges as in a CodeSet). */
export type TextPart = Uint8Array | { readonly bytes: readonly number[]; readonly most: number };

/** Whether texts match: all of them, none, or some, as far as known. */
export type Outcome = 'always' | 'never' | 'maybe';

/** States that `outcome` follows together. */
const MOST_TOGETHER = 256;
/** Limit of steps of all its calls, including the positions visited to make states: half a second. */
const MOST_STEPS = 5_000_000;

interface State {
  /** Instructions that take a byte or test an assertion, ascending. */
  readonly places: Uint32Array;
  readonly before: number;
}

/** @param ignoreCase as RE2's `i`: Unicode simple folding */
export function compilePattern(pattern: string, ignoreCase: boolean): Matcher {
  const node = parsePattern(pattern, ignoreCase);
  return new Matcher(compileProgram(node), requiredBytes(node));
}

export class Matcher {
  private readonly code: readonly Instruction[];
  private readonly program: Program;
  private readonly required: RequiredBytes | undefined;
  /** Class of each byte: bytes that no instruction distinguishes share one. */
  private readonly classes = new Uint8Array(256);
  /** A byte of each class. */
  private readonly examples: number[] = [];
  /** Classes, and the text's end. */
  private readonly width: number;
  private table: Int32Array;
  private states: State[] = [];
  private known = new Map<string, number>();
  private places = 0;
  private first = 0;
  private readonly mark: Uint32Array;
  private generation = 0;
  /** How often all states were dropped: their numbers have other meanings since. */
  private forgotten = 0;
  private steps = 0;

  /** @param required is in every text that matches */
  constructor(program: Program, required?: RequiredBytes) {
    this.program = program;
    this.required = required;
    this.code = program.code;
    const edges = new Set<number>([0, 10, 11, 48, 58, 65, 91, 95, 96, 97, 123]);
    for (const one of this.code) {
      if (one.op === 'byte') edges.add(one.low).add(one.high + 1);
    }
    let byteClass = -1;
    for (let byte = 0; byte < 256; byte++) {
      if (edges.has(byte)) {
        byteClass += 1;
        this.examples.push(byte);
      }
      this.classes[byte] = byteClass;
    }
    this.width = this.examples.length + 1;
    this.table = new Int32Array(this.width * 16).fill(UNKNOWN);
    this.mark = new Uint32Array(this.code.length);
    this.forget();
  }

  /** Whether the pattern is found in `bytes[start, end)`. */
  test(bytes: Uint8Array, start: number, end: number): boolean {
    const { classes, width, required } = this;
    if (required !== undefined && !required.isIn(bytes, start, end)) return false;
    let table = this.table;
    let state = this.first;
    for (let at = start; at < end; at++) {
      const byteClass = classes[bytes[at]!]!;
      let next = table[state * width + byteClass]!;
      if (next < 0) {
        if (next === UNKNOWN) {
          next = this.step(state, byteClass);
          table = this.table;
        }
        if (next === MATCH) return true;
        if (next === DEAD) return false;
      }
      state = next;
    }
    let last = table[state * width + width - 1]!;
    if (last === UNKNOWN) last = this.step(state, width - 1);
    return last === MATCH;
  }

  /** The result of `test` for all texts that consist of these parts. */
  outcome(parts: readonly TextPart[]): Outcome {
    const { forgotten, width } = this;
    if (this.steps > MOST_STEPS) return 'maybe';
    const said = { found: false, missed: false };
    const moved = (states: ReadonlySet<number>, classes: readonly number[]): Set<number> => {
      const out = new Set<number>();
      for (const state of states) {
        for (const byteClass of classes) {
          // These may be numbers of dropped states.
          if (this.forgotten !== forgotten) return out;
          this.steps += 1;
          let next = this.table[state * width + byteClass]!;
          if (next === UNKNOWN) {
            this.steps += this.states[state]!.places.length;
            next = this.step(state, byteClass);
          }
          if (next === MATCH) said.found = true;
          else if (next === DEAD) said.missed = true;
          else out.add(next);
        }
      }
      return out;
    };
    const isOpen = (states: ReadonlySet<number>): boolean =>
      (said.found && said.missed) ||
      this.forgotten !== forgotten ||
      states.size > MOST_TOGETHER ||
      this.steps > MOST_STEPS;
    let here: Set<number> = new Set([this.first]);
    for (const part of parts) {
      if (part instanceof Uint8Array) {
        for (const byte of part) here = moved(here, [this.classes[byte]!]);
        if (isOpen(here)) return 'maybe';
        continue;
      }
      const classes = this.classesOf(part.bytes);
      const all = new Set<number>();
      let level = here;
      for (let n = 0; n < part.most && level.size > 0; n++) {
        const next = new Set<number>();
        for (const state of moved(level, classes)) {
          // A state reached before leads to nothing new.
          if (all.has(state)) continue;
          all.add(state);
          next.add(state);
        }
        level = next;
        if (isOpen(all)) return 'maybe';
      }
      here = all;
    }
    moved(here, [width - 1]);
    if (isOpen(here)) return 'maybe';
    return said.found ? 'always' : 'never';
  }

  /** Classes of the bytes of some ranges. */
  private classesOf(ranges: readonly number[]): number[] {
    const out = new Set<number>();
    for (let i = 0; i + 1 < ranges.length; i += 2) {
      for (let byte = ranges[i]!; byte <= ranges[i + 1]!; byte++) out.add(this.classes[byte]!);
    }
    return [...out];
  }

  private forget(): void {
    this.forgotten += 1;
    this.states = [];
    this.known = new Map();
    this.places = 0;
    this.table.fill(UNKNOWN);
    this.first = this.stateOf(this.closed([this.program.start], undefined), TEXT_START);
  }

  /** The transition from a state for a class of bytes, or for the text's end. */
  private step(from: number, byteClass: number): number {
    const { places, before } = this.states[from]!;
    const byte = byteClass === this.width - 1 ? -1 : this.examples[byteClass]!;
    const here = this.closed([...places], (assertion) => holds(assertion, before, byte));
    let to: number;
    if (here.some((place) => this.code[place]!.op === 'match')) to = MATCH;
    else if (byte < 0) to = DEAD;
    else {
      const next: number[] = this.program.anchored ? [] : [this.program.start];
      for (const place of here) {
        const one = this.code[place]!;
        if (one.op === 'byte' && byte >= one.low && byte <= one.high) next.push(one.next);
      }
      if (next.length === 0) to = DEAD;
      else {
        const after = byte === NEWLINE ? AFTER_NEWLINE : isWord(byte) ? AFTER_WORD : AFTER_OTHER;
        if (this.states.length >= MAX_STATES || this.places > MAX_PLACES) {
          this.forget();
          // The previous state was dropped, so there is no entry to fill in.
          return this.stateOf(this.closed(next, undefined), after);
        }
        to = this.stateOf(this.closed(next, undefined), after);
      }
    }
    this.table[from * this.width + byteClass] = to;
    return to;
  }

  private stateOf(places: readonly number[], before: number): number {
    const key = `${before}:${places.join(',')}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const id = this.states.push({ places: Uint32Array.from(places), before }) - 1;
    this.known.set(key, id);
    this.places += places.length;
    const need = (id + 1) * this.width;
    if (need > this.table.length) {
      const bigger = new Int32Array(need * 2).fill(UNKNOWN);
      bigger.set(this.table);
      this.table = bigger;
    }
    return id;
  }

  /**
   * All positions reached from some without taking a byte, ascending.
   * @param satisfied whether an assertion holds; undefined: unknown yet, so it stays
   */
  private closed(
    from: readonly number[],
    satisfied: ((assertion: Assertion) => boolean) | undefined,
  ): number[] {
    this.generation += 1;
    const out: number[] = [];
    const open = [...from];
    for (;;) {
      const place = open.pop();
      if (place === undefined) break;
      if (this.mark[place] === this.generation) continue;
      this.mark[place] = this.generation;
      const one = this.code[place]!;
      switch (one.op) {
        case 'split':
          open.push(one.next, one.other);
          break;
        case 'save':
          open.push(one.next);
          break;
        case 'assert':
          if (satisfied === undefined) out.push(place);
          else if (satisfied(one.assertion)) open.push(one.next);
          break;
        default:
          out.push(place);
      }
    }
    return out.sort((a, b) => a - b);
  }
}

export function isWord(byte: number): boolean {
  return (
    (byte >= 48 && byte <= 57) ||
    (byte >= 65 && byte <= 90) ||
    byte === 95 ||
    (byte >= 97 && byte <= 122)
  );
}

/** @param byte that follows; -1 at the text's end */
function holds(assertion: Assertion, before: number, byte: number): boolean {
  switch (assertion) {
    case 'text-start':
      return before === TEXT_START;
    case 'text-end':
      return byte < 0;
    case 'line-start':
      return before === TEXT_START || before === AFTER_NEWLINE;
    case 'line-end':
      return byte < 0 || byte === NEWLINE;
    case 'word-edge':
      return (before === AFTER_WORD) !== isWord(byte);
    case 'no-word-edge':
      return (before === AFTER_WORD) === isWord(byte);
  }
}
