/** How windows use lists: stored once, named by every question; and the preview of one, whatever its text. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import type { Request } from '../../contract/operations.ts';
import { CasePool } from '../../search/session/case-pool.ts';
import type { GivenList } from '../../search/lists/case-lists.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import type { Client } from '../handler.ts';
import { eventHandlers } from '../event/handlers.ts';
import { markHandlers } from '../marks/handlers.ts';
import { outputHandlers } from '../output/handlers.ts';
import { queryHandlers } from './handlers.ts';
import { keepList, withList } from './kept-lists.ts';
import { previewList } from './list-preview.ts';
import { type SmallCase, smallCase } from '../testing/small-case.ts';

const ROWS = [
  ['2026-10-01T00:00:00Z', '10.0.0.1', '40000', '10.9.9.9', '443', 'alice'],
  ['2026-10-01T00:00:01Z', '10.0.0.2', '40001', '10.9.9.9', '53', 'bob'],
  ['2026-10-01T00:00:02Z', '10.9.9.9', '443', '10.0.0.1', '40000', 'carol'],
];
const NAMES = ['timestamp', 'src_ip', 'src_port', 'dst_ip', 'dst_port', 'user'];

let small: SmallCase;
let session: CaseSession;
let client: Client;

beforeAll(async () => {
  const records = ROWS.map((row) =>
    JSON.stringify({ message: 'm', ...Object.fromEntries(row.map((one, at) => [NAMES[at], one])) }),
  );
  small = await smallCase({ 'records.ndjson': `${records.join('\n')}\n` }, evidence);
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 2 });
}, 60_000);
afterAll(async () => {
  await session.close();
  await small.dispose();
});
beforeEach(() => {
  client = { kept: new Map() };
});

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const given = (text: string, more: Omit<GivenList, 'bytes'> = {}): GivenList => ({
  bytes: bytesOf(text),
  ...more,
});
const context = () => ({
  client,
  signal: new AbortController().signal,
  part: async () => undefined,
});

describe('what is said of a list', () => {
  type Preview = ReturnType<typeof previewList>;
  const said: [string, string, Omit<GivenList, 'bytes'>, Partial<Preview>][] = [
    [
      'names of fields, which may be aliases',
      'id.orig_h,dest_port\n10.0.0.1,443\n',
      {},
      {
        ...{ form: 'table', header: true, first: [['10.0.0.1', '443']] },
        columns: [
          { name: 'id.orig_h', field: 'src_ip' },
          { name: 'dest_port', field: 'dst_port' },
        ],
        understood: { rows: 1, fields: ['src_ip', 'dst_port'], eitherWay: false },
      },
    ],
    [
      'one value a line',
      '# feed\n10.0.0.1\nalice\n',
      {},
      {
        ...{ form: 'values', header: false, first: [['10.0.0.1'], ['alice']] },
        columns: [{ name: undefined, field: undefined }],
        understood: {
          ...{ rows: 2, fields: ['ip', 'text'], eitherWay: false },
          anyType: { addresses: 1, texts: 1 },
        },
      },
    ],
    [
      'one value a line, matched as a field',
      'alice\nbob\n',
      { columns: ['user'] },
      {
        columns: [{ name: undefined, field: 'user' }],
        understood: { rows: 2, fields: ['user'], eitherWay: false },
      },
    ],
    [
      'the name of a field that no event of the case has',
      'sha256\nabc\n',
      {},
      {
        ...{ form: 'table', header: true, first: [['abc']] },
        columns: [{ name: 'sha256', field: undefined }],
        problem: { message: 'line 1 of the list: "sha256": no field of events' },
      },
    ],
    [
      'names that are no fields',
      'attacker;seen;victim\n10.0.0.1;today;10.9.9.9\n',
      {},
      {
        ...{ form: 'table', header: true, first: [['10.0.0.1', 'today', '10.9.9.9']] },
        columns: ['attacker', 'seen', 'victim'].map((name) => ({ name, field: undefined })),
        problem: { message: 'line 1 of the list: 3 columns without a name' },
      },
    ],
    [
      'names that are no fields, of which somebody said what they are',
      'attacker;seen;victim\n10.0.0.1;today;10.9.9.9\n',
      { columns: ['src_ip', null, 'dst_ip'], header: true },
      {
        columns: [
          { name: 'attacker', field: 'src_ip' },
          { name: 'seen', field: undefined },
          { name: 'victim', field: 'dst_ip' },
        ],
        understood: { rows: 1, fields: ['src_ip', 'dst_ip'], eitherWay: true },
      },
    ],
    [
      'columns without names',
      '10.0.0.1\t443\n10.0.0.2\t53\n',
      { columns: ['src_ip', 'dst_port'] },
      {
        ...{ form: 'table', header: false, first: ['10.0.0.1 443', '10.0.0.2 53'].map(split) },
        understood: { rows: 2, fields: ['src_ip', 'dst_port'], eitherWay: false },
      },
    ],
    [
      'objects with keys that are no fields',
      '{"attacker":"10.0.0.1","n":{"deep":1}}\n{"n":2,"port":53,"attacker":"10.0.0.2"}\n',
      { columns: ['src_ip', null, 'dst_port'] },
      {
        ...{ form: 'json', header: true },
        columns: [
          { name: 'attacker', field: 'src_ip' },
          { name: 'n', field: undefined },
          { name: 'port', field: 'dst_port' },
        ],
        first: [
          ['10.0.0.1', '{"deep":1}', ''],
          ['10.0.0.2', '2', '53'],
        ],
        understood: { rows: 2, fields: ['src_ip', 'dst_port'], eitherWay: false },
      },
    ],
    [
      'a line that is wrong',
      'src_ip\n10.0.0.1\n10.0.0.999\n',
      {},
      {
        first: [['10.0.0.1'], ['10.0.0.999']],
        problem: { message: 'line 3 of the list: "10.0.0.999" is not an IP address' },
      },
    ],
    [
      'no column that counts',
      'a,1\nb,2\n',
      { columns: [null, null] },
      { problem: { message: 'the list: none of its columns is used' } },
    ],
    [
      'several columns where each line is one value',
      'a\nb\n',
      { columns: ['user', 'dst_port'] },
      { problem: { message: 'line 1 of the list: 1 column, but 2 were named' } },
    ],
    [
      'more columns than it has',
      'a,1\n',
      { columns: ['user', 'dst_port', 'src_ip'] },
      { problem: { message: 'line 1 of the list: 2 columns, but 3 were named' } },
    ],
  ];
  it.each(said)('%s', (_what, text, more, want) => {
    const said = previewList(session, given(text, more));
    expect(said).toMatchObject(want);
    expect(said.understood === undefined).toBe(said.problem !== undefined);
  });

  it.each([
    ['a long text in quotes', `"${'a,'.repeat(8e6)}"\n`],
    ['one that is not closed', `"${'a""'.repeat(5e5)}`],
    ['many quotes', '""'.repeat(5e5)],
    ['a value in many others', `{"a":${'['.repeat(2e5)}${']'.repeat(2e5)}}\n`],
  ])('of %s', (_what, text) => {
    expect(previewList(session, given(text)).problem).toBeDefined();
  });

  it('of any bytes', () => {
    const piece = fc.constantFrom(
      '{',
      '"',
      ',',
      '\n',
      '\t',
      ';',
      'src_ip',
      '10.0.0.1',
      '\0',
      '#',
      'a',
    );
    const text = fc.array(piece, { maxLength: 40 }).map((all) => all.join(''));
    const columns = fc.option(fc.array(fc.constantFrom(null, 'src_ip', 'user'), { minLength: 1 }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(text, columns, fc.boolean(), (one, named, header) => {
        const {
          columns: all,
          first,
          understood,
          problem,
        } = previewList(session, given(one, { columns: named, header }));
        expect(first.every((row) => row.length === all.length)).toBe(true);
        expect(understood === undefined).toBe(problem !== undefined);
      }),
      { numRuns: 300 },
    );
  });
});

function split(text: string): string[] {
  return text.split(' ');
}

describe('a list that is kept', () => {
  const TEXT = 'who;n;port\nalice;1;443\nmallory;2;443\n';
  const columns = ['user', null, 'dst_port'];

  it('is that of every question that names it', async () => {
    const queries = queryHandlers(small.services);
    const { id } = await queries['list.keep']({ bytes: bytesOf(TEXT) }, context());
    const named = { kept: id, name: 'who.csv', columns, header: true };
    const whole = { bytes: bytesOf(TEXT), name: 'who.csv', columns, header: true };
    for (const list of [named, whole]) {
      const view = { case: small.folder, query: '*', zone: 'UTC', list };
      const opened = await queries['result.open']({ ...view, first: 10 }, context());
      expect(opened.total).toBe(1);
      expect(
        (await queries['timeline.run']({ ...view, buckets: 10, most: 8 }, context())).total,
      ).toBe(1);
      const { values } = await queries['field.values'](
        { ...view, field: 'user', limit: 5 },
        context(),
      );
      expect(values).toEqual([{ value: 'alice', count: 1, share: 1 }]);
      const { lines, of, unsearched } = await queries['list.unmatched'](view, context());
      expect([[...lines], of, unsearched]).toEqual([[3], 2, []]);
      const exported = await outputHandlers(small.services, { version: '0' })['export.rows'](
        { ...view, format: 'csv' },
        context(),
      );
      expect(exported.rows).toBe(1);
    }
    const { query, zone } = { query: '*', zone: 'UTC' };
    const marked = await markHandlers(small.services)['tag.set'](
      {
        ...{ case: small.folder, name: 'listed', remove: false },
        target: { view: { query, zone, list: named } },
      },
      context(),
    );
    expect(marked).toEqual({ matched: 1, changed: 1 });
    expect(session.catalog.audit.entries().at(-1)?.detail).toMatchObject({
      list: { name: 'who.csv', bytes: TEXT.length, sha256: id },
    });
  });

  it('finds texts of a list in fields whose words no message has', async () => {
    const list = { bytes: bytesOf('alice\nm\nnobody\n'), name: 'values.txt' };
    const view = { case: small.folder, query: '*', zone: 'UTC', list };
    const { lines } = await queryHandlers(small.services)['list.unmatched'](view, context());
    expect([...lines]).toEqual([3]);
  });

  it('narrows all that a window asks at once of a case that was not open', async () => {
    const bytes = Array.from({ length: 5000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`).join('\n');
    for (let round = 0; round < 5; round++) {
      const cases = new CasePool(() => ({ memoryLimit: 3e8, threads: 2 }));
      const queries = queryHandlers({ cases });
      const { id } = await queries['list.keep']({ bytes: bytesOf(bytes + round) }, context());
      const view = { case: small.folder, query: '*', zone: 'UTC', list: { kept: id } } as const;
      const scan = { ...view, path: 'scan' } as const;
      const [opened, { total }, ...missed] = await Promise.all([
        queries['result.open']({ ...scan, first: 10 }, context()),
        queries['timeline.run']({ ...scan, buckets: 10, most: 8 }, context()),
        ...[1, 2, 3].map(() => queries['list.unmatched'](view, context())),
      ]);
      expect([opened.total, total]).toEqual([3, 3]);
      expect(missed.map(({ lines }) => lines.length)).toEqual([4998, 4998, 4998]);
      await cases.close();
    }
  });

  it('is missed by name when it is gone, or was of another window', async () => {
    const queries = queryHandlers(small.services);
    const { id } = await queries['list.keep']({ bytes: bytesOf(TEXT) }, context());
    client = { kept: new Map() };
    const list = { kept: id, columns };
    const view = { case: small.folder, query: '*', zone: 'UTC', list };
    const gone = { code: 'list-not-kept' };
    await expect(queries['result.open']({ ...view, first: 1 }, context())).rejects.toMatchObject(
      gone,
    );
    await expect(queries['list.unmatched'](view, context())).rejects.toMatchObject(gone);
    await expect(queries['list.preview'](view, context())).rejects.toMatchObject(gone);
    await expect(
      eventHandlers(small.services)['packets.slice'](view, context()),
    ).rejects.toMatchObject(gone);
  });

  it('is evicted when there are many, the one used longest ago first', () => {
    const keep = (n: number, size: number): string =>
      keepList(client, new Uint8Array(size).fill(n));
    const isKept = (id: string): boolean => {
      try {
        const list: Request<'query.run'>['list'] = { kept: id };
        return withList(client, { list }).list?.bytes.length !== undefined;
      } catch {
        return false;
      }
    };
    const [a, b] = [keep(1, 24 << 20), keep(2, 24 << 20)];
    expect(isKept(a)).toBe(true);
    const c = keep(3, 24 << 20);
    expect([a, b, c].map(isKept)).toEqual([true, false, true]);
    const small_ = Array.from({ length: 250 }, (_, n) => keep(n, 5 + n));
    expect(isKept(a)).toBe(false);
    expect(small_.filter(isKept).length).toBe(200);
  });
});
