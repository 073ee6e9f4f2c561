/** Higher priorities go first; none is starved. */
import { describe, expect, it } from 'vitest';
import { StatementScheduler, type Priority } from './statement-scheduler.ts';

/** As long as lower priorities wait for others: until the next turn of the event loop. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const settle = async () => {
  await turn();
  await turn();
};

/** Requests turns in this order and ends them one by one; returns the order of admission. */
async function order(ranks: readonly Priority[]): Promise<{ atOnce: string[]; all: string[] }> {
  const turns = new StatementScheduler(turn);
  const all: string[] = [];
  const ends: (() => void)[] = [];
  ranks.forEach((rank, at) => {
    void turns.take(rank).then((end) => {
      all.push(`${rank}${at}`);
      ends.push(end);
    });
  });
  await settle();
  const atOnce = [...all];
  for (let at = 0; at < ends.length; at++) {
    ends[at]!();
    await settle();
  }
  return { atOnce, all };
}

describe('StatementScheduler', () => {
  it.each<[string, Priority[], string[], string[]]>([
    [
      'two at once',
      ['first', 'first', 'first'],
      ['first0', 'first1'],
      ['first0', 'first1', 'first2'],
    ],
    ['one that can wait at a time', ['later', 'later'], ['later0'], ['later0', 'later1']],
    [
      'those that can wait let the others pass',
      ['later', 'later', 'first', 'first'],
      ['first2', 'first3'],
      ['first2', 'first3', 'later0', 'later1'],
    ],
    [
      'some never wait',
      ['first', 'first', 'now', 'now'],
      ['now2', 'now3', 'first0', 'first1'],
      ['now2', 'now3', 'first0', 'first1'],
    ],
  ])('%s', async (_, ranks, atOnce, all) => {
    const found = await order(ranks);
    expect(found.atOnce.toSorted()).toEqual(atOnce.toSorted());
    expect(found.all.toSorted()).toEqual(all.toSorted());
    const ranked = (list: string[]) => list.filter((one) => !one.startsWith('now'));
    expect(ranked(found.all)).toEqual(ranked(all));
  });

  it('who no longer wants it does not wait, and is not waited for', async () => {
    const turns = new StatementScheduler(turn);
    const end = await turns.take('later');
    const controller = new AbortController();
    const cancelled = turns.take('later', controller.signal);
    const next = turns.take('later');
    await settle();
    controller.abort();
    await expect(cancelled).rejects.toThrow('cancelled');
    end();
    end();
    (await next)();
    await expect(turns.take('first', AbortSignal.abort())).rejects.toThrow('cancelled');
  });

  it('a turn that is ended twice is one turn', async () => {
    const turns = new StatementScheduler(turn);
    const end = await turns.take('first');
    await turns.take('first');
    end();
    end();
    await turns.take('first');
    let fourth = false;
    void turns.take('first').then(() => (fourth = true));
    await settle();
    expect(fourth).toBe(false);
  });
});
