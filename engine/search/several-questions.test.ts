/**
 * A DNS message that asks for several names is found by each of them, and counts by the first; the answer says so.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../app/compose.ts';
import { datagram } from '../../importers/pcap/protocols/testing/frames.ts';
import { ascii, cat, classicFile, n16 } from '../../importers/pcap/testing/build.ts';
import { type SmallCase, smallCase } from '../operations/testing/small-case.ts';
import { startQuery } from './query.ts';

/** A query for names of one label, each with its type. */
function asked(...questions: readonly (readonly [name: string, type: number])[]): Uint8Array {
  const counts = [n16(0), n16(0), n16(questions.length), n16(0), n16(0), n16(0)];
  return cat(
    ...counts,
    ...questions.flatMap(([name, type]) => [
      ...[Uint8Array.of(name.length), ascii(name), '00', n16(type), n16(1)],
    ]),
  );
}

let small: SmallCase;
beforeAll(async () => {
  const frames = [
    asked(['first', 12], ['second', 28]),
    asked(['first', 12], ['third', 1]),
    asked(['second', 28]),
  ].map((message) => datagram(true, 5353, message));
  const capture = classicFile(
    {},
    frames.map((bytes, i) => ({ seconds: 1_700_000_000 + i, fraction: 0, bytes })),
  );
  small = await smallCase({ 'mdns.pcap': capture }, evidence);
});
afterAll(() => small.dispose());

async function ask(text: string): Promise<{ rows: unknown; notes: readonly string[] }> {
  return small.services.cases.use(small.folder, async (session) => {
    const running = startQuery(session, { text, zone: 'UTC' });
    const answer = await running.answer();
    const rows =
      'count' in answer ? Number(answer.count) : 'rows' in answer ? answer.rows : undefined;
    return { rows, notes: running.notes() };
  });
}

it.each([
  ['query:first', 2],
  ['query:second', 2],
  ['query:se*', 2],
  ['query in (third, none)', 1],
  ['query_type:AAAA', 2],
  ['kind:dns -query:second', 1],
  ['attrs.query:third', 1],
])('%s finds %i', async (query, expected) => {
  expect((await ask(`${query} | count`)).rows).toBe(expected);
});

it('counts a message with its first question, and says so; or with each', async () => {
  const { rows, notes } = await ask('kind:dns | top query');
  expect(rows).toMatchObject([
    { query: 'first', count: 2 },
    { query: 'second', count: 1 },
  ]);
  expect(notes).toEqual([
    'query: an event may have several of "query", "attrs.query"; it counts with the first, and a filter finds it by each',
  ]);
  const each = await ask(
    'kind:dns attrs.query:* | unnest attrs.query | stats count() as n by attrs.query',
  );
  expect(each.rows).toMatchObject([
    { 'attrs.query': 'first', n: 2 },
    { 'attrs.query': 'second', n: 1 },
    { 'attrs.query': 'third', n: 1 },
  ]);
});
