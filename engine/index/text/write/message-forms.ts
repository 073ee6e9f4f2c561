/**
 * Indexes cut messages without their text: a form records, for a shape by which messages were cut, the shape of the
 * index that all of them have, which of its open tokens are constant, and which variables the others are made from.
 * Only tokens with a variable in them are then looked up row by row.
 *
 * Invariant: the index is the same as from the text, however messages were cut. A form is made from the text of a
 * first message; a message that may differ from its form is assembled and read as text.
 */
import type { CutMessages, CutShape } from '../../rows.ts';
import type { ShapeTable } from './shape-table.ts';
import { HASH_SEED, hashByte, hashWord } from '../../../util/hash-table/hash.ts';
import { BYTE_CLASS, DELIMITER, LETTER, MAX_TOKEN_BYTES } from '../../../util/tokens.ts';
import { FIRST_LONG, FIRST_STRING, type TokenTable } from './token-table.ts';

const WIDTH = { text: 3, pid: 4 } as const;
/** A number's digits. */
const MOST_DIGITS = 10;
/** Tokens of letters and a number that were found lately. */
const REMEMBERED = 1 << 14;

/** How messages of one shape are indexed. */
export interface MessageForm {
  /** In the index. */
  readonly shape: number;
  /** Its open tokens that have a variable, in order: index of each among all its open tokens. */
  readonly places: Int32Array;
  /** By these: the variable's width, and the number in `prefixes` of the text before it in the token. */
  readonly widths: Uint8Array;
  readonly prefixes: Int32Array;
  /** Open tokens that are the same in all messages, and their indexes. */
  readonly fixed: Int32Array;
  readonly fixedPlaces: Int32Array;
  /** Messages. */
  rows: number;
  /** Whether each place of a variable had several tokens already. */
  settled: boolean;
}

/** A token of a shape that is open. */
interface OpenToken {
  /** Width of the variable that ends it; undefined if there is none. */
  readonly width: number | undefined;
  /** The text before the variable. */
  readonly prefix: Uint8Array;
}
const NOTHING = new Uint8Array(0);

export class MessageForms {
  private readonly table: TokenTable;
  /** All forms, by number. */
  readonly forms: MessageForm[] = [];
  /** By index of the shape by which messages were cut: the number of the form; -1 if there is none yet. */
  private readonly byCut: number[] = [];
  /** The texts before the number in tokens, from 1. */
  private readonly prefixes: Uint8Array[] = [NOTHING];
  private readonly prefixNumbers = new Map([['', 0]]);
  private readonly constants: (readonly Uint8Array[])[] = [];

  private cut: CutMessages | undefined;
  /** Position of the next row's variables, by width. */
  private next0 = 0;
  private next1 = 0;
  private next2 = 0;
  private nextText = 0;
  private scratch = new Uint8Array(256);
  private readonly seen = {
    prefixes: new Int32Array(REMEMBERED),
    values: new Uint32Array(REMEMBERED),
    tokens: new Int32Array(REMEMBERED),
  };

  constructor(table: TokenTable) {
    this.table = table;
  }

  /** Starts a batch of rows. */
  begin(cut: CutMessages): void {
    this.cut = cut;
    this.next0 = 0;
    this.next1 = 0;
    this.next2 = 0;
    this.nextText = 0;
    while (this.byCut.length < cut.shapes.length) {
      const { constants } = cut.shapes[this.byCut.length]!;
      this.constants.push(constants.map((text) => Buffer.from(text)));
      this.byCut.push(-1);
    }
  }

  /** The number of the form for messages of a shape; -1 while there is none. */
  numberOf(cutShape: number): number {
    return this.byCut[cutShape]!;
  }

  /**
   * The tokens of the next row's variables, written to `items` from `to` on, which must have room. False if its
   * message differs from its form: then nothing was consumed.
   */
  take(form: MessageForm, row: number, items: Uint32Array, to: number): boolean {
    const { widths, prefixes } = form;
    const { numbers, texts, pids } = this.cut!;
    const [values0, values1, values2] = numbers;
    let { next0, next1, next2, nextText } = this;
    for (let i = 0; i < widths.length; i++) {
      const width = widths[i]!;
      let value: number;
      if (width === 0) value = values0[next0++]!;
      else if (width === 1) value = values1[next1++]!;
      else if (width === 2) value = values2[next2++]!;
      else if (width === WIDTH.pid) value = pids[row]!;
      else {
        const length = lengthAt(texts, nextText);
        const token = this.textToken(prefixes[i]!, texts, nextText + 4, nextText + 4 + length);
        if (token < 0) return false;
        items[to + i] = token;
        nextText += 4 + length;
        continue;
      }
      if (prefixes[i] !== 0) items[to + i] = this.prefixed(prefixes[i]!, value);
      else if (value < FIRST_STRING) items[to + i] = value;
      else items[to + i] = value < FIRST_LONG ? this.table.number(value) : this.prefixed(0, value);
    }
    this.next0 = next0;
    this.next1 = next1;
    this.next2 = next2;
    this.nextText = nextText;
    return true;
  }

  /** The next row's message, assembled. Lent. */
  join(cutShape: number, row: number): Uint8Array {
    const { shapes, numbers, texts, pids } = this.cut!;
    const { widths } = shapes[cutShape]!;
    const constants = this.constants[cutShape]!;
    let size = 0;
    const put = (bytes: Uint8Array): void => {
      this.room(size + bytes.length);
      this.scratch.set(bytes, size);
      size += bytes.length;
    };
    const putNumber = (value: number): void => {
      this.room(size + MOST_DIGITS);
      size = putDigits(this.scratch, size, value);
    };
    for (let i = 0; i < constants.length; i++) {
      put(constants[i]!);
      switch (widths[i]) {
        case undefined:
          break;
        case 0:
          putNumber(numbers[0][this.next0++]!);
          break;
        case 1:
          putNumber(numbers[1][this.next1++]!);
          break;
        case 2:
          putNumber(numbers[2][this.next2++]!);
          break;
        case WIDTH.pid:
          putNumber(pids[row]!);
          break;
        default: {
          const from = this.nextText + 4;
          this.nextText = from + lengthAt(texts, this.nextText);
          put(texts.subarray(from, this.nextText));
        }
      }
    }
    return this.scratch.subarray(0, size);
  }

  /**
   * Makes the form of a shape from the text of one of its messages.
   * @param shape of the index @param tokens of its open places
   */
  learn(cutShape: number, shape: number, tokens: Uint32Array): void {
    const found = openTokens(this.cut!.shapes[cutShape]!, this.constants[cutShape]!);
    if (found?.length !== tokens.length) return;
    const variable: number[] = [];
    const fixed: number[] = [];
    found.forEach(({ width }, place) => (width === undefined ? fixed : variable).push(place));
    this.byCut[cutShape] = this.forms.length;
    this.forms.push({
      shape,
      places: Int32Array.from(variable),
      widths: Uint8Array.from(variable, (place) => found[place]!.width!),
      prefixes: Int32Array.from(variable, (place) => this.prefixOf(found[place]!.prefix)),
      fixed: Int32Array.from(fixed, (place) => tokens[place]!),
      fixedPlaces: Int32Array.from(fixed),
      rows: 0,
      settled: false,
    });
  }

  /** Records which open places have had several tokens; `items` from `from` on are those of a row. */
  note(form: MessageForm, shapes: ShapeTable, items: Uint32Array, from: number): void {
    const { tokens, runStarts } = shapes;
    const first = runStarts[form.shape]!;
    let several = 0;
    for (let i = 0; i < form.places.length; i++) {
      const place = first + form.places[i]!;
      const known = tokens[place]!;
      if (known === -1) several += 1;
      else if (known !== items[from + i]! + 1)
        tokens[place] = known === 0 ? items[from + i]! + 1 : -1;
    }
    form.settled = several === form.places.length;
  }

  private prefixOf(bytes: Uint8Array): number {
    const key = Buffer.from(bytes).toString('latin1');
    let number = this.prefixNumbers.get(key);
    if (number === undefined) {
      number = this.prefixes.push(bytes) - 1;
      this.prefixNumbers.set(key, number);
    }
    return number;
  }

  /** The token of a prefix and a number. */
  private prefixed(prefix: number, value: number): number {
    const { seen } = this;
    const slot = hashWord(prefix, value) & (REMEMBERED - 1);
    if (seen.values[slot] === value && seen.prefixes[slot] === prefix + 1)
      return seen.tokens[slot]!;
    const before = this.prefixes[prefix]!;
    this.room(before.length + MOST_DIGITS);
    const { scratch } = this;
    scratch.set(before);
    const end = putDigits(scratch, before.length, value);
    const token = this.table.ofBytes(scratch, 0, end);
    seen.values[slot] = value;
    seen.prefixes[slot] = prefix + 1;
    seen.tokens[slot] = token;
    return token;
  }

  /** The token of a prefix and a text; -1 if it is not open. */
  private textToken(prefix: number, data: Uint8Array, start: number, end: number): number {
    if (prefix !== 0) {
      const before = this.prefixes[prefix]!;
      const length = before.length + end - start;
      this.room(length);
      this.scratch.set(before);
      this.scratch.set(data.subarray(start, end), before.length);
      return this.textToken(0, this.scratch, 0, length);
    }
    let kinds = 0;
    let hash = HASH_SEED;
    for (let i = start; i < end; i++) {
      const byte = data[i]!;
      kinds |= BYTE_CLASS[byte]!;
      hash = hashByte(hash, byte);
    }
    if (kinds <= LETTER && end - start <= MAX_TOKEN_BYTES) return -1;
    return this.table.ofHashed(data, start, end, hash, kinds);
  }

  private room(size: number): void {
    if (size <= this.scratch.length) return;
    const bigger = new Uint8Array(size * 2);
    bigger.set(this.scratch);
    this.scratch = bigger;
  }
}

/**
 * The tokens of a shape that are open in its messages, in order; one with a text among its variables counts as
 * open. Undefined if something other than a delimiter follows a variable.
 */
function openTokens(
  { widths }: CutShape,
  constants: readonly Uint8Array[],
): OpenToken[] | undefined {
  const out: OpenToken[] = [];
  for (let i = 0; i < constants.length; i++) {
    const bytes = constants[i]!;
    const width = widths[i];
    if (i > 0 && (bytes.length === 0 ? width !== undefined : !isDelimiter(bytes[0]!)))
      return undefined;
    // Start of the token that a variable continues.
    let begin = 0;
    for (let at = 0; at < bytes.length; begin = at) {
      if (isDelimiter(bytes[at]!)) {
        at += 1;
        continue;
      }
      begin = at;
      let kinds = 0;
      for (; at < bytes.length && !isDelimiter(bytes[at]!); at++) kinds |= BYTE_CLASS[bytes[at]!]!;
      if (at === bytes.length && width !== undefined) break;
      if (kinds !== LETTER || at - begin > MAX_TOKEN_BYTES)
        out.push({ width: undefined, prefix: NOTHING });
    }
    if (width !== undefined) out.push({ width, prefix: bytes.subarray(begin) });
  }
  return out;
}

function isDelimiter(byte: number): boolean {
  return BYTE_CLASS[byte] === DELIMITER;
}

function lengthAt(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}

/** Writes a whole number in decimal; returns its end. */
function putDigits(out: Uint8Array, at: number, value: number): number {
  let digits = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
  let rest = value;
  for (let i = at + digits - 1; i >= at; i--) {
    const tens = Math.floor(rest / 10);
    out[i] = 48 + rest - tens * 10;
    rest = tens;
  }
  return at + digits;
}
