/**
 * Checks which patterns RE2 accepts: what it does not support (lookaround, backreferences) is refused with the
 * reason, and so is a pattern whose program would be too large. https://github.com/google/re2/wiki/Syntax
 */
interface PatternProblem {
  readonly message: string;
  /** Position in the pattern, from 0. */
  readonly position: number;
  readonly hint: string | undefined;
}

const MAX_GROUPS_DEEP = 100;
const MAX_REPEAT = 1000;
/** In rough units of RE2 instructions, far below RE2's own limit. */
const MAX_COST = 50_000;
const CATEGORIES =
  /^(?:C|Cc|Cf|Co|Cs|L|Ll|Lm|Lo|Lt|Lu|M|Mc|Me|Mn|N|Nd|Nl|No|P|Pc|Pd|Pe|Pf|Pi|Po|Ps|S|Sc|Sk|Sm|So|Z|Zl|Zp|Zs|Any)$/;
const SCRIPTS =
  /^(?:Arabic|Armenian|Bengali|Cyrillic|Devanagari|Ethiopic|Georgian|Greek|Gujarati|Gurmukhi|Han|Hangul|Hebrew|Hiragana|Kannada|Katakana|Khmer|Lao|Latin|Malayalam|Mongolian|Myanmar|Sinhala|Tamil|Telugu|Thai|Tibetan|Common|Inherited)$/;
const POSIX_CLASS =
  /^\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/;
const LINEAR = 'RE2 matches in linear time and leaves this out; try two conditions with AND or NOT';

/** What RE2 would not accept in `pattern`; undefined if it is valid. */
export function checkRe2(pattern: string): PatternProblem | undefined {
  try {
    new Checker(pattern).check();
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

class PatternError extends Error implements PatternProblem {
  readonly position: number;
  readonly hint: string | undefined;
  constructor(message: string, position: number, hint?: string) {
    super(message);
    this.position = position;
    this.hint = hint;
  }
}

interface Piece {
  /** Instructions, roughly. */
  readonly cost: number;
  /** The largest product of nested counted repeats. */
  readonly repeat: number;
}

class Checker {
  private readonly text: string;
  private pos = 0;
  private depth = 0;
  private readonly names = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }

  check(): void {
    const { cost } = this.alternatives();
    if (this.pos < this.text.length) throw new PatternError('found ) without (', this.pos);
    if (cost > MAX_COST) throw new PatternError('the pattern is too large', 0, 'repeat less');
  }

  private alternatives(): Piece {
    let cost = 0;
    let repeat = 1;
    for (;;) {
      const one = this.sequence();
      cost += one.cost + 1;
      repeat = Math.max(repeat, one.repeat);
      if (this.text[this.pos] !== '|') return { cost, repeat };
      this.pos += 1;
    }
  }

  private sequence(): Piece {
    let cost = 0;
    let repeat = 1;
    while (this.pos < this.text.length) {
      const c = this.text[this.pos]!;
      if (c === '|' || c === ')') break;
      const one = this.repeated();
      cost += one.cost;
      repeat = Math.max(repeat, one.repeat);
    }
    return { cost, repeat };
  }

  private repeated(): Piece {
    const { text } = this;
    const c = text[this.pos]!;
    if (c === '*' || c === '+' || c === '?') {
      throw new PatternError(
        `nothing before ${c} to repeat`,
        this.pos,
        `write \\${c} for the sign`,
      );
    }
    const counted = this.counts();
    if (counted !== undefined) {
      throw new PatternError('nothing before { to repeat', this.pos, 'write \\{ for the sign');
    }
    let piece = this.atom();
    if (piece === undefined) return { cost: 0, repeat: 1 };
    const start = this.pos;
    const sign = text[this.pos];
    const count = this.counts();
    if (count !== undefined) {
      this.pos += count.length;
      const times = Math.max(count.low, count.high ?? count.low + 1, 1);
      const nested = piece.repeat * Math.max(count.low, count.high ?? count.low, 1);
      if (nested > MAX_REPEAT || count.low > MAX_REPEAT || (count.high ?? 0) > MAX_REPEAT) {
        throw new PatternError(`more than ${MAX_REPEAT} repeats`, start);
      }
      if (count.high !== undefined && count.high < count.low) {
        throw new PatternError('a repeat whose minimum is above its maximum', start);
      }
      piece = { cost: piece.cost * times + 1, repeat: nested };
    } else if (sign === '*' || sign === '+' || sign === '?') {
      this.pos += 1;
      piece = { cost: piece.cost + 1, repeat: piece.repeat };
    } else return piece;
    if (piece.cost > MAX_COST) throw new PatternError('the pattern is too large', start);
    if (text[this.pos] === '?') this.pos += 1;
    const next = text[this.pos];
    if (next === '+' && sign !== undefined) {
      throw new PatternError('possessive quantifiers are not supported', this.pos, LINEAR);
    }
    if (next === '*' || next === '?' || this.counts() !== undefined) {
      throw new PatternError(
        'a repeat of a repeat',
        this.pos,
        'put the first in parentheses: (?:a*)*',
      );
    }
    return piece;
  }

  private counts(): { low: number; high: number | undefined; length: number } | undefined {
    if (this.text[this.pos] !== '{') return undefined;
    const found = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.text.slice(this.pos, this.pos + 40));
    if (found === null) return undefined;
    const low = Number(found[1]);
    const high = found[2] === undefined ? low : found[3] === '' ? undefined : Number(found[3]);
    return { low, high, length: found[0].length };
  }

  /** Undefined for an element that matches nothing and cannot be repeated, such as `(?i)`. */
  private atom(): Piece | undefined {
    const c = this.text[this.pos]!;
    if (c === '(') return this.group();
    if (c === '[') return { cost: this.charClass(), repeat: 1 };
    if (c === '\\') return this.escape();
    const code = this.text.codePointAt(this.pos)!;
    this.pos += code > 0xffff ? 2 : 1;
    return { cost: c === '.' ? 12 : code < 128 ? 2 : 8, repeat: 1 };
  }

  private group(): Piece | undefined {
    const { text } = this;
    const open = this.pos;
    const rest = text.slice(open, open + 80);
    if (/^\(\?(?:[=!]|<[=!])/.test(rest)) {
      throw new PatternError('lookahead and lookbehind are not supported', open, LINEAR);
    }
    if (rest.startsWith('(?>'))
      throw new PatternError('atomic groups are not supported', open, LINEAR);
    if (rest.startsWith('(?P=')) {
      throw new PatternError('backreferences are not supported', open, LINEAR);
    }
    const named = /^\(\?P<(\w+)>/.exec(rest);
    const flags = /^\(\?(?=[a-zA-Z:)-])([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
    if (named !== null) {
      if (this.names.has(named[1]!)) throw new PatternError('a second group of that name', open);
      this.names.add(named[1]!);
      this.pos += named[0].length;
    } else if (flags !== null && flags[0] !== '(?)') {
      this.pos += flags[0].length;
      if (flags[3] === ')') {
        const next = text[this.pos];
        if (next !== undefined && (/[*+?]/.test(next) || this.counts() !== undefined)) {
          throw new PatternError('nothing to repeat', this.pos);
        }
        return undefined;
      }
    } else if (rest.startsWith('(?')) {
      throw new PatternError('unknown kind of group', open, 'write (?:…) or (?i)');
    } else this.pos += 1;
    this.depth += 1;
    if (this.depth > MAX_GROUPS_DEEP) throw new PatternError('groups nested too deeply', open);
    const inner = this.alternatives();
    this.depth -= 1;
    if (text[this.pos] !== ')') throw new PatternError('unclosed (', open);
    this.pos += 1;
    return { cost: inner.cost + 2, repeat: inner.repeat };
  }

  private escape(): Piece {
    const { text } = this;
    const at = this.pos;
    const c = text[at + 1];
    if (c === undefined) throw new PatternError('a \\ at the end', at, 'write \\\\ for the sign');
    if (/[AbBz]/.test(c)) {
      this.pos += 2;
      return { cost: 1, repeat: 1 };
    }
    if (c === 'Z' || c === 'G') {
      throw new PatternError(`\\${c} is not supported`, at, 'write \\z or $ for the end');
    }
    if (c === 'k' || /^\\[1-9](?![0-7])/.test(text.slice(at, at + 3))) {
      throw new PatternError('backreferences are not supported', at, LINEAR);
    }
    return { cost: this.charEscape(true).cost, repeat: 1 };
  }

  /** An escape for a character (its code point) or a set of characters. */
  private charEscape(classes: boolean): { cost: number; code: number | undefined } {
    const { text } = this;
    const at = this.pos;
    const c = text[at + 1];
    if (c === undefined) throw new PatternError('a \\ at the end', at, 'write \\\\ for the sign');
    if (/[dDsSwW]/.test(c)) {
      this.pos += 2;
      return { cost: 16, code: undefined };
    }
    if (c === 'p' || c === 'P') {
      const found = /^\\[pP](?:\{\^?(\w+)\}|([A-Z]))/.exec(text.slice(at, at + 40));
      const name = found?.[1] ?? found?.[2] ?? '';
      if (found === null || !(CATEGORIES.test(name) || SCRIPTS.test(name))) {
        throw new PatternError('unknown character class', at, 'write \\p{L}, \\p{Greek}, …');
      }
      this.pos += found[0].length;
      return { cost: 2000, code: undefined };
    }
    if (c === 'x') {
      const found = /^\\x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))/.exec(text.slice(at, at + 12));
      const code = Number.parseInt(found?.[1] ?? found?.[2] ?? 'zz', 16);
      if (found === null || !(code <= 0x10ffff)) {
        throw new PatternError('\\x without a number', at, 'write \\x41 or \\x{1F600}');
      }
      this.pos += found[0].length;
      return { cost: 8, code };
    }
    const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(text.slice(at, at + 4));
    if (octal !== null) {
      this.pos += octal[0].length;
      return { cost: 8, code: Number.parseInt(octal[1]!, 8) };
    }
    const plain = 'afnrtv'.indexOf(c);
    if (plain >= 0) {
      this.pos += 2;
      return { cost: 2, code: [7, 12, 10, 13, 9, 11][plain] };
    }
    const code = c.charCodeAt(0);
    if (code < 128 && !/\w/.test(c)) {
      this.pos += 2;
      return { cost: 2, code };
    }
    throw new PatternError(
      `\\${c.replace(/[^\x20-\x7e]/, '…')} is unknown${classes ? '' : ' in [ ]'}`,
      at,
      'write \\\\ for a backslash',
    );
  }

  private charClass(): number {
    const { text } = this;
    const open = this.pos;
    this.pos += 1;
    let cost = 4;
    if (text[this.pos] === '^') {
      this.pos += 1;
      cost += 12;
    }
    for (let first = true; ; first = false) {
      const c = text[this.pos];
      if (c === undefined) throw new PatternError('unclosed [', open, 'write \\[ for the sign');
      if (c === ']' && !first) {
        this.pos += 1;
        return cost;
      }
      if (c === '[' && text[this.pos + 1] === ':') {
        const found = POSIX_CLASS.exec(text.slice(this.pos, this.pos + 16));
        if (found !== null) {
          this.pos += found[0].length;
          cost += 16;
          continue;
        }
        if (text.indexOf(':]', this.pos) >= 0) {
          throw new PatternError('unknown character class', this.pos, 'write [[:alpha:]]');
        }
      }
      const low = this.classChar();
      cost += low.cost;
      if (text[this.pos] !== '-' || text[this.pos + 1] === ']' || low.code === undefined) continue;
      if (this.pos + 1 >= text.length) continue;
      const dash = this.pos;
      this.pos += 1;
      const high = this.classChar();
      if (high.code === undefined || high.code < low.code) {
        throw new PatternError(
          'a range whose start is after its end',
          dash,
          'write \\- for the sign',
        );
      }
      cost += 16;
    }
  }

  private classChar(): { cost: number; code: number | undefined } {
    if (this.text[this.pos] === '\\') return this.charEscape(false);
    const code = this.text.codePointAt(this.pos)!;
    this.pos += code > 0xffff ? 2 : 1;
    return { cost: 4, code };
  }
}
