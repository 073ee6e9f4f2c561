/** The text index of cut messages equals, byte for byte, that of their text. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { TextIndexBuilder } from '../../index/text/index.ts';
import { rowList, rowSpan } from '../../store/parts/batch-rows.ts';
import { ParquetPart } from '../../store/parts/parquet-part.ts';
import type { RowsMessage } from './index-protocol.ts';
import { indexRowsOf } from './index-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'cut-index-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NUMBER = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map(String),
  fc.integer({ min: 0, max: 200_000 }).map(String),
  fc.constantFrom('0', '007', '255', '256', '65535', '65536', '99999', '100000', '999999999'),
  fc.constantFrom('1000000000', '4294967295', '4294967296', '18446744073709551615'),
);
/** The variable part of a message; sometimes without a digit, so that its token is not open. */
const VARIABLE = fc.oneof(
  { weight: 4, arbitrary: NUMBER },
  { weight: 1, arbitrary: fc.constantFrom('a1', '1f', 'K9', 'é1', '日本', 'Ab', 'abc', '_') },
  { weight: 1, arbitrary: NUMBER.map((text) => `${'x'.repeat(66)}${text}`) },
  { weight: 1, arbitrary: fc.constant('long'.repeat(20)) },
);
/** The constant parts: words, tokens that stay the same, delimiters, and prefixes of variables. */
const CONSTANT = fc.constantFrom(
  ...[
    '',
    ' ',
    ': ',
    ' port ',
    ' user',
    ' from id',
    '[',
    '] = ',
    ' é',
    ' x2 y',
    ' 10.0.0.',
    ' K7: ',
  ],
  ...[` ${'w'.repeat(70)} `, ` ${'v'.repeat(63)}`, ' 4711 ', ' 123456 of 1234567890 '],
);
const TEMPLATE = fc.array(CONSTANT, { minLength: 1, maxLength: 6 });
const ROW = fc.record({
  template: fc.nat(3),
  variables: fc.array(VARIABLE, { minLength: 6, maxLength: 6 }),
  pid: fc.option(fc.constantFrom(1, 77, 100_001), { freq: 3 }),
  host: fc.constantFrom('web1', 'db', ''),
});

function sectionsOf(messages: readonly RowsMessage[]) {
  const builder = new TextIndexBuilder();
  for (const { length, texts, cut } of messages)
    builder.add({
      ...{ kind: 'log', length, cut },
      ...{ texts: new Map(texts), numbers: new Map(), ip6: new Map() },
    });
  return builder.finish(undefined);
}

it('is the same from shapes and variables as from texts', () => {
  let cut = 0;
  let whole = 0;
  let files = 0;
  fc.assert(
    fc.property(
      fc.array(TEMPLATE, { minLength: 4, maxLength: 4 }),
      fc.array(ROW, { minLength: 150, maxLength: 250 }),
      fc.nat(100),
      fc.boolean(),
      (templates, rows, tenths, listed) => {
        const batch = new EventBatch('log', () => undefined, 256);
        for (const { template, variables, host, ...row } of rows) {
          const at = batch.length;
          const pid = template === 0 ? (row.pid ?? 5) : row.pid;
          // Every second variable stays the same for a while, or is the process identifier.
          const other = String(template === 0 ? pid : at >>> 5);
          const text = templates[template]!.map(
            (constant, i) => `${constant}${i % 2 === 0 ? variables[i]! : other}`,
          ).join('');
          batch.message.setString(at, text);
          if (host !== '') batch.host.setString(at, host);
          if (pid !== null) batch.pid.set(at, pid);
          batch.endRow();
        }
        const middle = Math.floor((rows.length * tenths) / 100);
        const groups = [
          [0, middle],
          [middle, rows.length],
        ].map(([from, to]) =>
          listed
            ? rowList(Uint32Array.from({ length: to! - from! }, (_, i) => to! - 1 - i))
            : rowSpan(from!, to!),
        );
        const part = new ParquetPart(join(folder, `${(files += 1)}.parquet`));
        const cutRows = groups.map((group) => {
          const messages = part.addRowGroup(batch, group);
          cut += messages?.shapeOf.filter((number) => number > 0).length ?? 0;
          whole += messages?.whole.filter((is) => is === 1).length ?? 0;
          return indexRowsOf(batch, group, messages);
        });
        part.abandon();
        const texts = groups.map((group) => indexRowsOf(batch, group));
        expect(sectionsOf(cutRows)).toEqual(sectionsOf(texts));
      },
    ),
    { numRuns: 15, seed: 17, endOnFailure: true },
  );
  expect(cut).toBeGreaterThan(300);
  expect(whole).toBeGreaterThan(300);
});
