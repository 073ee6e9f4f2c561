/**
 * From the collected rows of a segment to its text index: closes the shapes, ranks the tokens, turns the
 * rows' items into lists of rows and writes them.
 *
 * Lists are filled for some entries at a time, so that memory is bounded; every pass goes through the
 * rows in the segment's order, so lists are ascending as they are filled.
 */
import type { Section } from '../side-file.ts';
import { BitWriter } from './bits.ts';
import { ByteWriter, withCheck } from './bytes.ts';
import { type ClosedShapes, closeShapes } from './closed-shapes.ts';
import { type CollectedText, MESSAGE, SHAPE_ITEM } from './collected.ts';
import { FOLD_VERSION } from './fold.ts';
import {
  HEAD,
  LISTS,
  LITERALS,
  LITERAL_PAGE_BYTES,
  PAGED,
  TEXT_VERSION,
  columnBit,
  sectionOf,
} from './layout.ts';
import { ListWriter, PageWriter, type RowSlice, compressed } from './page-writer.ts';
import { writeRows } from './row-list.ts';
import { BYTE_CLASS, DELIMITER } from './token-class.ts';
import { FIRST_STRING, type TokenTable } from './token-table.ts';
import { type Vocabulary, rankTokens } from './vocabulary.ts';

const MESSAGE_BIT = columnBit(MESSAGE);
/** Rows of lists that are held at a time. */
const FILLED = 8 << 20;
const NONE = new Uint32Array(0);

export function finishText(text: CollectedText, order: Uint32Array | undefined): Section[] {
  const closed = closeShapes(text);
  const inShapes = staticTokens(text.tokens, closed);
  for (const token of inShapes.tokens) if (token < FIRST_STRING) closed.small[token] = 1;
  const vocabulary = rankTokens(text.tokens, closed.small);
  const shapesOf = groupByRank(inShapes, vocabulary);
  const lists = new RowLists(text, closed, vocabulary, inShapes.withTokens, order);

  const { rows } = text;
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
  const without = lists.tokenless();
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
  return [
    { name: HEAD, bytes: withCheck(head.bytes()) },
    ...PAGED.map((name) => ({ name: sectionOf(name), bytes: joined(writers[name].parts) })),
    { name: LITERALS, bytes: joined(literals) },
    { name: LISTS, bytes: joined(long.parts) },
  ];
}

/** Tokens in the text of shapes: pairs of token and shape as written, by shape. */
interface StaticTokens {
  readonly tokens: Uint32Array;
  readonly shapes: Uint32Array;
  /** By shape as written: 1 when there is any. */
  readonly withTokens: Uint8Array;
}

function staticTokens(tokens: TokenTable, closed: ClosedShapes): StaticTokens {
  const ids: number[] = [];
  const of: number[] = [];
  const withTokens = new Uint8Array(closed.count);
  for (let number = 0; number < closed.count; number++) {
    for (const run of closed.runs(closed.shapeAt[number]!)) {
      for (let i = 0; i < run.length;) {
        if (BYTE_CLASS[run[i]!] === DELIMITER) {
          i += 1;
          continue;
        }
        const start = i;
        while (i < run.length && BYTE_CLASS[run[i]!] !== DELIMITER) i += 1;
        ids.push(tokens.ofBytes(run, start, i));
        of.push(number);
        withTokens[number] = 1;
      }
    }
  }
  return { tokens: Uint32Array.from(ids), shapes: Uint32Array.from(of), withTokens };
}

/** The shapes that each token, by rank, is in the text of: ascending, none twice. */
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
    // Pairs come by shape, so a token that a shape has twice comes twice in a row.
    if (at > starts[rank]! && grouped[at - 1] === shapes[i]) continue;
    grouped[at] = shapes[i]!;
    ends[rank] = at + 1;
  }
  return (rank) => ({ rows: grouped, from: starts[rank]!, to: ends[rank]! });
}

/** The shapes of the message, as written, that imply a shape. */
function implyingShapes({ implied, width, numberOf }: ClosedShapes): (shape: number) => RowSlice {
  const by = new Map<number, number[]>();
  implied.forEach((shape, pair) => {
    if (shape === 0) return;
    const message = numberOf[Math.floor(pair / width)]!;
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
 * Lists of rows by key: the rank of a token, or the number of a shape beyond all ranks. The items of the
 * rows are replaced by keys; what follows from others is left out.
 */
class RowLists {
  private readonly rows: number;
  private readonly order: Uint32Array | undefined;
  private readonly keys: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly counts: Uint32Array;
  private readonly masks: Uint8Array;
  /** By row as it came: 1 when it has a token. */
  private readonly withToken: Uint8Array;

  constructor(
    text: CollectedText,
    closed: ClosedShapes,
    vocabulary: Vocabulary,
    shapesWithTokens: Uint8Array,
    order: Uint32Array | undefined,
  ) {
    this.rows = text.rows;
    this.order = order;
    this.keys = text.items;
    this.starts = text.rowStarts;
    this.counts = new Uint32Array(vocabulary.size + closed.count);
    this.masks = new Uint8Array(vocabulary.size);
    this.withToken = new Uint8Array(text.rows);
    this.resolve(text, closed, vocabulary, shapesWithTokens);
  }

  /** Items become keys in place; counts them, at most as many as there will be rows. */
  private resolve(
    { items, rowStarts, rows, shapes }: CollectedText,
    { constant, numberOf, implied, width }: ClosedShapes,
    { rankOf, size }: Vocabulary,
    shapesWithTokens: Uint8Array,
  ): void {
    const { counts, masks } = this;
    // Nearly all tokens are the message's, so that is what is not noted one by one.
    const others = new Uint32Array(size);
    let used = 0;
    let from = 0;
    for (let row = 0; row < rows; row++) {
      const end = rowStarts[row + 1]!;
      let place = -1;
      let bit = 0;
      let any = 0;
      let message = -1;
      for (let i = from; i < end; i++) {
        const item = items[i]!;
        if (item >= SHAPE_ITEM) {
          const shape = item - SHAPE_ITEM;
          const column = shapes.columns[shape]!;
          const number = numberOf[shape]!;
          place = shapes.isFree(shape) ? -1 : shapes.runStarts[shape]!;
          bit = columnBit(column);
          any |= shapesWithTokens[number]!;
          if (column === MESSAGE) message = shape;
          else if (
            message >= 0 &&
            column < width &&
            implied[message * width + column] === shape + 1
          ) {
            continue;
          }
          items[used++] = size + number;
          counts[size + number]! += 1;
        } else {
          any = 1;
          if (place >= 0 && constant[place++] === 1) continue;
          const rank = rankOf[item]!;
          items[used++] = rank;
          counts[rank]! += 1;
          if (bit !== MESSAGE_BIT) {
            masks[rank]! |= bit;
            others[rank]! += 1;
          }
        }
      }
      this.withToken[row] = any;
      from = end;
      rowStarts[row + 1] = used;
    }
    for (let rank = 0; rank < size; rank++) {
      if (counts[rank]! > others[rank]!) masks[rank]! |= MESSAGE_BIT;
    }
  }

  /** Calls back for every key in turn, also those without rows. Slices are lent. */
  forEach(visit: (key: number, list: RowSlice, mask: number) => void): void {
    const { counts, masks } = this;
    let rows = new Uint32Array(0);
    for (let from = 0; from < counts.length;) {
      let filled = 0;
      let to = from;
      while (to < counts.length && (to === from || filled + counts[to]! <= FILLED)) {
        filled += counts[to++]!;
      }
      if (rows.length < filled) rows = new Uint32Array(filled);
      // Where each list ends so far, and its last row plus 1.
      const state = new Uint32Array((to - from) * 2);
      for (let key = from, at = 0; key < to; at += counts[key++]!) state[(key - from) * 2] = at;
      this.fill(from, to, state, rows);
      for (let key = from, at = 0; key < to; at += counts[key++]!) {
        visit(key, { rows, from: at, to: state[(key - from) * 2]! }, masks[key] ?? 0);
      }
      from = to;
    }
  }

  private fill(from: number, to: number, state: Uint32Array, out: Uint32Array): void {
    const { rows, order, keys, starts } = this;
    const width = to - from;
    for (let row = 0; row < rows; row++) {
      const came = order === undefined ? row : order[row]!;
      const end = starts[came + 1]!;
      for (let i = starts[came]!; i < end; i++) {
        const key = keys[i]! - from;
        if (key < 0 || key >= width || state[key * 2 + 1] === row + 1) continue;
        const at = state[key * 2]!;
        out[at] = row;
        state[key * 2] = at + 1;
        state[key * 2 + 1] = row + 1;
      }
    }
  }

  /** Rows without any token, in the segment's order. */
  tokenless(): Uint32Array {
    const out: number[] = [];
    for (let row = 0; row < this.rows; row++) {
      if (this.withToken[this.order?.[row] ?? row] === 0) out.push(row);
    }
    return Uint32Array.from(out);
  }
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
    const part = withCheck(compressed(page.bytes()));
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
