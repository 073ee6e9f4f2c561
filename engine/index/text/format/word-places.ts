/**
 * The words at open places of the message's shapes: for each place the lowest and the highest. If a word of a
 * phrase can be at one place only, the rows that have it there are known without reading any.
 *
 * Places without a record may have any word: numbers are in no range, shapes with few rows are omitted.
 */
import type { SideFile } from '../../side-file.ts';
import { ByteReader, ByteWriter, checked, withCheck } from './bytes.ts';
import type { ClosedShapes } from '../write/closed-shapes.ts';
import { type CollectedText, nextWithItems } from '../write/collected.ts';
import { FORM_ITEM, MESSAGE, SHAPE_ITEM } from './items.ts';
import { PLACES } from './layout.ts';
import { FIRST_STRING } from '../write/token-table.ts';
import type { Vocabulary } from '../write/vocabulary.ts';

const VERSION = 1;
/** With fewer rows, those of a phrase are read quickly. */
const LEAST_ROWS = 256;
/** Bytes stored of a word, and of all. */
const MOST_WORD = 12;
const MOST_BYTES = 1 << 17;
const NO_RANK = 0xffff_ffff;
const NOTHING = new Uint8Array(0);

/** The section; undefined if it would be empty. */
export function wordPlaces(
  text: CollectedText,
  closed: ClosedShapes,
  vocabulary: Vocabulary,
): Uint8Array | undefined {
  const { shapes } = text;
  const { constant } = closed;
  const { lows, highs } = wordRanges(text, closed, vocabulary);
  const out = new ByteWriter();
  out.number(VERSION);
  const empty = out.size;
  const message = closed.columns[MESSAGE]!;
  let last = message.from;
  for (let number = message.from; number < message.to && out.size < MOST_BYTES; number++) {
    const shape = closed.shapeAt[number]!;
    if (closed.isFree[shape] === 1 || shapes.rows[shape]! < LEAST_ROWS) continue;
    const first = shapes.runStarts[shape]!;
    const places = Array.from({ length: shapes.opens[shape]! }, (_, i) => first + i).filter(
      (place) => constant[place] === 0,
    );
    if (places.length < 2) continue;
    out.number(number - last);
    out.number(places.length);
    for (const place of places) {
      const there = lows[place] !== NO_RANK;
      out.string(there ? wordAt(vocabulary, lows[place]!) : NOTHING);
      out.string(there ? wordAt(vocabulary, highs[place]!) : NOTHING);
    }
    last = number;
  }
  return out.size === empty ? undefined : withCheck(out.bytes());
}

function wordAt({ numbers, words }: Vocabulary, rank: number): Uint8Array {
  const word = rank - numbers.length;
  const start = words.starts[word]!;
  return words.bytes.subarray(start, start + Math.min(words.lengths[word]!, MOST_WORD));
}

/** Ranks of words by open place of a shape of the message, as `ShapeTable.runStarts` numbers them. */
function wordRanges(
  text: CollectedText,
  { isFree }: ClosedShapes,
  { numbers, rankOf }: Vocabulary,
): { lows: Uint32Array; highs: Uint32Array } {
  const { items, rowStarts, rows, shapes, forms } = text;
  const { columns, opens, runStarts } = shapes;
  const lows = new Uint32Array(runStarts[shapes.count]!).fill(NO_RANK);
  const highs = new Uint32Array(lows.length);
  const words = numbers.length;
  const note = (place: number, token: number): void => {
    const rank = rankOf[token]!;
    if (rank < words) return;
    if (rank < lows[place]!) lows[place] = rank;
    if (rank > highs[place]!) highs[place] = rank;
  };
  for (const { shape, fixed, fixedPlaces, rows: formRows } of forms) {
    if (formRows === 0) continue;
    fixed.forEach((token, i) => note(runStarts[shape]! + fixedPlaces[i]!, token));
  }
  const wordy = forms.map(wordyTokens);
  for (let row = nextWithItems(0, text); row < rows; row = nextWithItems(row + 1, text)) {
    let at = rowStarts[row]!;
    // The message's item comes first.
    const item = items[at++]! - SHAPE_ITEM;
    if (item >= FORM_ITEM) {
      const { shape, places } = forms[item - FORM_ITEM]!;
      const wordyOfForm = wordy[item - FORM_ITEM]!;
      const first = runStarts[shape]!;
      for (let k = 0; k < wordyOfForm.length; k++) {
        const i = wordyOfForm[k]!;
        const token = items[at + i]!;
        if (token >= FIRST_STRING) note(first + places[i]!, token);
      }
    } else if (columns[item] === MESSAGE && isFree[item] === 0) {
      const first = runStarts[item]!;
      for (let i = 0; i < opens[item]!; i++) {
        const token = items[at + i]!;
        if (token >= FIRST_STRING) note(first + i, token);
      }
    }
  }
  return { lows, highs };
}

/** Which of the tokens that follow a form's item may be words: not those that are a number of 8 or 16 bits. */
function wordyTokens({ widths, prefixes }: CollectedText['forms'][number]): Int32Array {
  return Int32Array.from(widths.keys()).filter((i) => widths[i]! > 1 || prefixes[i] !== 0);
}

/** The lowest and the highest word of a place, as far as stored. */
interface Range {
  readonly low: Uint8Array;
  readonly high: Uint8Array;
}

export class WordPlaces {
  /** By shape: undefined if there is no word. */
  private readonly ranges: ReadonlyMap<number, readonly (Range | undefined)[]>;

  private constructor(ranges: ReadonlyMap<number, readonly (Range | undefined)[]>) {
    this.ranges = ranges;
  }

  /**
   * For a file without the section nothing is known.
   * @throws DaybookError case-damaged
   */
  static read(file: SideFile): WordPlaces {
    const ranges = new Map<number, (Range | undefined)[]>();
    const bytes = file.read(PLACES);
    if (bytes === undefined) return new WordPlaces(ranges);
    const reader = new ByteReader(checked(bytes, bytes.length));
    if (reader.number() !== VERSION) return new WordPlaces(ranges);
    for (let shape = 0; !reader.done;) {
      shape += reader.number();
      const rangesOfShape: (Range | undefined)[] = [];
      for (let left = reader.number(); left > 0; left--) {
        const low = reader.string();
        const high = reader.string();
        rangesOfShape.push(high.length === 0 ? undefined : { low, high });
      }
      ranges.set(shape, rangesOfShape);
    }
    return new WordPlaces(ranges);
  }

  /**
   * Whether a word, or one with this prefix, may be at an open place of a shape.
   * @param word folded @param begins whether more may follow
   */
  mayHave(shape: number, place: number, word: Uint8Array, begins: boolean): boolean {
    const ranges = this.ranges.get(shape);
    if (ranges === undefined) return true;
    const range = ranges[place];
    if (range === undefined) return false;
    const { low, high } = range;
    if (Buffer.compare(word.subarray(0, high.length), high) > 0) return false;
    return Buffer.compare(word, begins ? low.subarray(0, word.length) : low) >= 0;
  }
}
