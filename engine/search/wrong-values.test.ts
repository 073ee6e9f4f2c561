/** A value that a field of Daybook cannot have, in a case whose evidence has an attribute of that name. */
import { expect, it } from 'vitest';
import { startQuery } from './index.ts';
import { caseOfFiles, ndjson } from './testing/case-of-files.ts';

const session = await caseOfFiles({
  'records.json': ndjson(
    ['high', 'low'].map((severity, n) => ({
      ...{ timestamp: `2026-01-01T00:00:0${n}Z`, message: `m ${n}` },
      ...{ severity, ts: `2026-0${n}`, dst_port: 'any' },
    })),
  ),
});

async function ask(text: string): Promise<{ count: number; readings: readonly string[] }> {
  const running = startQuery(session, { text: `${text} | count`, zone: 'UTC' });
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('a number was asked for');
  return { count: Number(answer.count), readings: [...running.plan.readings] };
}

it('is an error where it is to be a time', async () => {
  for (const text of ['ts:>=2026-13-45', 'ts:[2026-01-01 TO 2026-99]', 'ts:yesterdays'])
    await expect((async () => ask(text))(), text).rejects.toThrow(/is not a time|no time/);
  expect((await ask('ts:>=2026-01-01')).count).toBe(2);
});

it('is compared with the attribute elsewhere, which is said', async () => {
  const { count, readings } = await ask('severity:high');
  expect(count).toBe(1);
  expect(readings).toEqual([expect.stringContaining('the attribute "severity" alone')]);
  expect((await ask('severity:err')).readings).toEqual([]);
});
