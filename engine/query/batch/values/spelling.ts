/**
 * Converts the codes of a batch (`EventBatch.coded`) to texts, for code that cannot use codes: written into the
 * text column once per filling, on request.
 */
import type { EventBatch } from '../../../columns/event-batch.ts';
import type { TextColumn } from '../../../columns/columns.ts';
import { SEARCHED_TEXTS } from '../../../contract/event.ts';

export const ATTRIBUTE_PREFIX = 'a:';

const spellings = new WeakMap<EventBatch, Spelling>();

export function spellingOf(batch: EventBatch): Spelling {
  let spelling = spellings.get(batch);
  if (spelling === undefined) spellings.set(batch, (spelling = new Spelling(batch)));
  return spelling;
}

class Spelling {
  private readonly batch: EventBatch;
  /** Names of columns that are converted in every filling: their users hold the column. */
  private readonly always = new Set<string>();
  private readonly done = new Set<string>();

  constructor(batch: EventBatch) {
    this.batch = batch;
  }

  /** Call it when the batch has been refilled. */
  begin(): void {
    this.done.clear();
    for (const name of this.always) this.spell(name);
  }

  /** The texts of a column, now and in every later filling. */
  keep(name: string): void {
    if (!this.batch.coded.has(name)) return;
    this.always.add(name);
    this.spell(name);
  }

  /** The texts of an attribute in this filling; of all attributes without a name. */
  attribute(name?: string): void {
    if (this.batch.coded.size === 0) return;
    if (name !== undefined) this.spell(ATTRIBUTE_PREFIX + name.toLowerCase());
    else for (const one of this.batch.coded.keys()) if (isAttribute(one)) this.spell(one);
  }

  private spell(name: string): void {
    const coded = this.batch.coded.get(name);
    if (coded === undefined || this.done.has(name)) return;
    this.done.add(name);
    const column = this.columnOf(name);
    if (column === undefined) return;
    const { values, present, bytesOf } = coded;
    for (let row = 0; row < this.batch.length; row++) {
      if (present[row] !== 1) continue;
      const bytes = bytesOf(values[row]!);
      column.set(row, bytes, 0, bytes.length);
    }
  }

  private columnOf(name: string): TextColumn | undefined {
    if (isAttribute(name)) return this.batch.attributeColumn(name.slice(ATTRIBUTE_PREFIX.length));
    const text = SEARCHED_TEXTS.find((one) => one === name);
    const column = text && this.batch.column(text);
    return column?.type === 'text' ? column : undefined;
  }
}

function isAttribute(name: string): boolean {
  return name.startsWith(ATTRIBUTE_PREFIX);
}
