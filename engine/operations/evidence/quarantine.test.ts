import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { zeekConn } from '../../ingest/testing/small-evidence.ts';
import { QuarantineReader, type QuarantineQuery } from './quarantine.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-quarantine-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let reader: QuarantineReader;
let n = 0;
beforeEach(() => {
  folder = join(root, String(n++));
  mkdirSync(join(folder, 'quarantine'), { recursive: true });
  reader = new QuarantineReader(folder);
});

const file = (importId: number) => join(folder, 'quarantine', `${importId}.ndjson`);
const size = (importId: number) => statSync(file(importId)).size;
const line = (sourceId: number, offset: number, raw: string | Buffer = `r${offset}`) =>
  `${JSON.stringify({
    source: `s"${sourceId}\\","sourceId":9`,
    sourceId,
    offset,
    line: offset + 1,
    reason: 'bad "row"',
    length: Buffer.byteLength(raw),
    raw: Buffer.from(raw).toString('base64'),
  })}\n`;
const list = (
  query: Partial<QuarantineQuery> = {},
  imports = [{ id: 1, quarantineBytes: size(1) }],
) => reader.list(imports, { offset: 0, limit: 200, ...query }, new AbortController().signal);
const offsets = async (...args: Parameters<typeof list>) => {
  const { total, records } = await list(...args);
  return [total, records.map(({ offset }) => offset)];
};
const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

describe('pages', () => {
  it('every page of a long file is what lies there, for all sources and for one', async () => {
    writeFileSync(
      file(1),
      range(0, 3000)
        .map((i) => line(1 + (i % 3), i))
        .join(''),
    );
    for (const offset of [0, 1, 255, 256, 257, 1023, 2990, 2999])
      expect(await offsets({ offset, limit: 20 })).toEqual([
        3000,
        range(offset, Math.min(3000, offset + 20)),
      ]);
    expect(await offsets({ offset: 3000 })).toEqual([3000, []]);
    for (const offset of [0, 255, 256, 300, 995])
      expect(await offsets({ sourceId: 2, offset, limit: 10 })).toEqual([
        1000,
        range(1 + 3 * offset, Math.min(3000, 1 + 3 * (offset + 10)), 3),
      ]);
    expect(await offsets({ sourceId: 9 })).toEqual([0, []]);
  });

  it('goes over several imports, or stays in one', async () => {
    for (const id of [1, 2, 5])
      writeFileSync(
        file(id),
        range(0, 10)
          .map((i) => line(id, id * 100 + i))
          .join(''),
      );
    const imports = [1, 2, 3, 5].map((id) => ({ id, quarantineBytes: id === 3 ? 0 : size(id) }));
    expect(await offsets({ offset: 8, limit: 14 }, imports)).toEqual([
      30,
      [108, 109, ...range(200, 210), 500, 501],
    ]);
    expect(await offsets({ importId: 2, offset: 9 }, imports)).toEqual([10, [209]]);
    const { records } = await list({ importId: 5, limit: 1 }, imports);
    expect(records[0]).toEqual({
      ...{ importId: 5, sourceId: 5, source: 's"5\\","sourceId":9', offset: 500, line: 501 },
      ...{ reason: 'bad "row"', raw: new TextEncoder().encode('r500'), size: 4 },
    });
  });

  it('sees what is committed, and what is committed since; what was cut off is gone', async () => {
    writeFileSync(
      file(1),
      range(0, 5)
        .map((i) => line(1, i))
        .join(''),
    );
    const committed = size(1);
    appendFileSync(file(1), '{"source":"half');
    expect(await offsets({}, [{ id: 1, quarantineBytes: committed }])).toEqual([5, range(0, 5)]);
    writeFileSync(
      file(1),
      range(0, 700)
        .map((i) => line(1, i))
        .join(''),
    );
    expect(await offsets({ offset: 690 })).toEqual([700, range(690, 700)]);
    expect(await offsets({ offset: 1 }, [{ id: 1, quarantineBytes: committed }])).toEqual([
      5,
      range(1, 5),
    ]);
  });
});

it('shows the beginning of a long record, and what lies behind it', async () => {
  const long = Buffer.alloc(1 << 20, 0x80).fill('abc', 0, 3);
  writeFileSync(file(1), [line(1, 0), line(1, 1, long), line(1, 2, long), line(1, 3)].join(''));
  const { records } = await list();
  expect(records.map(({ offset, raw, size: all }) => [offset, raw.length, all])).toEqual([
    [0, 2, 2],
    [1, 4096, 1 << 20],
    [2, 4096, 1 << 20],
    [3, 2, 2],
  ]);
  expect(Buffer.from(records[1]!.raw)).toEqual(long.subarray(0, 4096));
});

it('lines that are no records, and a file that is gone: no crash', async () => {
  writeFileSync(file(1), `${line(1, 0)}null\n[1]\n{"raw":5}\n\n${line(1, 7)}`);
  expect((await list()).records.map(({ reason }) => reason)).toEqual([
    'bad "row"',
    ...Array.from({ length: 4 }, () => 'the quarantine file is damaged here'),
    'bad "row"',
  ]);
  const gone = [
    { id: 4, quarantineBytes: 100 },
    { id: 1, quarantineBytes: size(1) },
  ];
  expect((await list({}, gone)).total).toBe(6);
});

it('reads what an import writes', async () => {
  rmSync(folder, { recursive: true });
  const evidence = join(root, `evidence-${n}`);
  mkdirSync(evidence);
  const text = zeekConn(9).replace(/^.*Cabc4\t.*$/m, 'no\trow');
  writeFileSync(join(evidence, 'a "b".zeek'), text);
  await importInProcess(folder, [evidence]);
  const catalog = Catalog.open(folder);
  const { total, records } = await list({}, catalog.imports.all());
  catalog.close();
  expect(total).toBe(1);
  expect(records[0]).toMatchObject({
    ...{ importId: 1, sourceId: 1, source: 'a "b".zeek', offset: text.indexOf('no\trow'), size: 6 },
    reason: 'row has fewer cells than there are columns',
    raw: new TextEncoder().encode('no\trow'),
  });
});
