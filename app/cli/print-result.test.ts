/**
 * Output by destination: on a terminal control characters of evidence are escaped, a pipe and a file get them
 * unchanged.
 */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { ShownRecord } from '../../engine/search/index.ts';
import { type PrintOptions, printRecords, printTable } from './print-result.ts';

const RED = '\u001b[31mred\u009b0m\u0007 "quoted", and\nmore';

async function printed(
  isTTY: boolean,
  print: (options: PrintOptions) => Promise<number>,
): Promise<string> {
  const out = Object.assign(new PassThrough(), { isTTY });
  const streams = { out, err: new PassThrough() };
  const whole = text(out);
  await print({
    format: 'csv',
    out: undefined,
    guard: { overwrite: false, inputs: [] },
    streams,
    beside: () => ({}),
  });
  out.end();
  return whole;
}

const record: ShownRecord = { host: RED, [`name ${RED}`]: 1 };
const names = Object.keys(record);
async function* rows(): AsyncGenerator<ShownRecord[]> {
  yield [record];
}

it.each<[string, (options: PrintOptions) => Promise<number>]>([
  ['events', (options) => printRecords(rows(), names, () => names, options)],
  ['a table', (options) => printTable({ columns: names, records: rows() }, options)],
])('CSV of %s', async (_, print) => {
  const shown = '\\x1b[31mred\\x9b0m\\x07 ""quoted"", and\\nmore';
  expect(await printed(true, print)).toBe(`host,"name ${shown}"\n"${shown}",1\n`);
  const quoted = RED.replaceAll('"', '""');
  expect(await printed(false, print)).toBe(`host,"name ${quoted}"\n"${quoted}",1\n`);
});

it('prints more events at once than a call takes arguments', async () => {
  async function* many(): AsyncGenerator<ShownRecord[]> {
    yield Array.from({ length: 300_000 }, (_, n) => ({ n }));
  }
  const text = await printed(false, (options) => printRecords(many(), ['n'], () => ['n'], options));
  expect(text.split('\n')).toHaveLength(300_002);
});
