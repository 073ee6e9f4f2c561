/**
 * Builds the text index of a segment from its rows as they arrive.
 *
 * Each searched text is split into tokens once. Tokens with a digit or with non-ASCII characters are open, the rest
 * of the text is its shape. A row is stored as its shapes, each followed by its open tokens; shapes without open
 * tokens, of columns other than the message, are stored by column (value-columns.ts). Everything else is done once
 * all rows are known (see write-text-index.ts).
 *
 * Held in memory: 4 bytes for each open token and shape of a row, 2 for each row of some columns of values, and
 * every distinct token once.
 */
import { SEARCHED_TEXTS } from '../../../contract/event.ts';
import { smallDictionary, nextPresent, putKnown } from '../../small-dictionary.ts';
import type { IndexRows, TextRows } from '../../rows.ts';
import { FORM_ITEM, IMPLIED_COLUMNS, MESSAGE, OVERFLOW, SHAPE_ITEM } from '../format/items.ts';
import { type FinishedText, finishText } from './write-text-index.ts';
import { MessageForms } from './message-forms.ts';
import { overflowValues } from './overflow.ts';
import { NO_SHAPE, NOTHING_OPEN, ShapeTable } from './shape-table.ts';
import { isAttributeColumn } from '../../../util/attribute-columns.ts';
import { HASH_SEED, hashByte, hashWord, scramble } from '../../../util/hash-table/hash.ts';
import { BYTE_CLASS, DIGIT, LETTER, MAX_TOKEN_BYTES } from '../../../util/tokens.ts';
import { FIRST_LONG, FIRST_STRING, TokenTable, hashToken, numberValue } from './token-table.ts';
import { AS_TEXT, ValueColumn } from './value-columns.ts';

/** Columns that have their own bit in masks; their numbers. */
const FIELD_COLUMNS = ['message', 'host', 'program', 'event_type'] as const;
const SEARCHED: ReadonlySet<string> = new Set(SEARCHED_TEXTS);
/** Open tokens of one text; one that has more is free. */
const MOST_OPEN = 256;
/** Longer values of columns other than the message are split into tokens immediately. */
const MAX_VALUE_BYTES = 128;
/** Bytes of a text by which its shape is guessed. */
const BEGINNING = 16;
/** Number of beginnings that are distinguished, and of shapes that are remembered for each. */
const GUESSES = 4096;
const WAYS = 4;
/** Stands for an open token in the hash of a shape: no byte. */
const OPEN = 256;
/** Columns with a number of their own; the rest share the last one. */
const MOST_COLUMNS = 400;
/** Columns whose values are stored by row: two bytes for each row, even if few have a value. */
const MOST_BY_ROW = 64;

/** A column that is added row by row. */
interface OwnText {
  readonly column: number;
  readonly text: TextRows;
  /** Where values of it are kept by column. */
  readonly byRow: ValueColumn | undefined;
}

export class TextIndexBuilder {
  private readonly tokens = new TokenTable();
  private readonly shapes = new ShapeTable();
  private readonly forms = new MessageForms(this.tokens);
  private readonly columns: string[] = [...FIELD_COLUMNS];
  private items = new Uint32Array(1 << 14);
  private used = 0;
  private rowStarts = new Uint32Array(1 << 14);
  private rows = 0;
  /** See CollectedText. */
  private implied = new Int32Array(64 * IMPLIED_COLUMNS);
  private pairs: Uint32Array<ArrayBuffer> = new Uint32Array(64 * IMPLIED_COLUMNS);
  /** The row, and the shape of its message; NO_SHAPE before it is known. */
  private row = 0;
  private message = NO_SHAPE;
  /** See CollectedText.values. */
  private readonly byColumn: (ValueColumn | undefined)[] = [];

  /** Shapes plus 1 by beginning, the latest first. */
  private readonly guesses = new Int32Array(GUESSES * WAYS);
  /** Shapes of values plus 1, by column, length and end. */
  private readonly values = new Int32Array(GUESSES);
  private readonly open = {
    count: 0,
    starts: new Int32Array(MOST_OPEN),
    ends: new Int32Array(MOST_OPEN),
  };
  private readonly openHashes = new Int32Array(MOST_OPEN);
  /** Identifiers of open tokens; see `unnumbered` for those that are not known yet. */
  private readonly openTokens = new Int32Array(MOST_OPEN);

  add(rows: IndexRows): void {
    const columns: { column: number; text: TextRows }[] = [];
    let overflow: TextRows | undefined;
    for (const [name, text] of rows.texts) {
      if (name === OVERFLOW) overflow = text;
      else {
        const column = this.columnOf(name);
        if (column !== undefined) columns.push({ column, text });
      }
    }
    columns.sort((a, b) => a.column - b.column);
    while (this.rows + rows.length + 1 > this.rowStarts.length) {
      this.rowStarts = doubled(this.rowStarts);
    }
    const { cut } = rows;
    const hasMessages = cut !== undefined || columns[0]?.column === MESSAGE;
    this.shapes.expect(this.rows + rows.length, hasMessages);
    const values: { column: number; byRow: ValueColumn }[] = [];
    const texts: OwnText[] = [];
    for (const { column, text } of columns) {
      const byRow = this.valuesOf(column);
      if (byRow !== undefined) values.push({ column, byRow });
      if (byRow === undefined || this.addValues(column, byRow, text, rows.length))
        texts.push({ column, text, byRow });
    }
    if (cut !== undefined) this.forms.begin(cut);
    if (hasMessages || texts.length > 0 || overflow !== undefined) {
      // Messages that few rows have, as of packets, cost those few.
      const [only] = texts;
      const isAlone = texts.length === 1 && cut === undefined && overflow === undefined;
      const sparse = isAlone && only!.byRow === undefined && only!.text.same !== true;
      const { length } = rows;
      for (let row = 0; row < length; row++) {
        if (sparse && only!.text.present[row] === 0) {
          const next = only!.text.present.indexOf(1, row);
          const to = next < 0 ? length : Math.min(next, length);
          this.rowStarts.fill(this.used, this.rows + row, this.rows + to);
          row = to - 1;
          continue;
        }
        const at = this.rows + row;
        this.row = at;
        this.rowStarts[at] = this.used;
        this.message = NO_SHAPE;
        this.addRow(row, rows, texts, overflow);
        if (this.message !== NO_SHAPE) this.noteValues(values);
      }
    } else this.rowStarts.fill(this.used, this.rows, this.rows + rows.length);
    this.rows += rows.length;
    this.rowStarts[this.rows] = this.used;
  }

  /** The parts of row `row` of `rows` (`this.row` of all) that are not stored by column. */
  private addRow(
    row: number,
    { cut }: IndexRows,
    texts: readonly OwnText[],
    overflow: TextRows | undefined,
  ): void {
    if (cut !== undefined && cut.shapeOf[row] !== 0) this.cutMessage(cut.shapeOf[row]! - 1, row);
    for (let c = 0; c < texts.length; c++) {
      const { column, text, byRow } = texts[c]!;
      if (byRow === undefined ? text.present[row] === 0 : byRow.codeAt(this.row) !== AS_TEXT)
        continue;
      const { data } = text;
      const start = text.starts[text.same === true ? 0 : row]!;
      const length = lengthAt(data, start);
      if (column === MESSAGE) this.text(column, data, start + 4, start + 4 + length);
      else if (byRow === undefined) this.value(column, data, start + 4, start + 4 + length);
      else this.textOfValue(column, byRow, data, start + 4, start + 4 + length);
    }
    if (overflow !== undefined && (overflow.same === true || overflow.present[row] === 1)) {
      const column = this.columnOf(OVERFLOW)!;
      for (const value of overflowValues(overflow, overflow.same === true ? 0 : row))
        this.value(column, value, 0, value.length);
    }
  }

  /** @param order as of `IndexBuilder.finish` */
  finish(order: Uint32Array | undefined): FinishedText {
    const { tokens, shapes, columns, rows, items, rowStarts, implied, pairs } = this;
    const { forms } = this.forms;
    const values = this.byColumn;
    for (const column of values) column?.fill(0, rows - column.length);
    const text = { tokens, shapes, forms, columns, rows, items, rowStarts, implied, pairs, values };
    const finished = finishText(text, order);
    // Room for the indexes of columns, which are finished next.
    this.items = new Uint32Array(0);
    this.rowStarts = new Uint32Array(0);
    return finished;
  }

  /** The number of a searched column; undefined for others. */
  private columnOf(name: string): number | undefined {
    const known = this.columns.indexOf(name);
    if (known >= 0) return known;
    if (!isAttributeColumn(name) && name !== OVERFLOW && !SEARCHED.has(name)) return undefined;
    if (this.columns.length >= MOST_COLUMNS) return this.columns.length - 1;
    return this.columns.push(name) - 1;
  }

  /**
   * The column's values by row; undefined for the message, where a row may have several, and for columns beyond the
   * first ones.
   */
  private valuesOf(column: number): ValueColumn | undefined {
    if (column === MESSAGE || column >= MOST_BY_ROW) return undefined;
    if (this.columns[column] === OVERFLOW) return undefined;
    const byRow = (this.byColumn[column] ??= new ValueColumn(this.rows));
    byRow.fill(0, this.rows - byRow.length);
    return byRow;
  }

  /** Adds the values of a column's `n` rows; returns whether some of them are not whole shapes. */
  private addValues(column: number, byRow: ValueColumn, text: TextRows, n: number): boolean {
    if (text.same === true) {
      const { data, starts } = text;
      const start = starts[0]! + 4;
      const shape = this.wholeShape(column, data, start, start + lengthAt(data, starts[0]!));
      byRow.fill(shape === NO_SHAPE ? AS_TEXT : shape + 1, n);
      if (shape !== NO_SHAPE) this.shapes.rows[shape]! += n;
      return shape === NO_SHAPE;
    }
    return text.sharesTexts === true
      ? this.addFewValues(column, byRow, text, n)
      : this.addEachValue(column, byRow, text, n);
  }

  private addFewValues(column: number, byRow: ValueColumn, text: TextRows, n: number): boolean {
    const { data } = text;
    const { rows } = this.shapes;
    const first = byRow.length;
    const codes = byRow.extend(n);
    const { places, counts } = smallDictionary(text, n);
    const known = new Uint16Array(data.length);
    let texts = false;
    for (const start of places) {
      const shape = this.wholeShape(column, data, start + 4, start + 4 + lengthAt(data, start));
      known[start] = shape === NO_SHAPE ? AS_TEXT : shape + 1;
      if (shape === NO_SHAPE) texts = true;
      else rows[shape]! += counts[start]!;
    }
    putKnown(text, known, codes.subarray(first, first + n));
    return texts;
  }

  private addEachValue(column: number, byRow: ValueColumn, text: TextRows, n: number): boolean {
    const { data, starts, present } = text;
    const { rows } = this.shapes;
    const first = byRow.length;
    const codes = byRow.extend(n);
    let texts = false;
    for (let row = nextPresent(present, 0, n); row < n; row = nextPresent(present, row + 1, n)) {
      const start = starts[row]!;
      const shape = this.wholeShape(column, data, start + 4, start + 4 + lengthAt(data, start));
      if (shape === NO_SHAPE) {
        codes[first + row] = AS_TEXT;
        texts = true;
      } else {
        codes[first + row] = shape + 1;
        rows[shape]! += 1;
      }
    }
    return texts;
  }

  /** The row's value in a column if it is not a whole shape, or could not be one when it was looked up. */
  private textOfValue(
    column: number,
    byRow: ValueColumn,
    data: Uint8Array,
    start: number,
    end: number,
  ): void {
    const codes = byRow.extend(0);
    codes[this.row] = 0;
    this.text(column, data, start, end);
  }

  /** Records which of the row's values that are stored by column occurred with the message's shape. */
  private noteValues(columns: readonly { column: number; byRow: ValueColumn }[]): void {
    for (let i = 0; i < columns.length; i++) {
      const { column, byRow } = columns[i]!;
      const code = byRow.codeAt(this.row);
      if (code !== 0) this.noteImplied(code - 1, column);
    }
  }

  /** The row's message, which was cut. */
  private cutMessage(cutShape: number, row: number): void {
    const { forms } = this;
    const number = forms.numberOf(cutShape);
    const at = this.used;
    if (number >= 0) {
      const form = forms.forms[number]!;
      const count = form.widths.length;
      while (at + count >= this.items.length) this.items = doubled(this.items);
      const { items } = this;
      if (forms.take(form, row, items, at + 1)) {
        items[at] = (number | FORM_ITEM | SHAPE_ITEM) >>> 0;
        const { counts } = this.tokens;
        for (let i = at + 1; i <= at + count; i++) counts[items[i]!]! += 1;
        if (!form.settled) forms.note(form, this.shapes, items, at + 1);
        form.rows += 1;
        this.shapes.rows[form.shape]! += 1;
        this.message = form.shape;
        this.used = at + count + 1;
        return;
      }
    }
    const text = forms.join(cutShape, row);
    this.text(MESSAGE, text, 0, text.length);
    if (number < 0 && !this.shapes.isFree(this.message))
      forms.learn(cutShape, this.message, this.items.subarray(at + 1, this.used));
  }

  /** A value of a column whose values are not stored by row. */
  private value(column: number, data: Uint8Array, start: number, end: number): void {
    const shape = this.wholeShape(column, data, start, end);
    if (shape === NO_SHAPE) this.text(column, data, start, end);
    else this.shapeItem(shape, column);
  }

  /** A short value is a shape as a whole, as long as there are few. */
  private wholeShape(column: number, data: Uint8Array, start: number, end: number): number {
    const { shapes, values } = this;
    const length = end - start;
    if (length > MAX_VALUE_BYTES) return NO_SHAPE;
    // Most values occurred before: recent values with the same end are compared before anything is computed.
    const last = length > 1 ? data[end - 1]! + data[end - 2]! * 16 : (data[start] ?? 0);
    const place = (column * 67 + length * 37 + last) & (GUESSES - 1);
    const guess = values[place]! - 1;
    if (guess >= 0 && shapes.columns[guess] === column) {
      if (shapes.same(guess, data, start, end, NOTHING_OPEN)) return guess;
    }
    const hash = hashToken(data, start, end);
    const shape = shapes.find(column, data, start, end, NOTHING_OPEN, hash);
    if (shape !== NO_SHAPE) values[place] = shape + 1;
    return shape;
  }

  /**
   * Most texts resemble an earlier one: recent shapes of texts with this beginning are tried first, which needs no
   * look at the tokens that are not open.
   */
  private text(column: number, data: Uint8Array, start: number, end: number): void {
    const { guesses, shapes } = this;
    let key = column;
    const to = Math.min(end, start + BEGINNING);
    for (let i = start; i < to; i++) {
      const byte = data[i]!;
      if (byte < 0x30 || byte > 0x39) key = hashByte(key, byte);
    }
    const first = (scramble(key) & (GUESSES - 1)) * WAYS;
    for (let way = first; way < first + WAYS; way++) {
      const guess = guesses[way]! - 1;
      if (guess < 0) break;
      if (shapes.columns[guess] === column && this.fits(guess, data, start, end)) {
        this.shaped(guess, column, data);
        return;
      }
    }
    const shape = this.newText(column, data, start, end);
    if (shape === NO_SHAPE) return;
    for (let way = first + WAYS - 1; way > first; way--) guesses[way] = guesses[way - 1]!;
    guesses[first] = shape + 1;
  }

  /** Whether a text has a shape; its open tokens are known then. */
  private fits(shape: number, data: Uint8Array, start: number, end: number): boolean {
    const { open, openHashes, openTokens, shapes, tokens } = this;
    const { starts, ends } = open;
    const { bytes, runs, tokens: tokenAt } = shapes;
    const count = shapes.opens[shape]!;
    let run = shapes.runStarts[shape]!;
    let at = shapes.starts[shape]!;
    let i = start;
    for (let n = 0; ; n++) {
      const literal = i + runs[run++]!;
      if (literal > end) return false;
      while (i < literal) if (data[i++] !== bytes[at++]) return false;
      if (n === count) {
        open.count = count;
        return i === end;
      }
      const known = tokenAt[run - 1]! - 1;
      if (known >= FIRST_STRING) {
        // The token is the same in all rows so far, so probably in this one.
        const after = tokens.follows(known, data, i, end);
        if (after >= 0) {
          openTokens[n] = known;
          i = after;
          continue;
        }
      }
      const from = i;
      let digit = i < end ? data[i]! - 0x30 : -1;
      if (digit > 0 && digit <= 9) {
        let value = 0;
        do {
          value = value * 10 + digit;
          i += 1;
          digit = i < end ? data[i]! - 0x30 : -1;
        } while (digit >= 0 && digit <= 9 && value < FIRST_LONG);
        if (value < FIRST_LONG && (i === end || BYTE_CLASS[data[i]!] === 0)) {
          openTokens[n] = value < FIRST_STRING ? value : ofValue(value);
          continue;
        }
        i = from;
      }
      let kinds = 0;
      let hash = HASH_SEED;
      for (; i < end; i++) {
        const byte = data[i]!;
        const kind = BYTE_CLASS[byte]!;
        if (kind === 0) break;
        kinds |= kind;
        hash = hashByte(hash, byte);
      }
      if (kinds <= LETTER && i - from <= MAX_TOKEN_BYTES) return false;
      starts[n] = from;
      ends[n] = i;
      openHashes[n] = hash;
      openTokens[n] = unnumbered(data, from, i, kinds);
    }
  }

  /** Cuts a text into tokens; returns its shape. */
  private newText(column: number, data: Uint8Array, start: number, end: number): number {
    const { open, openHashes, openTokens } = this;
    const { starts, ends } = open;
    let n = 0;
    let shapeHash = HASH_SEED;
    let i = start;
    while (i < end) {
      let byte = data[i]!;
      let kind = BYTE_CLASS[byte]!;
      if (kind === 0) {
        shapeHash = hashByte(shapeHash, byte);
        i += 1;
        continue;
      }
      const from = i;
      let kinds = 0;
      let hash = HASH_SEED;
      do {
        kinds |= kind;
        hash = hashByte(hash, byte);
        i += 1;
        if (i === end) break;
        byte = data[i]!;
        kind = BYTE_CLASS[byte]!;
      } while (kind !== 0);
      if (kinds === LETTER && i - from <= MAX_TOKEN_BYTES) {
        shapeHash = hashWord(shapeHash, hash);
        continue;
      }
      if (n === MOST_OPEN) {
        this.freeText(column, data, start, end);
        return NO_SHAPE;
      }
      starts[n] = from;
      ends[n] = i;
      openHashes[n] = hash;
      openTokens[n] = unnumbered(data, from, i, kinds);
      n += 1;
      shapeHash = hashByte(shapeHash, OPEN);
    }
    open.count = n;
    const shape = this.shapes.find(column, data, start, end, open, shapeHash);
    if (shape === NO_SHAPE) this.freeText(column, data, start, end);
    else this.shaped(shape, column, data);
    return shape;
  }

  /** Keeps a text of a shape with the open tokens at hand. */
  private shaped(shape: number, column: number, data: Uint8Array): void {
    const { tokens, shapes, open, openHashes, openTokens } = this;
    const { count, starts, ends } = open;
    while (this.used + count >= this.items.length) this.items = doubled(this.items);
    this.shapeItem(shape, column);
    const { items } = this;
    const { tokens: tokenAt } = shapes;
    const place = shapes.runStarts[shape]!;
    let { used } = this;
    for (let k = 0; k < count; k++) {
      let token = openTokens[k]!;
      if (token === BY_BYTES) token = tokens.string(data, starts[k]!, ends[k]!, openHashes[k]!);
      else if (token < 0) token = tokens.number(ofValue(token));
      items[used++] = token;
      tokens.counts[token]! += 1;
      const known = tokenAt[place + k]!;
      if (known !== token + 1 && known !== -1) tokenAt[place + k] = known === 0 ? token + 1 : -1;
    }
    this.used = used;
  }

  /** A text has this shape: the row's next item, or its value in the column. */
  private shapeItem(shape: number, column: number): void {
    const { shapes } = this;
    shapes.rows[shape]! += 1;
    const isValue = column !== MESSAGE && shapes.opens[shape] === 0 && !shapes.isFree(shape);
    const byRow = isValue ? this.byColumn[column] : undefined;
    if (byRow !== undefined) {
      // It is recorded with the row's others.
      byRow.codes[this.row] = shape + 1;
      return;
    }
    this.item((shape | SHAPE_ITEM) >>> 0);
    if (column === MESSAGE) this.message = shape;
    else this.noteImplied(shape, column);
  }

  /** Records that the row has this shape in a column other than the message. */
  private noteImplied(shape: number, column: number): void {
    if (this.message === NO_SHAPE || column >= IMPLIED_COLUMNS) return;
    const pair = this.message * IMPLIED_COLUMNS + column;
    while (pair >= this.pairs.length) {
      const pairs = new Uint32Array(this.pairs.length * 2);
      pairs.set(this.pairs);
      this.pairs = pairs;
      const implied = new Int32Array(pairs.length);
      implied.set(this.implied);
      this.implied = implied;
    }
    this.pairs[pair]! += 1;
    const known = this.implied[pair]!;
    if (known !== shape + 1 && known !== -1) this.implied[pair] = known === 0 ? shape + 1 : -1;
  }

  private token(token: number): void {
    this.item(token);
    this.tokens.counts[token]! += 1;
  }

  /** A text without a shape: all its tokens are open. */
  private freeText(column: number, data: Uint8Array, start: number, end: number): void {
    this.shapeItem(this.shapes.freeOf(column), column);
    let i = start;
    while (i < end) {
      if (BYTE_CLASS[data[i]!] === 0) {
        i += 1;
        continue;
      }
      const from = i;
      let kinds = 0;
      let hash = HASH_SEED;
      for (; i < end; i++) {
        const byte = data[i]!;
        const kind = BYTE_CLASS[byte]!;
        if (kind === 0) break;
        kinds |= kind;
        hash = hashByte(hash, byte);
      }
      this.token(this.tokens.ofHashed(data, from, i, hash, kinds));
    }
  }

  private item(item: number): void {
    if (this.used === this.items.length) this.items = doubled(this.items);
    this.items[this.used++] = item;
  }
}

/** An open token that must be looked up by its bytes; other unknown ones are `ofValue` of their number. */
const BY_BYTES = -1;

/** The placeholder for a number whose identifier is not known yet, and the number of a placeholder. */
function ofValue(value: number): number {
  return -2 - value;
}

/** State of an open token before it is looked up. */
function unnumbered(data: Uint8Array, start: number, end: number, kinds: number): number {
  const value = kinds === DIGIT ? numberValue(data, start, end) : -1;
  if (value < 0) return BY_BYTES;
  return value < FIRST_STRING ? value : ofValue(value);
}

function lengthAt(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const bigger = new Uint32Array(array.length * 2);
  bigger.set(array);
  return bigger;
}
