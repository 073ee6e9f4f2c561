/**
 * Zeek's sets and vectors as its own JSON writes them: `a,b` as `["a","b"]`, `60.0,300.0` as `[60.0,300.0]`.
 * https://docs.zeek.org/en/master/log-formats.html, `#set_separator` and `#types`
 *
 * Invariant: a separator within a value, which Zeek writes as `\x2c`, becomes part of the value again.
 */
const BACKSLASH = 92;
const COMMA = 44;
const DASH = 45;
const DOT = 46;
const OPEN = 91;
const CLOSE = 93;
const QUOTE = 34;
const X = 120;
/** One byte becomes `\u0000` at most; of the brackets and quotes there are fewer. */
const MOST_BYTES = 6;
const HEX = '0123456789abcdef';
const NULL = new TextEncoder().encode('null');

/** What a column's type in a Zeek log says about lists; undefined: it is not one. */
export function listType(type: string): 'numbers' | 'texts' | undefined {
  const element = /^(?:set|vector|table|list)\[(.+)\]$/.exec(type)?.[1];
  if (element === undefined) return undefined;
  return /^(?:count|int|double|interval|time|port)$/.test(element) ? 'numbers' : 'texts';
}

export class ZeekLists {
  /** The text that `write` has made: this many bytes. */
  out = new Uint8Array(1024);
  size = 0;
  private readonly separator: number;
  private readonly unset: Uint8Array;
  private readonly empty: Uint8Array;

  /** @param marks Zeek's texts for a missing and for an empty value */
  constructor(separator: number, marks: { readonly unset: string; readonly empty: string }) {
    this.separator = separator;
    this.unset = new TextEncoder().encode(marks.unset);
    this.empty = new TextEncoder().encode(marks.empty);
  }

  /** Makes an array of `bytes[start, end)`, of numbers if they are. */
  write(bytes: Uint8Array, start: number, end: number, numbers: boolean): void {
    const most = (end - start + 2) * MOST_BYTES;
    if (this.out.length < most) this.out = new Uint8Array(most * 2);
    this.size = 0;
    this.put(OPEN);
    let from = start;
    for (let at = start; at <= end; at++) {
      if (at < end && bytes[at] !== this.separator) continue;
      if (from > start) this.put(COMMA);
      this.value(bytes, from, at, numbers);
      from = at + 1;
    }
    this.put(CLOSE);
  }

  private value(bytes: Uint8Array, start: number, end: number, numbers: boolean): void {
    if (isMark(bytes, start, end, this.unset)) {
      for (const byte of NULL) this.put(byte);
      return;
    }
    if (numbers && isNumber(bytes, start, end)) {
      for (let at = start; at < end; at++) this.put(bytes[at]!);
      return;
    }
    this.put(QUOTE);
    const last = isMark(bytes, start, end, this.empty) ? start : end;
    for (let at = start; at < last; at++) {
      const byte = bytes[at]!;
      if (
        byte === BACKSLASH &&
        at + 3 < last &&
        bytes[at + 1] === X &&
        this.isSeparator(bytes, at)
      ) {
        this.character(this.separator);
        at += 3;
      } else {
        this.character(byte);
      }
    }
    this.put(QUOTE);
  }

  private character(byte: number): void {
    if (byte === QUOTE || byte === BACKSLASH) {
      this.put(BACKSLASH);
      this.put(byte);
    } else if (byte < 32) {
      for (const digit of ['\\', 'u', '0', '0', HEX[byte >> 4]!, HEX[byte & 15]!])
        this.put(digit.charCodeAt(0));
    } else {
      this.put(byte);
    }
  }

  private put(byte: number): void {
    this.out[this.size++] = byte;
  }

  /** Whether the escape at `at` is the separator's. */
  private isSeparator(bytes: Uint8Array, at: number): boolean {
    return hexValue(bytes[at + 2]!) * 16 + hexValue(bytes[at + 3]!) === this.separator;
  }
}

/** Whether a cell is this mark, such as `-` for an unset value. */
export function isMark(bytes: Uint8Array, start: number, end: number, mark: Uint8Array): boolean {
  if (end - start !== mark.length) return false;
  for (let i = 0; i < mark.length; i++) if (bytes[start + i] !== mark[i]) return false;
  return true;
}

function hexValue(byte: number): number {
  const at = HEX.indexOf(String.fromCharCode(byte | 32));
  return at < 0 ? Number.NaN : at;
}

/** Whether the text is a number as JSON writes it, without an exponent. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = bytes[start] === DASH ? start + 1 : start;
  const first = at;
  while (at < end && isDigit(bytes[at]!)) at += 1;
  const digits = at - first;
  if (digits === 0 || (digits > 1 && bytes[first] === 48)) return false;
  if (at === end) return true;
  if (bytes[at] !== DOT || at + 1 === end) return false;
  for (at += 1; at < end; at++) if (!isDigit(bytes[at]!)) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}
