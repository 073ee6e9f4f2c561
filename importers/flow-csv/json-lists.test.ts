/** Objects with lists of records: as many events as records, at their positions in the content. */
import { describe, expect, it } from 'vitest';
import { collect, collectFrom, DEFAULT_OPTIONS, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const record = (n: number): Record<string, unknown> => ({
  eventTime: new Date(Date.UTC(2026, 10, 21, 0, 0, n)).toISOString(),
  sourceIPAddress: `192.0.2.${n % 250}`,
  eventName: 'Get"}]{[Object',
  requestParameters: { items: [{ key: '"' }, []], n },
});
const RECORDS = Array.from({ length: 40 }, (_, n) => record(n));

async function readText(text: string, blockSize?: number) {
  const bytes = Buffer.from(text);
  const hint = { name: 'x', complete: bytes.length <= 65_536 };
  const found = flowCsvImporter.sniff(bytes.subarray(0, 65_536), hint);
  const options = { format: found?.format ?? '' };
  const result = await collect(flowCsvImporter, inputOf(bytes, 'x', blockSize), options, 7);
  return { ...result, rows: result.rows.toSorted((a, b) => Number(a['seq']) - Number(b['seq'])) };
}

const FORMS: readonly (readonly [string, string])[] = [
  ['CloudTrail', JSON.stringify({ Records: RECORDS })],
  ['CloudTrail, indented', JSON.stringify({ Records: RECORDS }, null, 2)],
  [
    'Microsoft, with members on both sides',
    JSON.stringify({
      '@odata.context': 'https://example.org/$metadata#x',
      '@odata.count': 40,
      value: RECORDS,
      '@odata.nextLink': 'https://example.org/?a={[]}',
    }),
  ],
  [
    'items of a list with metadata',
    JSON.stringify({ kind: 'EventList', metadata: {}, items: RECORDS }, null, '\t'),
  ],
  [
    'a page of Google’s reports, and what an interface answers',
    JSON.stringify({
      kind: 'admin#reports#activities',
      etag: '"x"',
      message: 'ok',
      items: RECORDS,
    }),
  ],
  [
    'a list a line',
    [0, 10, 20, 30]
      .map((at) => `${JSON.stringify({ records: RECORDS.slice(at, at + 10) })}\n`)
      .join(''),
  ],
  ['events after a byte order mark', `\ufeff ${JSON.stringify({ events: RECORDS })}`],
];

describe('a list of records within an object', () => {
  it.each(FORMS)('%s', async (_, text) => {
    for (const blockSize of [undefined, 1, 7, 4096]) {
      const result = await readText(text, blockSize);
      expect(result.quarantined).toEqual([]);
      expect(result.notes).toEqual([]);
      expect(result.records).toBe(RECORDS.length);
      const bytes = Buffer.from(text);
      for (const [i, row] of result.rows.entries()) {
        expect(row['seq']).toBe(i + 1);
        expect(row['ts']).toBe(Date.UTC(2026, 10, 21, 0, 0, i) * 1000);
        const [offset, length] = [
          Number(row['offset']),
          Number(row['record_length'] ?? row['length']),
        ];
        expect(JSON.parse(bytes.toString('utf8', offset, offset + length))).toEqual(RECORDS[i]);
      }
    }
  });

  it('of any size: the first 64 KiB need not hold all of it', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => record(n));
    const { rows, records } = await readText(JSON.stringify({ Records: many }));
    expect(records).toBe(3000);
    expect(rows.at(-1)!['ts']).toBe(Date.UTC(2026, 10, 21, 0, 0, 2999) * 1000);
  });

  it('keeps what stands before it as a fact about the source', async () => {
    const { metadata } = await readText(JSON.stringify({ tenant: 'x', value: RECORDS }));
    expect(metadata['around']).toBe('{"tenant":"x","value":[');
  });

  it('keeps what comes after it, too, over lines', async () => {
    const around = { tenant: 'x', value: RECORDS, user: 'alice', pages: { next: 2 } };
    const { metadata, records } = await readText(JSON.stringify(around, null, 1), 7);
    expect(records).toBe(RECORDS.length);
    expect(String(metadata['aroundEnd']).replace(/\s/g, '')).toBe(
      ',"user":"alice","pages":{"next":2}}',
    );
  });

  it('says that the objects around several lists differ', async () => {
    const lists = ['a', 'b', 'c'].map((tenant) => JSON.stringify({ tenant, value: RECORDS }));
    const { metadata, notes, records } = await readText(lists.join('\n'));
    expect(records).toBe(3 * RECORDS.length);
    expect(metadata['around']).toBe('{"tenant":"a","value":[');
    expect(notes).toEqual([
      'objects around lists of records differ: only the fields of the first were kept',
    ]);
  });

  it.each([
    ['between records', 2],
    ['inside one', 20],
  ])('that is cut off %s is said to be', async (_, off) => {
    const whole = JSON.stringify({ Records: RECORDS });
    const { notes, records, quarantined } = await readText(whole.slice(0, -off));
    expect(notes).toEqual(['ends inside the object around its records']);
    expect(records + quarantined.length).toBe(RECORDS.length);
  });

  it.each([
    [
      'between elements of an array',
      `[${RECORDS.map((one) => JSON.stringify(one)).join(',')}`,
      true,
    ],
    ['within one', `[${JSON.stringify(RECORDS[0])},{"a`, true],
    ['after an array', JSON.stringify(RECORDS), false],
    ['after a list in an object', JSON.stringify({ Records: RECORDS }), false],
    ['within its list', JSON.stringify({ Records: RECORDS }).slice(0, -2), true],
  ])('that ends %s', async (_, text, isCut) => {
    const input = inputOf(Buffer.from(text));
    const broken: unknown[] = [];
    await collectFrom((sink) =>
      flowCsvImporter.read(
        input,
        Object.assign(sink, { broken: (...args: unknown[]) => broken.push(args) }),
        { ...DEFAULT_OPTIONS, format: 'json-array' },
      ),
    );
    const reason = expect.stringMatching(/^ends inside /) as string;
    expect(broken).toEqual(isCut ? [['partial', text.length, reason]] : []);
  });

  it.each([
    ['an event that has a list', { timestamp: '2026-11-21T00:00:01Z', events: [{ a: 1 }] }],
    [
      'a report whose time and actor are objects before its list',
      {
        kind: 'admin#reports#activity',
        id: { time: '2026-11-21T00:00:01Z', applicationName: 'login' },
        actor: { email: 'alice@example.com' },
        events: [{ type: 'login', name: 'login_success' }],
      },
    ],
    ['an event that has its list first', { events: [{ a: 1 }], user: 'alice' }],
    ['an object with two lists', { value: [{ a: 1 }], others: [{ b: 1 }] }],
    ['a list of numbers', { value: [1, 2] }],
    ['a list of another name', { answers: [{ a: 1 }] }],
    ['an empty list', { Records: [] }],
  ])('is not %s', async (_, object) => {
    const { records, rows } = await readText(`${JSON.stringify(object)}\n`.repeat(2));
    expect(records).toBe(2);
    expect(rows.length).toBe(2);
  });
});

it('reads a text in place of a list of objects as a text, also one that begins like a list', async () => {
  const login = {
    ...{ uuid: 'u1', published: '2026-11-21T00:00:01.000Z', eventType: 'user.session.start' },
    ...{ actor: { id: 'a', alternateId: 'alice@example.com' }, target: '[x' },
  };
  const { rows } = await readText(`${JSON.stringify(login)}\n`.repeat(2));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ user: 'alice@example.com', attrs: { target: '[x' } });
});
