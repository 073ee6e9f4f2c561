/** The host that a message names is preferred to that of its header; other rows keep theirs. */
import { expect, it } from 'vitest';
import { EventBatch } from '../columns/event-batch.ts';
import type { TextColumn } from '../columns/columns.ts';
import { Cutter } from './cutting/cutter.ts';
import { readExtractor } from './cutting/extractor.ts';

const text = new TextDecoder();
const one = readExtractor(
  {
    ...{ extractor: 'test', version: 1, for: 'tests', leavesOut: 'nothing', programs: ['*'] },
    templates: [{ text: 'device={host} x{:rest}' }],
  },
  'test.json',
);

type Hosts = [host: string | undefined, header: string | undefined];

function hostsOf(rows: readonly (readonly [string | undefined, string])[]): Hosts[] {
  const batch = new EventBatch('log', () => undefined, rows.length + 1);
  for (const [host, message] of rows) {
    if (host !== undefined) batch.host.setString(batch.length, host);
    batch.message.setString(batch.length, message);
    batch.endRow();
  }
  new Cutter([one]).cut(batch);
  const textAt = ({ present, starts, data }: TextColumn, row: number): string | undefined => {
    if (present[row] === 0) return undefined;
    const at = starts[row]!;
    return text.decode(data.subarray(at + 4, at + 4 + data[at]!));
  };
  return rows.map((_, row) => [textAt(batch.host, row), textAt(batch.cutText('header_host'), row)]);
}

it('names the device that wrote the record, and keeps the host of its header', () => {
  const hosts = hostsOf([
    ['relay', 'device=fw1 x'],
    ['other', 'nothing'],
    [undefined, 'device=fw2 x'],
    [undefined, 'nothing'],
    ['fw3', 'device=fw3 x'],
    ['last', 'nothing'],
  ]);
  expect(hosts).toEqual([
    ['fw1', 'relay'],
    ['other', undefined],
    ['fw2', undefined],
    [undefined, undefined],
    ['fw3', undefined],
    ['last', undefined],
  ]);
});
