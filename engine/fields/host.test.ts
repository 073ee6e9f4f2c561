/** The host that a message names is preferred to that of its header; other rows keep theirs. */
import { expect, it } from 'vitest';
import { EventBatch } from '../contract/event-batch.ts';
import { Cutter } from './cutter.ts';
import { readExtractor } from './extractor.ts';

const text = new TextDecoder();
const one = readExtractor(
  {
    ...{ extractor: 'test', version: 1, for: 'tests', leavesOut: 'nothing', programs: ['*'] },
    templates: [{ text: 'device={host} x{:rest}' }],
  },
  'test.json',
);

function hostsOf(rows: readonly (readonly [string | undefined, string])[]): (string | undefined)[] {
  const batch = new EventBatch('log', () => undefined, rows.length + 1);
  for (const [host, message] of rows) {
    if (host !== undefined) batch.host.setString(batch.length, host);
    batch.message.setString(batch.length, message);
    batch.endRow();
  }
  new Cutter([one]).cut(batch);
  const { host } = batch;
  return rows.map((_, row) => {
    if (host.present[row] === 0) return undefined;
    const at = host.starts[row]!;
    return text.decode(host.data.subarray(at + 4, at + 4 + host.data[at]!));
  });
}

it('names the device that wrote the record', () => {
  const hosts = hostsOf([
    ['relay', 'device=fw1 x'],
    ['other', 'nothing'],
    [undefined, 'device=fw2 x'],
    [undefined, 'nothing'],
    ['fw3', 'device=fw3 x'],
    ['last', 'nothing'],
  ]);
  expect(hosts).toEqual(['fw1', 'other', 'fw2', undefined, 'fw3', 'last']);
});
