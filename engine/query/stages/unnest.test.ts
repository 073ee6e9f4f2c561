/** Lists to rows, of events and of tables. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';

const START = Date.UTC(2026, 10, 20) * 1000;
const LISTS = [
  '["a","b\\"c","d"]',
  ' [1, 2.5,true,null]',
  '[]',
  'plain',
  '["open',
  '[{"x":1},[2]]',
  undefined,
  '["192.0.2.7","10.0.0.1"]',
];
const EVENTS: TestEvent[] = LISTS.map((answers, i) => ({
  ...{ kind: 'log', source: 1, seq: i + 1, ts: START + i * 1e6 },
  fields: { message: `m${i}`, bytes: i },
  attributes: answers === undefined ? {} : { answers },
}));

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

async function rows(text: string): Promise<unknown[][]> {
  const found = await test.answer(test.plan(text));
  if (!('rows' in found)) throw new Error(found.shape);
  return found.rows.map((row) => Object.values(row));
}

it('gives a row for each member, in order, and loses none', async () => {
  expect(await rows('| unnest answers | fields message, answers')).toEqual([
    ['m0', 'a'],
    ['m0', 'b"c'],
    ['m0', 'd'],
    ['m1', '1'],
    ['m1', '2.5'],
    ['m1', 'true'],
    ['m1', null],
    ['m2', null],
    ['m3', 'plain'],
    ['m4', '["open'],
    ['m5', '{"x":1}'],
    ['m5', '[2]'],
    ['m6', null],
    ['m7', '192.0.2.7'],
    ['m7', '10.0.0.1'],
  ]);
});

it('gives a field that other stages take, and can be done again', async () => {
  expect(
    await rows('| unnest answers | where answers:10.0.0.0/8 | stats count(), sum(bytes)'),
  ).toEqual([[1, 7]]);
  expect(await test.answer(test.plan('| unnest answers | where answers:* | count'))).toMatchObject({
    count: 12,
  });
  expect(
    await rows('| unnest answers | parse json(answers) | where x:1 | fields message, x'),
  ).toEqual([['m5', '1']]);
  expect(
    await rows('| unnest answers | unnest answers | where answers:2 | fields message'),
  ).toEqual([['m5']]);
  expect(await rows('| sort -bytes | mv-expand answers | head 2 | fields answers')).toEqual([
    ['192.0.2.7'],
    ['10.0.0.1'],
  ]);
});

it('works on a table', async () => {
  expect(
    await rows(
      'answers:*10.0.0.1* | stats count() as n by answers | unnest answers | sort answers',
    ),
  ).toEqual([
    ['10.0.0.1', 1],
    ['192.0.2.7', 1],
  ]);
});

it('says what is wrong', () => {
  expect(() => test.plan('| unnest bytes')).toThrow('not text that could be a list');
  expect(() => test.plan('| unnest nothing_there')).toThrow('no event has a field');
});
