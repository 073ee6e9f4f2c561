/**
 * JSON records in messages: `app: {"user":"alice"}`. Their members give fields like those of JSON files, by
 * dialects (dialects.ts) and by names that mean the same in all products.
 *
 * Invariant: only a message that ends with the object is read, and only if it states no name more than once, since
 * it is unknown which value the program meant. It never throws.
 */
import type { EventBatch } from '../../../columns/event-batch.ts';
import { flatten, type Flat, unwrap } from './flatten.ts';
import { DialectFinder } from '../../registry/meanings.ts';
import { RecordFields } from '../../records/record-fields.ts';
import { parseWithRepeatedNames } from './repeated-names.ts';

/** Longer messages are left uncut. */
const MOST_BYTES = 1 << 18;
/** Bytes before the object. */
const MOST_BEFORE = 512;
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, QUOTE] = [123, 125, 91, 93, 44, 34];

const utf8 = new TextDecoder();

export class EmbeddedJson {
  private finder: DialectFinder | undefined;
  private readonly fields = new RecordFields();

  /** Fills fields of a row from the object at the end of `b[start, end)`. @returns whether it gave any */
  fill(batch: EventBatch, row: number, b: Uint8Array, start: number, to: number): boolean {
    let end = to;
    // The end of a list's line does not belong to the object, nor does the empty list that Monolog writes after it.
    while (end > start && (b[end - 1]! <= 32 || isOfList(b[end - 1]!))) end -= 1;
    if (b[end - 1] !== CLOSE || end - start > MOST_BYTES) return false;
    const open = objectStart(b, start, Math.min(end, start + MOST_BEFORE));
    const record = open < 0 ? undefined : parse(utf8.decode(b.subarray(open, end)));
    if (record === undefined) return false;
    this.finder ??= new DialectFinder();
    const meanings = this.finder.find(record.keys).forRecord(record);
    return this.fields.write(batch, row, meanings, record) > 0;
  }

  /** The host that the last record names as its writer. */
  get host(): string | undefined {
    return this.fields.textOf('host');
  }
}

function isOfList(code: number): boolean {
  return code === COMMA || code === CLOSE_LIST || code === OPEN_LIST;
}

/** The first brace that is followed by a name, or -1. */
function objectStart(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (b[p] !== OPEN) continue;
    let next = p + 1;
    while (next < end && b[next]! <= 32) next += 1;
    if (b[next] === QUOTE) return p;
  }
  return -1;
}

/** Undefined if it is not an object, or states a name more than once. */
function parse(text: string): Flat | undefined {
  const flat: Flat = { keys: [], values: [] };
  try {
    const { value, isRepeated } = parseWithRepeatedNames(text);
    return isRepeated || !flatten(value, flat) || unwrap(flat) ? undefined : flat;
  } catch (error) {
    // No JSON, or nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
