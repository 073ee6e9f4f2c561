/**
 * Parses RE2 patterns to a tree. Only patterns that `checkRe2` accepts arrive here, so errors have been reported
 * before; groups capture only on request. https://github.com/google/re2/wiki/Syntax
 */
import {
  ANY,
  type CodeSet,
  NOT_NEWLINE,
  PERL,
  POSIX,
  folded,
  negated,
  normal,
  unicodeClass,
} from './code-set.ts';

export type Assertion =
  'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';

export type Node =
  | { readonly op: 'set'; readonly set: CodeSet }
  | { readonly op: 'assert'; readonly assertion: Assertion }
  | { readonly op: 'sequence' | 'either'; readonly items: readonly Node[] }
  | {
      readonly op: 'repeat';
      readonly item: Node;
      readonly least: number;
      readonly most: number;
      /** Whether it takes as little as possible. */
      readonly lazy: boolean;
    }
  /** Number `group`, from 1, of those that capture. */
  | { readonly op: 'capture'; readonly item: Node; readonly group: number };

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  /** Repeats are lazy, and greedy with `?`. */
  readonly U: boolean;
}

const NO_FLAGS: Flags = { i: false, m: false, s: false, U: false };

export function parsePattern(pattern: string, ignoreCase: boolean): Node {
  return new PatternReader(pattern, false).read({ ...NO_FLAGS, i: ignoreCase });
}

interface CapturingPattern {
  readonly node: Node;
  /** For each group, from the first; undefined: it has no name. */
  readonly names: readonly (string | undefined)[];
}

/** The same with capturing groups. */
export function parseCaptures(pattern: string, ignoreCase: boolean): CapturingPattern {
  const reader = new PatternReader(pattern, true);
  const node = reader.read({ ...NO_FLAGS, i: ignoreCase });
  return { node, names: reader.names };
}

const FLAGS = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/;
const COUNTS = /^\{(\d+)(?:(,)(\d*))?\}/;
const POSIX_CLASS = /^\[:(\^?)(\w+):\]/;
const CONTROL: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

class PatternReader {
  readonly names: (string | undefined)[] = [];
  private readonly text: string;
  private readonly captures: boolean;
  private at = 0;

  constructor(text: string, captures: boolean) {
    this.text = text;
    this.captures = captures;
  }

  read(flags: Flags): Node {
    const node = this.alternatives(flags);
    if (this.at < this.text.length) throw new RangeError('a pattern that was not checked');
    return node;
  }

  /** Flags that a group sets in its middle hold to its end, across `|`. */
  private alternatives(given: Flags): Node {
    let flags = given;
    const items: Node[] = [];
    let sequence: Node[] = [];
    const { text } = this;
    for (;;) {
      const sign = text[this.at];
      if (sign === undefined || sign === ')') break;
      if (sign === '|') {
        this.at += 1;
        items.push({ op: 'sequence', items: sequence });
        sequence = [];
        continue;
      }
      const set = FLAGS.exec(text.slice(this.at, this.at + 20));
      if (set !== null && set[3] === ')' && set[0] !== '(?)') {
        this.at += set[0].length;
        flags = changed(flags, set[1], set[2]);
        continue;
      }
      sequence.push(this.repeated(flags));
    }
    items.push({ op: 'sequence', items: sequence });
    return items.length === 1 ? items[0]! : { op: 'either', items };
  }

  private repeated(flags: Flags): Node {
    const item = this.atom(flags);
    const counts = COUNTS.exec(this.text.slice(this.at, this.at + 40));
    let least: number;
    let most: number;
    if (counts !== null) {
      this.at += counts[0].length;
      least = Number(counts[1]);
      most = counts[2] === undefined ? least : counts[3] === '' ? Infinity : Number(counts[3]);
    } else {
      const sign = this.text[this.at];
      if (sign !== '*' && sign !== '+' && sign !== '?') return item;
      this.at += 1;
      least = sign === '+' ? 1 : 0;
      most = sign === '?' ? 1 : Infinity;
    }
    const isOther = this.text[this.at] === '?';
    if (isOther) this.at += 1;
    return { op: 'repeat', item, least, most, lazy: isOther !== flags.U };
  }

  private atom(flags: Flags): Node {
    const { text } = this;
    const sign = text[this.at]!;
    switch (sign) {
      case '(':
        return this.group(flags);
      case '[':
        return { op: 'set', set: this.charClass(flags) };
      case '.':
        this.at += 1;
        return { op: 'set', set: flags.s ? ANY : NOT_NEWLINE };
      case '^':
        this.at += 1;
        return { op: 'assert', assertion: flags.m ? 'line-start' : 'text-start' };
      case '$':
        this.at += 1;
        return { op: 'assert', assertion: flags.m ? 'line-end' : 'text-end' };
      case '\\': {
        const assertions = {
          A: 'text-start',
          z: 'text-end',
          b: 'word-edge',
          B: 'no-word-edge',
        } as const;
        const next = text[this.at + 1];
        if (next === 'A' || next === 'z' || next === 'b' || next === 'B') {
          this.at += 2;
          return { op: 'assert', assertion: assertions[next] };
        }
        const found = this.escape(flags);
        return { op: 'set', set: typeof found === 'number' ? one(found, flags) : found };
      }
      default: {
        const code = text.codePointAt(this.at)!;
        this.at += code > 0xffff ? 2 : 1;
        return { op: 'set', set: one(code, flags) };
      }
    }
  }

  private group(flags: Flags): Node {
    const rest = this.text.slice(this.at, this.at + 2200);
    const named = /^\(\?P?<(\w+)>/.exec(rest);
    const set = FLAGS.exec(rest);
    let inner = flags;
    const isPlain = named === null && set === null;
    const group = named !== null || isPlain ? this.names.push(named?.[1]) : 0;
    if (named !== null) this.at += named[0].length;
    else if (set !== null) {
      this.at += set[0].length;
      inner = changed(flags, set[1], set[2]);
    } else this.at += 1;
    const node = this.alternatives(inner);
    this.at += 1;
    return this.captures && group > 0 ? { op: 'capture', item: node, group } : node;
  }

  /** The code point of an escape, or its set of characters, folded. */
  private escape(flags: Flags): number | CodeSet {
    const { text } = this;
    const c = text[this.at + 1]!;
    const perl = PERL[c.toLowerCase()];
    if (perl !== undefined) {
      this.at += 2;
      const set = flags.i ? folded(perl) : perl;
      return c === c.toLowerCase() ? set : negated(set);
    }
    if (c === 'p' || c === 'P') {
      const found = /^\\[pP](?:\{(\^?)(\w+)\}|([A-Z]))/.exec(text.slice(this.at, this.at + 40))!;
      this.at += found[0].length;
      const classSet = unicodeClass(found[2] ?? found[3]!);
      const set = flags.i ? folded(classSet) : classSet;
      return (c === 'P') !== (found[1] === '^') ? negated(set) : set;
    }
    const hex = /^\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(
      text.slice(this.at, this.at + 12),
    );
    if (hex !== null) {
      this.at += hex[0].length;
      return Number.parseInt(hex[1] ?? hex[2]!, 16);
    }
    const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(text.slice(this.at, this.at + 4));
    if (octal !== null) {
      this.at += octal[0].length;
      return Number.parseInt(octal[1]!, 8);
    }
    this.at += 2;
    return CONTROL[c] ?? c.charCodeAt(0);
  }

  private charClass(flags: Flags): CodeSet {
    const { text } = this;
    this.at += 1;
    const negate = text[this.at] === '^';
    if (negate) this.at += 1;
    const ranges: number[] = [];
    for (let first = true; first || text[this.at] !== ']'; first = false) {
      const posix = POSIX_CLASS.exec(text.slice(this.at, this.at + 16));
      const known = posix === null ? undefined : POSIX[posix[2]!];
      if (posix !== null && known !== undefined) {
        this.at += posix[0].length;
        const set = flags.i ? folded(known) : known;
        ranges.push(...(posix[1] === '^' ? negated(set) : set));
        continue;
      }
      const low = this.classChar(flags);
      if (typeof low !== 'number') {
        ranges.push(...low);
        continue;
      }
      let high: number | CodeSet = low;
      if (text[this.at] === '-' && text[this.at + 1] !== ']') {
        this.at += 1;
        high = this.classChar(flags);
      }
      const range = [low, typeof high === 'number' ? high : low];
      ranges.push(...(flags.i ? folded(range) : range));
    }
    this.at += 1;
    const set = normal(ranges);
    return negate ? negated(set) : set;
  }

  private classChar(flags: Flags): number | CodeSet {
    if (this.text[this.at] === '\\') return this.escape(flags);
    const code = this.text.codePointAt(this.at)!;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }
}

function one(code: number, flags: Flags): CodeSet {
  return flags.i ? folded([code, code]) : [code, code];
}

function changed(flags: Flags, on = '', off = ''): Flags {
  const value = (name: keyof Flags) => (flags[name] || on.includes(name)) && !off.includes(name);
  return { i: value('i'), m: value('m'), s: value('s'), U: value('U') };
}
