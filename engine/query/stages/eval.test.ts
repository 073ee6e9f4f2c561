/** Values of the row before: against plain loops over the events, and the beacon of the documents. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseIp4 } from '../values/address.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';

const START = Date.UTC(2026, 10, 20) * 1000;
const SECOND = 1e6;

/** Numbers from 0 to 1 that look random, always the same. */
function chance(): () => number {
  let state = 7;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A beacon every minute with two seconds of jitter among flows of people. */
function flows(): TestEvent[] {
  const next = chance();
  const out: TestEvent[] = [];
  const add = (at: number, from: string, to: string): void => {
    out.push({
      ...{ kind: 'flow', source: 1, seq: out.length + 1, ts: Math.round(START + at * SECOND) },
      fields: {
        ...{ src_ip4: parseIp4(from)!, dst_ip4: parseIp4(to)!, dst_port: 443, proto: 6 },
        bytes: Math.floor(next() * 9000),
      },
      attributes: {},
    });
  };
  for (let i = 0; i < 100; i++) add(i * 60 + next() * 4, '10.0.0.5', '203.0.113.9');
  for (let i = 0; i < 200; i++) add(next() * 6000, '10.0.0.6', '198.51.100.7');
  for (let i = 0; i < 80; i++)
    add(next() * 6000, `10.0.0.${7 + (i % 9)}`, `192.0.2.${Math.floor(next() * 20)}`);
  // Not in order of time; some have none.
  const mixed = out.map((event) => ({ event, at: next() })).sort((a, b) => a.at - b.at);
  return mixed.map(({ event }, i) => (i % 40 === 0 ? { ...event, ts: undefined } : event));
}

const EVENTS = flows();
let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

async function rows(text: string): Promise<Record<string, unknown>[]> {
  const found = await test.answer(test.plan(text));
  if (!('rows' in found)) throw new Error(found.shape);
  return [...found.rows];
}

/** Events in order, each with the one before it of the same key. */
function inOrder(keyOf: (event: TestEvent) => string): [TestEvent, TestEvent | undefined][] {
  const before = new Map<string, TestEvent>();
  const at = ({ ts }: TestEvent): number => ts ?? Infinity;
  return [...EVENTS]
    .sort((a, b) => (at(a) === at(b) ? a.seq - b.seq : at(a) - at(b)))
    .map((event) => {
      const key = keyOf(event);
      const earlier = before.get(key);
      before.set(key, event);
      return [event, earlier];
    });
}

describe('prev and delta of events', () => {
  it('are of the event before, in the order of time, undated events last', async () => {
    const wanted = inOrder(() => '').map(([{ seq, fields }, before]) => ({
      event_id: `1:${seq}`,
      before: before?.fields.bytes ?? null,
      more: before === undefined ? null : Number(fields.bytes) - Number(before.fields.bytes),
    }));
    expect(
      await rows(
        '| eval before = prev(bytes) | eval more = delta(bytes) | fields event_id, before, more',
      ),
    ).toEqual(wanted);
  });

  it('are within groups', async () => {
    const wanted = inOrder(({ fields }) => `${fields.src_ip4} ${fields.dst_ip4}`).map(
      ([{ seq, ts }, before]) => ({
        event_id: `1:${seq}`,
        gap: before?.ts === undefined || ts === undefined ? null : (ts - before.ts) / SECOND,
      }),
    );
    expect(await rows('| eval gap = delta(ts) by src_ip, dst_ip | fields event_id, gap')).toEqual(
      wanted,
    );
  });

  it('follow the order that sort gave', async () => {
    const [first, second] = await rows(
      '| sort bytes desc, event_id | eval more = prev(bytes) | fields bytes, more',
    );
    expect(first?.['more']).toBeNull();
    expect(second?.['more']).toBe(first?.['bytes']);
  });

  it('go back several rows, into conditions and into addresses and texts', async () => {
    const [, , third] = await rows(
      '| eval two = prev(bytes, 2) | eval same = if(prev(dst_ip) = dst_ip, "yes", "no") | eval from = prev(src_ip) | fields bytes, two, same, from, src_ip',
    );
    const [first, second] = inOrder(() => '');
    expect(third?.['two']).toBe(first?.[0].fields.bytes);
    expect(third?.['from']).toBe(
      [24, 16, 8, 0].map((by) => (Number(second?.[0].fields.src_ip4) >>> by) & 255).join('.'),
    );
    expect(['yes', 'no']).toContain(third?.['same']);
  });

  it('give a field that every stage after it takes', async () => {
    const gaps = inOrder(({ fields }) => String(fields.src_ip4)).flatMap(([{ ts }, before]) =>
      ts === undefined || before?.ts === undefined ? [] : [(ts - before.ts) / SECOND],
    );
    const long = gaps.filter((gap) => gap > 100);
    expect(
      await rows('| eval gap = delta(ts) by src_ip | where gap > 100 | stats count(), max(gap)'),
    ).toEqual([{ count: long.length, 'max(gap)': Math.max(...long) }]);
    const dated = EVENTS.filter(({ ts }) => ts !== undefined).length;
    expect(
      await rows('| eval gap = delta(ts) by src_ip | timeline 1h | stats sum(count) as n'),
    ).toEqual([{ n: dated }]);
    expect(
      await rows('| eval gap = delta(ts) by src_ip | sort gap desc | head 1 | fields gap'),
    ).toEqual([{ gap: Math.max(...gaps) }]);
  });
});

it('finds the beacon as the documents say', async () => {
  const page = readFileSync(
    path.join(import.meta.dirname, '../../../docs/query-language.md'),
    'utf8',
  );
  const query = /^kind:flow \| eval gap = delta\(ts\)[^]*?(?=\n```)/m.exec(page)?.[0] ?? '';
  const [first, ...others] = await rows(query.replaceAll('\n', ' '));
  expect(first).toMatchObject({ src_ip: '10.0.0.5', dst_ip: '203.0.113.9' });
  expect(Number(first?.['regularity'])).toBeGreaterThan(0.7);
  for (const other of others) expect(Number(other['regularity'])).toBeLessThan(0.3);
});

describe('a table', () => {
  it('has rows before in its own order', async () => {
    const hours = await rows('| timeline 30m | eval more = delta(count)');
    hours.forEach(({ count, more }, i) =>
      expect(more).toBe(i === 0 ? null : Number(count) - Number(hours[i - 1]!['count'])),
    );
  });
});

it.each([
  ['| eval x = bytes by src_ip', 'found by, but neither prev nor delta', 'stats'],
  ['| eval x = prev(prev(bytes))', 'prev inside prev or delta', 'prev(field, 2)'],
  ['| eval x = prev(bytes, 0)', 'whole number of rows', undefined],
  ['| eval x = delta(bytes, 2)', 'delta has 2 arguments', 'delta(ts)'],
  ['| where delta(ts) > 5', 'needs rows in order', 'eval gap = delta(ts)'],
  ['| stats avg(delta(ts))', 'needs rows in order', 'eval gap = delta(ts)'],
  ['| eval x = delta(ts) | union (kind:log)', 'union takes events', 'before'],
  ['| union (kind:log | eval x = delta(ts))', 'inside union', 'after the union'],
  ['| eval x = delta(src_ip)', 'takes a number', undefined],
])('says what is wrong in %s', (text, message, hint) => {
  let found: { message: string; hint?: string | undefined } | undefined;
  try {
    test.plan(text);
  } catch (error) {
    if (error instanceof Error) found = error;
  }
  expect(found?.message).toContain(message);
  if (hint !== undefined) expect(found?.hint).toContain(hint);
});
