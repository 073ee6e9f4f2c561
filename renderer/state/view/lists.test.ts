/** Lists are sent again to an engine that has lost them, once for all callers, and to no other. */
import { describe, expect, it } from 'vitest';
import {
  OperationError,
  type CallOptions,
  type Engine,
} from '../../../engine/contract/wire/client.ts';
import type { OperationName, Params, Result } from '../../../engine/contract/operations.ts';
import { askedList, createLists, linesOf } from './lists.ts';

/** Keeps lists under their first byte, and counts for each question whether it is there. */
class ForgetfulEngine implements Engine {
  readonly kept = new Set<string>();
  readonly calls: string[] = [];

  async call<N extends OperationName>(
    operation: N,
    params: Params<N>,
    _options?: CallOptions<N>,
  ): Promise<Result<N>> {
    this.calls.push(operation);
    await Promise.resolve();
    if (operation === 'list.keep' && 'bytes' in params) {
      const id = String((params.bytes as Uint8Array)[0]);
      this.kept.add(id);
      return { id } as Result<N>;
    }
    const asked = JSON.stringify(params);
    const named = /"kept":"(\d+)"/.exec(asked)?.[1];
    if (named !== undefined && !this.kept.has(named))
      throw new OperationError({ code: 'list-not-kept', message: 'gone' });
    return {} as Result<N>;
  }
}

const view = (kept: string) => ({ case: '/c', query: '*', list: { kept } });

describe('a list that the engine does not keep any more', () => {
  it('is given again, once for all who ask, and asked about again', async () => {
    const engine = new ForgetfulEngine();
    const lists = createLists(engine);
    const kept = await lists.keep(Uint8Array.of(7));
    engine.kept.clear();
    engine.calls.length = 0;
    await Promise.all([
      lists.engine.call('timeline.run', view(kept)),
      lists.engine.call('list.unmatched', view(kept)),
      lists.engine.call('tag.set', { case: '/c', name: 't', target: { view: view(kept) } }),
    ]);
    expect(engine.calls.filter((one) => one === 'list.keep').length).toBe(1);
    expect(engine.calls.length).toBe(7);
  });

  it('is missed where nobody holds it, and where the engine misses it again', async () => {
    const engine = new ForgetfulEngine();
    const lists = createLists(engine);
    const missed = { info: { code: 'list-not-kept' } };
    await expect(lists.engine.call('timeline.run', view('9'))).rejects.toMatchObject(missed);
    const kept = await lists.keep(Uint8Array.of(7));
    engine.kept.clear();
    engine.kept.add = () => engine.kept;
    await expect(lists.engine.call('timeline.run', view(kept))).rejects.toMatchObject(missed);
    expect(engine.calls.filter((one) => one === 'timeline.run').length).toBe(3);
  });
});

it('holds the bytes of lists up to a bound, those held longest let go first', async () => {
  const lists = createLists(new ForgetfulEngine());
  const ids: string[] = [];
  for (let n = 1; n <= 5; n++) ids.push(await lists.keep(new Uint8Array(30e6).fill(n)));
  expect(ids.map((id) => lists.bytesOf(id) !== undefined)).toEqual([false, true, true, true, true]);
});

it('names a list in a question without what is for people', () => {
  const list = { kept: '7', name: 'a.csv', rows: 5 };
  expect(askedList(list)).toEqual({ kept: '7', name: 'a.csv' });
  expect(askedList({ ...list, columns: ['ip', null], directed: true })).toEqual({
    ...{ kept: '7', name: 'a.csv', directed: true },
    ...{ columns: ['ip', null], header: false },
  });
});

it('knows lines by the numbers that the engine gives them', () => {
  expect(linesOf(new TextEncoder().encode('\u{feff}a\r\nb\n\nd'))).toEqual(['a', 'b', '', 'd']);
  const utf16 = Uint8Array.from([
    0xff,
    0xfe,
    ...[...'a\nb'].flatMap((one) => [one.charCodeAt(0), 0]),
  ]);
  expect(linesOf(utf16)).toEqual(['a', 'b']);
});
