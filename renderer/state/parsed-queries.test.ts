import { describe, expect, it } from 'vitest';
import { createParsedQueries, type ParsedQuery } from './parsed-queries.ts';

const ANSWER: ParsedQuery = {
  ...{ terms: [], stages: [], filter: { start: 0, end: 0 } },
  ...{ shape: 'rows', events: '' },
};

function asked(answer: () => Promise<ParsedQuery> = async () => ANSWER) {
  const calls: unknown[] = [];
  const parsed = createParsedQueries({
    call: ((_: string, params: unknown) => {
      calls.push(params);
      return answer();
    }) as never,
  });
  return { calls, parsed };
}

describe('parsed queries', () => {
  it('asks once for a text, however many ask', async () => {
    const { calls, parsed } = asked();
    const text = { case: 'a', query: 'x', zone: 'UTC' };
    expect(parsed.known(text)).toBeUndefined();
    expect(await Promise.all([parsed.ask(text), parsed.ask({ ...text })])).toEqual([
      ANSWER,
      ANSWER,
    ]);
    expect(parsed.known(text)).toBe(ANSWER);
    expect(calls).toHaveLength(1);
  });

  it('keeps cases and zones apart', async () => {
    const { calls, parsed } = asked();
    await parsed.ask({ case: 'a', query: 'x', zone: 'UTC' });
    await parsed.ask({ case: 'b', query: 'x', zone: 'UTC' });
    await parsed.ask({ case: 'a', query: 'x', zone: '+01:00' });
    await parsed.ask({ query: 'x', zone: 'UTC' });
    expect(calls).toHaveLength(4);
  });

  it('asks again what failed', async () => {
    let fails = true;
    const { calls, parsed } = asked(async () => {
      if (fails) throw new Error('the engine is gone');
      return ANSWER;
    });
    const text = { case: 'a', query: 'x', zone: 'UTC' };
    await expect(parsed.ask(text)).rejects.toThrow('gone');
    fails = false;
    expect(await parsed.ask(text)).toBe(ANSWER);
    expect(calls).toHaveLength(2);
  });

  it('forgets the oldest', async () => {
    const { parsed } = asked();
    for (let i = 0; i < 200; i++) await parsed.ask({ query: `q${i}`, zone: 'UTC' });
    expect(parsed.known({ query: 'q199', zone: 'UTC' })).toBe(ANSWER);
    expect(parsed.known({ query: 'q0', zone: 'UTC' })).toBeUndefined();
  });
});
