/**
 * Writes the text index from the collected rows of a segment: closes the shapes, ranks the tokens, and inverts the
 * rows' items into lists of rows.
 *
 * Lists are filled for some entries at a time, so that memory is bounded; every pass visits the rows in the
 * segment's order, so lists are ascending as they are filled.
 */
import type { Section } from '../../side-file.ts';
import { inSteps } from '../../steps.ts';
import { BitWriter } from '../../../util/bit-codec.ts';
import { ByteWriter, withCheck } from '../format/bytes.ts';
import { type ClosedShapes, closeShapes } from './closed-shapes.ts';
import { type CollectedText, nextWithItems } from './collected.ts';
import { FORM_ITEM, IMPLIED_COLUMNS, MESSAGE, SHAPE_ITEM } from '../format/items.ts';
import { wholeColumns } from '../format/whole-texts.ts';
import { FOLD_VERSION } from '../../../util/fold.ts';
import {
  GRAMS,
  HEAD,
  LISTS,
  LITERALS,
  LITERAL_PAGE_BYTES,
  PAGED,
  PLACES,
  TEXT_VERSION,
  columnBit,
  sectionOf,
} from '../format/layout.ts';
import { packed } from '../format/packed.ts';
import { ListWriter, PageWriter, type RowSlice } from './page-writer.ts';
import { writeRows } from '../format/row-list.ts';
import { BYTE_CLASS, DELIMITER } from '../../../util/tokens.ts';
import { FIRST_STRING, type TokenTable } from './token-table.ts';
import { type ValueColumn, listValues, noteValues } from './value-columns.ts';
import { type Vocabulary, rankTokens } from './vocabulary.ts';
import { wordPlaces } from '../format/word-places.ts';

const MESSAGE_BIT = columnBit(MESSAGE);
/** Rows of lists that are held at a time. */
const FILLED = 8 << 20;
const NONE = new Uint32Array(0);
/** No row: segments have fewer. */
const NO_ROW = 0xffff_ffff;

export interface FinishedText {
  readonly sections: Section[];
  /** Columns for which the rows of each value are known: see `WholeTexts`. */
  readonly whole: ReadonlySet<string>;
}

export function finishText(text: CollectedText, order: Uint32Array | undefined): FinishedText {
  const closed = closeShapes(text);
  const inShapes = staticTokens(text.tokens, closed);
  const vocabulary = rankTokens(text.tokens, smallNumbers(text.tokens, inShapes));
  const shapesOf = groupByRank(inShapes, vocabulary);
  const lists = new RowLists(text, closed, vocabulary, inShapes.withTokens, order);

  const { rows } = text;
  const without = lists.tokenless();
  const long = new ListWriter();
  const writers = {
    numbers: new PageWriter(long, rows, closed.count),
    words: new PageWriter(long, rows, closed.count),
    shapes: new PageWriter(long, rows, closed.count),
  };
  const { numbers, words } = vocabulary;
  const implying = implyingShapes(closed);
  lists.forEach((key, list, mask) => {
    if (key < numbers.length) {
      writers.numbers.number(numbers[key]!);
      writers.numbers.entry(list, mask, shapesOf(key));
    } else if (key < vocabulary.size) {
      const word = key - numbers.length;
      const start = words.starts[word]!;
      writers.words.word(
        words.bytes.subarray(start, start + words.lengths[word]!),
        words.long[word] === 1,
      );
      writers.words.entry(list, mask, shapesOf(key));
    } else {
      writers.shapes.shape(key - vocabulary.size);
      writers.shapes.entry(list, 1, implying(key - vocabulary.size));
    }
  });

  const head = new ByteWriter();
  head.number(TEXT_VERSION);
  head.string(Buffer.from(FOLD_VERSION));
  head.number(rows);
  head.number(closed.columns.length);
  for (const { name, from, to, free } of closed.columns) {
    head.string(Buffer.from(name));
    head.number(to - from);
    head.number(free ? 1 : 0);
  }
  const tokenless = new BitWriter();
  writeRows(tokenless, without, 0, without.length, rows);
  head.number(without.length);
  head.string(tokenless.bytes());
  for (const name of PAGED) {
    const writer = writers[name];
    writer.finish();
    head.number(writer.pages);
    head.raw(writer.directory.bytes());
  }
  const literals = literalPages(closed, head);
  const places = wordPlaces(text, closed, vocabulary);
  const grams = writers.words.grams.bytes();
  const sections = [
    { name: HEAD, bytes: withCheck(head.bytes()) },
    ...PAGED.map((name) => ({ name: sectionOf(name), bytes: joined(writers[name].parts) })),
    { name: LITERALS, bytes: joined(literals) },
    { name: LISTS, bytes: joined(long.parts) },
    ...(grams === undefined ? [] : [{ name: GRAMS, bytes: grams }]),
    ...(places === undefined ? [] : [{ name: PLACES, bytes: places }]),
  ];
  return { sections, whole: wholeColumns(closed) };
}

/** Tokens in the text of shapes: pairs of token and shape as written, by shape. */
interface StaticTokens {
  readonly tokens: Uint32Array;
  readonly shapes: Uint32Array;
  /** By written shape: 1 if it has any. */
  readonly withTokens: Uint8Array;
}

function staticTokens(tokens: TokenTable, closed: ClosedShapes): StaticTokens {
  const ids: number[] = [];
  const of: number[] = [];
  const withTokens = new Uint8Array(closed.count);
  for (let number = 0; number < closed.count; number++) {
    for (const run of closed.runs(closed.shapeAt[number]!)) addTokens(tokens, run, ids);
    if (ids.length > of.length) withTokens[number] = 1;
    while (of.length < ids.length) of.push(number);
  }
  return { tokens: Uint32Array.from(ids), shapes: Uint32Array.from(of), withTokens };
}

// Hot loops (CONTRIBUTING.md).

function addTokens(tokens: TokenTable, run: Uint8Array, ids: number[]): void {
  for (let i = 0; i < run.length;) {
    if (BYTE_CLASS[run[i]!] === DELIMITER) {
      i += 1;
      continue;
    }
    const start = i;
    while (i < run.length && BYTE_CLASS[run[i]!] !== DELIMITER) i += 1;
    ids.push(tokens.ofBytes(run, start, i));
  }
}

/** 1 for each number below FIRST_STRING that occurs. */
function smallNumbers({ counts }: TokenTable, { tokens }: StaticTokens): Uint8Array {
  const small = new Uint8Array(FIRST_STRING);
  for (let number = 0; number < small.length; number++) if (counts[number] !== 0) small[number] = 1;
  for (const token of tokens) if (token < FIRST_STRING) small[token] = 1;
  return small;
}

/** The shapes whose text contains each token, by rank: ascending, without duplicates. */
function groupByRank(
  { tokens, shapes }: StaticTokens,
  { rankOf, size }: Vocabulary,
): (rank: number) => RowSlice {
  const starts = new Uint32Array(size + 1);
  for (const token of tokens) starts[rankOf[token]! + 1]! += 1;
  for (let rank = 1; rank < starts.length; rank++) starts[rank]! += starts[rank - 1]!;
  const ends = starts.slice(0, size);
  const grouped = new Uint32Array(tokens.length);
  for (let i = 0; i < tokens.length; i++) {
    const rank = rankOf[tokens[i]!]!;
    const at = ends[rank]!;
    // Pairs are sorted by shape, so a token that a shape has twice occurs twice in a row.
    if (at > starts[rank]! && grouped[at - 1] === shapes[i]) continue;
    grouped[at] = shapes[i]!;
    ends[rank] = at + 1;
  }
  return (rank) => ({ rows: grouped, from: starts[rank]!, to: ends[rank]! });
}

/** The shapes of the message, as written, that imply a shape. */
function implyingShapes({ implied, numberOf }: ClosedShapes): (shape: number) => RowSlice {
  const by = new Map<number, number[]>();
  implied.forEach((shape, pair) => {
    if (shape === 0) return;
    const message = numberOf[Math.floor(pair / IMPLIED_COLUMNS)]!;
    const number = numberOf[shape - 1]!;
    const known = by.get(number);
    if (known === undefined) by.set(number, [message]);
    else known.push(message);
  });
  return (shape) => {
    const rows = Uint32Array.from(by.get(shape) ?? NONE).sort();
    return { rows, from: 0, to: rows.length };
  };
}

/**
 * Lists of rows by key: the rank of a token, or the number of a shape after all ranks. What follows from others is
 * omitted: a shape that the message's implies, a token that is in a shape's text.
 */
class RowLists {
  private readonly text: CollectedText;
  private readonly closed: ClosedShapes;
  private readonly vocabulary: Vocabulary;
  private readonly shapesWithTokens: Uint8Array;
  private readonly order: Uint32Array | undefined;
  /** Capacity of each list: at least its number of rows. */
  private readonly counts: Uint32Array;
  /** By written shape: 1 if all rows have it in a column of values. */
  private readonly every: Uint8Array;
  private all: Uint32Array | undefined;
  /** For tokens: their columns other than the message, and how often they occur in those. */
  private readonly masks: Uint8Array;
  private readonly others: Uint32Array;

  constructor(
    text: CollectedText,
    closed: ClosedShapes,
    vocabulary: Vocabulary,
    shapesWithTokens: Uint8Array,
    order: Uint32Array | undefined,
  ) {
    this.text = text;
    this.closed = closed;
    this.vocabulary = vocabulary;
    this.shapesWithTokens = shapesWithTokens;
    this.order = order;
    this.counts = countsOf(text, closed);
    this.every = new Uint8Array(closed.count);
    text.values.forEach((byRow, column) => {
      if (byRow !== undefined && hasEvery(byRow, column, closed))
        this.every[closed.numberOf[byRow.only! - 1]!] = 1;
    });
    this.masks = new Uint8Array(text.tokens.limit);
    this.others = new Uint32Array(text.tokens.limit);
  }

  /**
   * Calls back for every key in turn, even those without rows. Slices are lent. Call it once, after `tokenless`.
   */
  forEach(visit: (key: number, list: RowSlice, mask: number) => void): void {
    this.dropImplied();
    const { counts } = this;
    const { size, rankOf } = this.vocabulary;
    const { limit } = this.text.tokens;
    const keys = size + this.closed.count;
    const { first, several, more } = tokensByRank(rankOf, counts, limit, size);
    // Lists of a key: that of its token, and of those that differ from it only in case.
    const listOf = (key: number): number => (key < size ? first[key]! - 1 : limit + key - size);
    const sizeOf = (key: number): number => {
      const list = listOf(key);
      if (list < 0 || (key >= size && this.every[key - size] === 1)) return 0;
      const capacity = counts[list]! + 1;
      if (key >= size || several[key] === 0) return capacity;
      return more.get(key)!.reduce((sum, one) => sum + counts[one]! + 1, capacity);
    };
    let rows = new Uint32Array(0);
    for (let from = 0; from < keys;) {
      let filled = 0;
      let to = from;
      for (; to < keys; to++) {
        const next = sizeOf(to);
        if (to > from && filled + next > FILLED) break;
        filled += next;
      }
      if (rows.length < filled) rows = new Uint32Array(filled);
      // Lists are in the order in which tokens arrived, not that of keys: tokens that first occur in later rows are
      // then written next to each other. Current end of each list; 0 for other keys.
      const ends = this.placed(from, to, rows);
      const starts = ends.slice();
      this.fill(ends, rows);
      const slice = (list: number): RowSlice => ({ rows, from: starts[list]!, to: ends[list]! });
      // One for all keys: there are as many as different tokens.
      const reused = { rows, from: 0, to: 0 };
      const lend = (list: number): RowSlice => {
        reused.from = starts[list]!;
        reused.to = ends[list]!;
        return reused;
      };
      for (let key = from; key < to; key++) {
        const list = listOf(key);
        if (list < 0) visit(key, { rows, from: 0, to: 0 }, 0);
        else if (list >= limit)
          visit(key, this.every[list - limit] === 1 ? this.everyRow() : lend(list), 1);
        else {
          if (several[key] === 0) visit(key, lend(list), this.maskOf(list));
          else {
            const all = [list, ...more.get(key)!];
            const mask = all.reduce((bits, one) => bits | this.maskOf(one), 0);
            visit(key, united(all.map(slice)), mask);
          }
        }
      }
      from = to;
    }
  }

  /** Gives each list of keys `from` to `to` its position in `rows`: its current end. */
  private placed(from: number, to: number, rows: Uint32Array): Uint32Array {
    const { counts, every } = this;
    const { size, rankOf } = this.vocabulary;
    const { limit } = this.text.tokens;
    const ends = new Uint32Array(counts.length);
    let at = 0;
    for (let list = 0; list < counts.length; list++) {
      if (counts[list] === 0 || (list >= limit && every[list - limit] === 1)) continue;
      const key = list < limit ? rankOf[list]! : size + list - limit;
      if (key < from || key >= to) continue;
      rows[at] = NO_ROW;
      ends[list] = at + 1;
      at += counts[list]! + 1;
    }
    return ends;
  }

  private everyRow(): RowSlice {
    this.all ??= countedUp(this.text.rows);
    return { rows: this.all, from: 0, to: this.all.length };
  }

  private maskOf(token: number): number {
    const inMessage = this.counts[token]! > this.others[token]!;
    return this.masks[token]! | (inMessage ? MESSAGE_BIT : 0);
  }

  /** Fills the lists that have a position in `out`, their current end, which advances. */
  private fill(ends: Uint32Array, out: Uint32Array): void {
    const { order, masks, others } = this;
    const { items, rowStarts, rows, shapes, tokens } = this.text;
    const { constant, isFree, implied } = this.closed;
    const forms = openForms(this.text, this.closed);
    const { columns, opens, runStarts } = shapes;
    const { numberOf } = this.closed;
    const { limit } = tokens;
    this.fillValues(ends, out);
    if (!hasItems(this.text)) return;
    const waiting = new WaitingRows(ends, out, limit);
    for (
      let row = nextWithItems(0, this.text, order);
      row < rows;
      row = nextWithItems(row + 1, this.text, order)
    ) {
      const came = order === undefined ? row : order[row]!;
      const end = rowStarts[came + 1]!;
      let message = -1;
      for (let i = rowStarts[came]!; i < end;) {
        const item = items[i++]! - SHAPE_ITEM;
        if (item >= FORM_ITEM) {
          const { shape, number, size, open, differing } = forms[item - FORM_ITEM]!;
          message = shape;
          append(limit + number, row, ends, out);
          for (let k = 0; k < open.length; k++) waiting.add(items[i + open[k]!]!, row);
          for (let k = 0; k < differing.length; k++) waiting.add(differing[k]!, row);
          i += size;
          continue;
        }
        const shape = item;
        const column = columns[shape]!;
        let follows = false;
        if (column === MESSAGE) message = shape;
        else if (message >= 0 && column < IMPLIED_COLUMNS) {
          follows = implied[message * IMPLIED_COLUMNS + column] === shape + 1;
        }
        if (!follows) append(limit + numberOf[shape]!, row, ends, out);
        const place = runStarts[shape]! - i;
        let last = i + opens[shape]!;
        const free = isFree[shape] === 1;
        if (free) while (last < end && items[last]! < SHAPE_ITEM) last += 1;
        for (; i < last; i++) {
          if (!free && constant[place + i] === 1) continue;
          const token = items[i]!;
          waiting.add(token, row);
          // Nearly all tokens are the message's, so only others are recorded one by one.
          if (column === MESSAGE || ends[token] === 0) continue;
          masks[token]! |= columnBit(column);
          others[token]! += 1;
        }
      }
    }
    waiting.flush();
  }

  /** The same for what is stored by column; no list has rows of both. */
  private fillValues(ends: Uint32Array, out: Uint32Array): void {
    const { limit } = this.text.tokens;
    const { values } = this.text;
    const lists = this.closed.numberOf.map((number) => limit + number);
    for (let column = 0; column < values.length; column++) {
      const byRow = values[column];
      if (byRow === undefined || hasEvery(byRow, column, this.closed)) continue;
      listValues(byRow, { lists, ends, out, order: this.order });
    }
  }

  /** Removes values that follow from their message's shape. */
  private dropImplied(): void {
    const { items, rowStarts, rows, shapes, forms, values } = this.text;
    const { implied } = this.closed;
    const columns: { column: number; codes: Uint16Array }[] = [];
    values.forEach((byRow, column) => {
      if (byRow !== undefined && byRow.only !== 0 && column < IMPLIED_COLUMNS)
        if (impliesAny(implied, column)) columns.push({ column, codes: byRow.extend(0) });
    });
    if (columns.length === 0) return;
    for (
      let row = nextWithItems(0, this.text);
      row < rows;
      row = nextWithItems(row + 1, this.text)
    ) {
      const item = items[rowStarts[row]!]! - SHAPE_ITEM;
      const message = item >= FORM_ITEM ? forms[item - FORM_ITEM]!.shape : item;
      if (shapes.columns[message] !== MESSAGE) continue;
      for (let i = 0; i < columns.length; i++) {
        const { column, codes } = columns[i]!;
        if (codes[row] === implied[message * IMPLIED_COLUMNS + column]) codes[row] = 0;
      }
    }
  }

  /** Rows without any token, in the segment's order. */
  tokenless(): Uint32Array {
    const { order, shapesWithTokens } = this;
    const { items, rowStarts, rows, shapes, forms, values } = this.text;
    if (!hasItems(this.text) && values.every((byRow) => byRow === undefined || byRow.only === 0))
      return countedUp(rows);
    const { numberOf, isFree } = this.closed;
    // For each shape whether its rows have a token, whatever else they have.
    const telling = Uint8Array.from({ length: shapes.count }, (_, shape) =>
      shapesWithTokens[numberOf[shape]!] === 1 || (isFree[shape] === 0 && shapes.opens[shape]! > 0)
        ? 1
        : 0,
    );
    if (isTold(this.text, telling)) return NONE;
    const out = new Uint32Array(rows);
    const known = new Uint8Array(rows);
    for (const column of values) if (column !== undefined) noteValues(column, telling, known);
    if (!known.includes(0)) return NONE;
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const came = order === undefined ? row : order[row]!;
      let any = known[came]!;
      const end = rowStarts[came + 1]!;
      for (let i = rowStarts[came]!; i < end && any === 0; i++) {
        const item = items[i]!;
        if (item < SHAPE_ITEM) any = 1;
        else if (item < FORM_ITEM + SHAPE_ITEM) any = telling[item - SHAPE_ITEM]!;
        else any = telling[forms[item - FORM_ITEM - SHAPE_ITEM]!.shape]!;
      }
      if (any === 0) out[count++] = row;
    }
    return out.subarray(0, count);
  }
}

/** Whether anything is stored row by row: tables mostly have only columns of values. */
function hasItems({ rows, rowStarts }: CollectedText): boolean {
  return rowStarts[rows]! > 0;
}

/** Whether every row has a value in one of the columns that are stored by row, always of a shape that `tells`. */
function isTold({ rows, shapes, values }: CollectedText, tells: Uint8Array): boolean {
  const rowsOfColumn = new Uint32Array(values.length);
  for (let shape = 0; shape < shapes.count; shape++)
    if (tells[shape] === 1 && values[shapes.columns[shape]!] !== undefined)
      rowsOfColumn[shapes.columns[shape]!]! += shapes.rows[shape]!;
  return rowsOfColumn.includes(rows);
}

/** A form as its rows are listed. */
interface OpenForm {
  readonly shape: number;
  /** Number of the written shape. */
  readonly number: number;
  /** Tokens that follow each item of the form, and which of these are not in the shape's text. */
  readonly size: number;
  readonly open: Int32Array;
  /** Of those that are the same in all rows of the form, the ones that differ in others of the shape. */
  readonly differing: Int32Array;
}

function openForms(
  { forms, shapes }: CollectedText,
  { constant, numberOf }: ClosedShapes,
): OpenForm[] {
  return forms.map(({ shape, places, fixed, fixedPlaces }) => {
    const first = shapes.runStarts[shape]!;
    const isOpen = (place: number): boolean => constant[first + place] === 0;
    return {
      shape,
      number: numberOf[shape]!,
      size: places.length,
      open: Int32Array.from(places.keys()).filter((i) => isOpen(places[i]!)),
      differing: fixed.filter((_, i) => isOpen(fixedPlaces[i]!)),
    };
  });
}

function countedUp(n: number): Uint32Array {
  const rows = new Uint32Array(n);
  inSteps(n, (from, to) => countUp(rows, from, to));
  return rows;
}

function countUp(rows: Uint32Array, from: number, to: number): void {
  for (let row = from; row < to; row++) rows[row] = row;
}

/** Whether all rows have the same value in a column, and no message's shape implies it. */
function hasEvery({ only }: ValueColumn, column: number, { implied }: ClosedShapes): boolean {
  if (only === undefined || only === 0) return false;
  return column >= IMPLIED_COLUMNS || !impliesAny(implied, column);
}

/** Whether the shape of any message implies one of a column. */
function impliesAny(implied: Int32Array, column: number): boolean {
  for (let at = column; at < implied.length; at += IMPLIED_COLUMNS)
    if (implied[at] !== 0) return true;
  return false;
}

/** Groups of lists of tokens, and how many rows wait for one at most. */
const GROUPS = 64;
const MOST_WAITING = 16_384;

/**
 * Buffers rows for the lists of tokens. There are too many lists for their ends to fit in a processor's cache:
 * those of a group are adjacent, and get their rows once many are buffered.
 */
class WaitingRows {
  private readonly ends: Uint32Array;
  private readonly out: Uint32Array;
  private readonly groupOf: Uint8Array;
  private readonly counts = new Uint32Array(GROUPS);
  private readonly most: number;
  /** Token and row, alternating, by group. */
  private readonly pairs: Uint32Array;

  /** @param limit tokens; lists that have a place are in their order */
  constructor(ends: Uint32Array, out: Uint32Array, limit: number) {
    this.ends = ends;
    this.out = out;
    this.groupOf = new Uint8Array(limit);
    const size = Math.floor(mostOf(ends, limit) / GROUPS) + 1;
    putQuotients(ends, size, this.groupOf);
    this.most = Math.min(size, MOST_WAITING);
    this.pairs = new Uint32Array(GROUPS * this.most * 2);
  }

  /** Does nothing for a token whose list has no place. */
  add(token: number, row: number): void {
    const { pairs, counts, most } = this;
    const group = this.groupOf[token]!;
    const count = counts[group]!;
    const at = (group * most + count) * 2;
    pairs[at] = token;
    pairs[at + 1] = row;
    counts[group] = count + 1;
    if (count + 1 === most) this.append(group);
  }

  flush(): void {
    for (let group = 0; group < GROUPS; group++) this.append(group);
  }

  private append(group: number): void {
    const { pairs, ends, out, counts } = this;
    const from = group * this.most * 2;
    const to = from + counts[group]! * 2;
    for (let i = from; i < to; i += 2) append(pairs[i]!, pairs[i + 1]!, ends, out);
    counts[group] = 0;
  }
}

// Hot loops (CONTRIBUTING.md).

function mostOf(numbers: Uint32Array, n: number): number {
  let most = 0;
  for (let i = 0; i < n; i++) if (numbers[i]! > most) most = numbers[i]!;
  return most;
}

function putQuotients(numbers: Uint32Array, divisor: number, out: Uint8Array): void {
  for (let i = 0; i < out.length; i++) out[i] = numbers[i]! / divisor;
}

/** Adds a row to a list that has a position, unless it is in it. */
function append(list: number, row: number, ends: Uint32Array, out: Uint32Array): void {
  const at = ends[list]!;
  if (at === 0 || out[at - 1] === row) return;
  out[at] = row;
  ends[list] = at + 1;
}

/** For each token, and then each written shape: how many rows its list needs room for. */
function countsOf(
  { tokens, shapes, forms }: CollectedText,
  { count, constant, numberOf }: ClosedShapes,
): Uint32Array {
  const { limit } = tokens;
  const counts = new Uint32Array(limit + count);
  counts.set(tokens.counts.subarray(0, limit));
  for (const { fixed, rows } of forms) for (const token of fixed) counts[token]! += rows;
  for (let shape = 0; shape < shapes.count; shape++) {
    const rows = shapes.rows[shape]!;
    counts[limit + numberOf[shape]!] = rows;
    const first = shapes.runStarts[shape]!;
    for (let place = first; place < first + shapes.opens[shape]!; place++) {
      if (constant[place] === 1) counts[shapes.tokens[place]! - 1]! -= rows;
    }
  }
  return counts;
}

/** The first token of each rank that has rows, plus 1; which ranks have several, and the others of these. */
function tokensByRank(
  rankOf: Uint32Array,
  counts: Uint32Array,
  limit: number,
  size: number,
): { first: Uint32Array; several: Uint8Array; more: Map<number, number[]> } {
  const first = new Uint32Array(size);
  const several = new Uint8Array(size);
  const more = new Map<number, number[]>();
  for (let token = 0; token < limit; token++) {
    if (counts[token] === 0) continue;
    const rank = rankOf[token]!;
    if (first[rank] === 0) first[rank] = token + 1;
    else {
      several[rank] = 1;
      const known = more.get(rank);
      if (known === undefined) more.set(rank, [token]);
      else known.push(token);
    }
  }
  return { first, several, more };
}

/** The rows of several lists, each once. */
function united(lists: readonly RowSlice[]): RowSlice {
  const all = new Uint32Array(lists.reduce((sum, { from, to }) => sum + to - from, 0));
  let size = 0;
  for (const { rows, from, to } of lists) {
    all.set(rows.subarray(from, to), size);
    size += to - from;
  }
  all.sort();
  let used = 0;
  for (let i = 0; i < size; i++) {
    if (i === 0 || all[i] !== all[i - 1]) all[used++] = all[i]!;
  }
  return { rows: all, from: 0, to: used };
}

/** Pages of the literal runs of shapes; appends their directory to the head. */
function literalPages(closed: ClosedShapes, head: ByteWriter): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const directory = new ByteWriter();
  const page = new ByteWriter();
  let first = 0;
  for (let number = 0; number < closed.count; number++) {
    const runs = closed.runs(closed.shapeAt[number]!);
    page.number(runs.length);
    for (const run of runs) page.string(run);
    if (page.size < LITERAL_PAGE_BYTES && number + 1 < closed.count) continue;
    const part = withCheck(packed(page.bytes()));
    parts.push(part);
    directory.number(first);
    directory.number(part.length);
    directory.number(page.size);
    first = number + 1;
    page.clear();
  }
  head.number(parts.length);
  head.raw(directory.bytes());
  return parts;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
