/**
 * Records as JSON in messages: `app: {"user":"alice"}`. Their members give fields as those of JSON files do, by dialects
 * (dialects.ts) and by names that mean the same whatever wrote them.
 *
 * Invariant: only a message that ends with the object is read, and none that states a name more than once: which of its
 * values the program meant is not known. It never throws.
 */
import type { EventBatch } from '../../contract/event-batch.ts';
import { flatten, type Flat, unwrap } from './flatten.ts';
import { DialectFinder } from '../registry/meanings.ts';
import { RecordFields } from '../records/record-fields.ts';
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

  /** Fills fields of a row from the object that `b[start, end)` ends with. @returns whether it gave any */
  fill(batch: EventBatch, row: number, b: Uint8Array, start: number, to: number): boolean {
    let end = to;
    // What ends a line of a list is not of the object, nor is the empty list that Monolog writes after it.
    while (end > start && (b[end - 1]! <= 32 || isOfList(b[end - 1]!))) end -= 1;
    if (b[end - 1] !== CLOSE || end - start > MOST_BYTES) return false;
    const open = objectStart(b, start, Math.min(end, start + MOST_BEFORE));
    const record = open < 0 ? undefined : parse(utf8.decode(b.subarray(open, end)));
    if (record === undefined) return false;
    this.finder ??= new DialectFinder();
    const meanings = this.finder.find(record.keys).forRecord(record);
    return this.fields.write(batch, row, meanings, record) > 0;
  }

  /** What the record that was read last calls the host that wrote it. */
  get host(): string | undefined {
    return this.fields.textOf('host');
  }
}

function isOfList(code: number): boolean {
  return code === COMMA || code === CLOSE_LIST || code === OPEN_LIST;
}

/** Where the first brace is that a name follows, or -1. */
function objectStart(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (b[p] !== OPEN) continue;
    let next = p + 1;
    while (next < end && b[next]! <= 32) next += 1;
    if (b[next] === QUOTE) return p;
  }
  return -1;
}

/** Undefined for what is no object, or states a name more than once. */
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
