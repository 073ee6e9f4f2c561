/** An attribute that occurs several times in a row keeps each of its values, whatever its name is. */
import { expect, it } from 'vitest';
import { EventBatch, MAX_ATTRIBUTE_COLUMNS } from '../../engine/columns/event-batch.ts';
import type { TextColumn } from '../../engine/columns/columns.ts';
import { AttributeNames } from './attribute-names.ts';

const encoder = new TextEncoder();

/** Sets `name` of the row being filled to each of the values. */
function setAll(names: AttributeNames, name: string, values: readonly string[]): void {
  const nameBytes = encoder.encode(name);
  for (const value of values) {
    const bytes = encoder.encode(value);
    names.set(nameBytes, 0, 0, 0, nameBytes.length, bytes, 0, bytes.length, true);
  }
}

/** The first row's text, after its four-byte length. */
const textOf = ({ data, size }: TextColumn): string =>
  Buffer.from(data.subarray(4, size)).toString();

/** Values of names that begin with `name` in the first row, those that had no column last. */
function valuesOf({ attributes, overflow }: EventBatch, name: string): string[] {
  const out: string[] = [];
  for (const [key, column] of attributes)
    if (key.startsWith(name) && column.present[0] === 1) out.push(textOf(column));
  if (overflow.present[0] === 1) {
    const rest = JSON.parse(textOf(overflow)) as Record<string, string>;
    for (const [key, value] of Object.entries(rest)) if (key.startsWith(name)) out.push(value);
  }
  return out;
}

it.each([
  ['a plain name', 'x', 0],
  ['a name with NUL', 'x\0y', 0],
  ['a name for which there is no column any more', 'x', MAX_ATTRIBUTE_COLUMNS],
])('%s', (_what, name, columns) => {
  const batch = new EventBatch('log', () => undefined, 16);
  for (let i = 0; i < columns; i++) batch.attributeColumn(`other${i}`);
  const names = new AttributeNames(batch);
  setAll(names, name, ['first', 'second', 'third']);
  batch.endRow();
  expect(valuesOf(batch, 'x')).toEqual(['first', 'second', 'third']);
});
