/** `patterns`: templates in SQL and in JavaScript are equal; groups, their order and totals. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_TOKEN_BYTES } from '../../util/tokens.ts';
import { Params } from '../dialect/duckdb.ts';
import { DAY1, DAY2, EVENTS } from '../testing/fixture.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';
import { MOST_LETTERS, templateOf } from '../../util/templates.ts';
import { templateSql } from './patterns.ts';

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

async function answer(of: TestCase, text: string) {
  const found = await of.answer(of.plan(text));
  if (!('rows' in found)) throw new Error(found.shape);
  return found;
}

describe('a template', () => {
  it.each([
    ['', ''],
    ['no digit at_all', 'no digit at_all'],
    ['10.1.2.3 -> [2001:db8::1]:443', '<*>.<*>.<*>.<*> -> [<*>:<*>::<*>]:<*>'],
    ['sshd[12]: user4 x4y _5 7', 'sshd[<*>]: <*> <*> <*> <*>'],
    ['naïve_user über plain', '<*> <*> plain'],
    ['0xFF,deadbeef,\u0000a1\u0000b', '<*>,deadbeef,\u0000<*>\u0000b'],
    ['<*> stays $1 \\1 &', '<*> stays $<*> \\<*> &'],
    ['\r\n\t4\u{1f600}!\ufeff', '\r\n\t<*>!<*>'],
    ['a'.repeat(MOST_LETTERS), 'a'.repeat(MOST_LETTERS)],
    [`-${'a'.repeat(MOST_LETTERS + 1)}-`, '-<*>-'],
    [`-${'a'.repeat(500)}1-`, '-<*>-'],
  ])('of %j is %j', async (text, template) => {
    expect(templateOf(text)).toBe(template);
    expect(await inSql([text])).toEqual([template]);
  });

  it('keeps the words that the text index keeps', () => {
    expect(MOST_LETTERS).toBe(MAX_TOKEN_BYTES);
  });

  it('is the same in SQL and in JavaScript', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', 'Z', '_', '0', '9', '.', ' ', 'é', '😀', '\0') }),
      fc.nat({ max: 140 }).map((n) => 'q'.repeat(n)),
      fc.constantFrom('`', '{', '@', '[', '/', ':', '\x7f', '\x80', '\u{10ffff}', '\\', '<*>'),
    );
    const text = fc.array(piece, { maxLength: 20 }).map((parts) => parts.join('').toWellFormed());
    const property = fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (texts) => {
      expect(await inSql(texts)).toEqual(texts.map(templateOf));
    });
    await fc.assert(property, { seed: 4, numRuns: 100 });
  });

  it('of a huge text takes no longer than reading it', async () => {
    const huge = [
      'a'.repeat(2e6),
      `${'a'.repeat(2e6)}1`,
      'a1 '.repeat(5e5),
      `${'é'.repeat(1e6)} x`,
    ];
    expect(await inSql(huge)).toEqual(['<*>', '<*>', '<*> '.repeat(5e5), '<*> x']);
    expect(huge.map(templateOf)).toEqual(await inSql(huge));
  });

  async function inSql(texts: readonly string[]): Promise<unknown[]> {
    const params = new Params();
    const template = templateSql('t', params);
    const list = params.text(JSON.stringify(texts));
    const statement = params.finish(
      `SELECT ${template} FROM (SELECT unnest(CAST(from_json(${list}, '["VARCHAR"]') AS VARCHAR[])) AS t)`,
    );
    const reader = await test.connection.runAndReadAll(statement.sql, statement.params);
    return reader.getRows().map(([value]) => value);
  }
});

describe('patterns', () => {
  it('are the rarest first; events without a message are a group apart', async () => {
    expect(await answer(test, 'kind:log OR kind:flow day:2026-11-20 | patterns 2')).toEqual({
      shape: 'top',
      columns: ['count', 'share', 'first', 'last', 'event_id', 'template'],
      rows: [
        {
          count: 1,
          share: 1 / 8,
          first: '2026-11-21T00:33:00.000000Z',
          last: '2026-11-21T00:33:00.000000Z',
          event_id: '2:7',
          template: '--- ',
        },
        {
          count: 1,
          share: 1 / 8,
          first: '2026-11-21T00:31:00.000000Z',
          last: '2026-11-21T00:31:00.000000Z',
          event_id: '2:4',
          template: 'mail sent to a@b.c AND a@b-c',
        },
        {
          count: 2,
          share: 2 / 8,
          first: '2026-11-20T01:00:00.000000Z',
          last: '2026-11-20T01:01:00.000000Z',
          event_id: '1:1',
          template: null,
        },
      ],
      rest: { count: 4, groups: 4 },
      total: { count: 8, groups: 7 },
    });
  });

  it.each([
    ['kind:flow | patterns', [null]],
    ['event_id:2:4 | patterns', ['mail sent to a@b.c AND a@b-c']],
    [
      'kind:log | sort ts | head 1 | patterns',
      ['Failed password for root from <*>.<*>.<*>.<*> port <*> <*>'],
    ],
    ['kind:log | patterns 0', []],
    ['ts:2031 | patterns', []],
    ['kind:log | patterns | where mail | fields template', ['mail sent to a@b.c AND a@b-c']],
    ['kind:log | patterns | tail 1 | fields template', ['no time at all, failed']],
  ])('%s', async (text, templates) => {
    expect((await answer(test, text)).rows.map(({ template }) => template)).toEqual(templates);
  });

  it('go on into other stages', async () => {
    expect((await answer(test, 'kind:log | patterns | stats sum(count) as n')).rows).toEqual([
      { n: 6 },
    ]);
    expect((await answer(test, '| patterns | count')).rows).toEqual([{ count: 7 }]);
  });

  it('need events', () => {
    expect(() => test.plan('| count | patterns')).toThrow('patterns needs events');
    expect(() => test.plan('| patterns 5 up')).toThrow('found "up" in patterns');
  });
});

describe('patterns of generated events', () => {
  const words = fc.constantFrom('up', 'down', 'eth0', 'if 7', '', 'x'.repeat(70), 'ß');
  const event = fc.record({
    source: fc.constantFrom(1, 2),
    ts: fc.option(fc.constantFrom(DAY1, DAY1 + 1, DAY2, DAY2 + 5e6), { nil: undefined }),
    ns: fc.constantFrom(0, 5),
    message: fc.option(fc.array(words, { maxLength: 2 }).map((parts) => parts.join(' '))),
    deleted: fc.boolean(),
  });

  it('add up to what counting one by one gives', async () => {
    const property = fc.asyncProperty(
      fc.array(event, { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (given, limit, descending) => {
        const events = given.map(({ source, ts, ns, message, deleted }, i): TestEvent => ({
          kind: 'log',
          ...{ source, seq: i, ts, deleted, attributes: {} },
          fields: {
            ...(ts === undefined ? {} : { ts_ns: ns }),
            ...(message === null ? {} : { message }),
          },
        }));
        const small = await openTestCase(events);
        try {
          const found = await answer(small, `| patterns ${limit}${descending ? ' desc' : ''}`);
          expect(found).toMatchObject(expected(events, limit, descending));
        } finally {
          small.close();
        }
      },
    );
    await fc.assert(property, { seed: 5, numRuns: 30 });
  });

  function expected(all: readonly TestEvent[], limit: number, descending: boolean) {
    const events = all.filter(({ deleted }) => deleted !== true);
    const groups = Map.groupBy(events, ({ fields }) =>
      fields.message === undefined ? null : templateOf(String(fields.message)),
    );
    const nanos = ({ fields }: TestEvent) => Number(fields.ts_ns ?? 0);
    const rows = [...groups].map(([template, list]) => {
      const first = list.toSorted(
        (a, b) =>
          (a.ts ?? Infinity) - (b.ts ?? Infinity) ||
          nanos(a) - nanos(b) ||
          a.source - b.source ||
          a.seq - b.seq,
      )[0]!;
      const last = list.reduce((most, { ts }) => Math.max(most, ts ?? -Infinity), -Infinity);
      return {
        last,
        row: { count: list.length, event_id: `${first.source}:${first.seq}`, template },
      };
    });
    const named = rows
      .filter(({ row }) => row.template !== null)
      .sort(
        (a, b) =>
          (descending ? b.row.count - a.row.count : a.row.count - b.row.count) ||
          (a.last === b.last ? 0 : b.last - a.last) ||
          Buffer.compare(Buffer.from(a.row.template!), Buffer.from(b.row.template!)),
      );
    const without = rows.filter(({ row }) => row.template === null);
    const shown = [...named.slice(0, limit), ...without].map(({ row }) => row);
    const left = events.length - shown.reduce((sum, { count }) => sum + count, 0);
    return {
      rows: shown,
      rest: { count: left, groups: rows.length - shown.length },
      ...(events.length === 0 ? {} : { total: { count: events.length, groups: rows.length } }),
    };
  }
});
