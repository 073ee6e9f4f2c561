import { afterEach, describe, expect, it, vi } from 'vitest';
import { WarmThreads, type KeptThread } from './warm-threads.ts';

const PLENTY = 1e10;
const IDLE_MS = 5_000;

/** A thread that does nothing by itself; records what happens to it. */
class Fake implements KeptThread<string, string> {
  stopped = false;
  awaited: boolean | undefined;
  readonly told: string[] = [];
  say: (message: string) => void = () => undefined;
  end: (error: Error | undefined) => void = () => undefined;

  post(message: string): void {
    this.told.push(message);
  }
  onMessage(handler: (message: string) => void): void {
    this.say = handler;
  }
  onExit(handler: (error: Error | undefined) => void): void {
    this.end = handler;
  }
  stop(): void {
    this.stopped = true;
  }
  release(): void {
    this.stopped = true;
  }
  await(awaited: boolean): void {
    this.awaited = awaited;
  }
}

function warm(free = PLENTY): { threads: WarmThreads<string, string>; started: Fake[] } {
  const started: Fake[] = [];
  const start = () => {
    const thread = new Fake();
    started.push(thread);
    return thread;
  };
  return { threads: new WarmThreads(start, IDLE_MS, () => free), started };
}

afterEach(() => void vi.useRealTimers());

describe('threads that are kept', () => {
  it('are used again once they are released, and the process does not wait for them meanwhile', () => {
    const { threads, started } = warm();
    const first = threads.take();
    const gone: unknown[] = [];
    first.onExit((error) => gone.push(error));
    expect(started[0]!.awaited).toBe(true);
    first.release();
    expect([started[0]!.awaited, gone]).toEqual([false, [undefined]]);
    threads.take().post('again');
    expect(started.map(({ told, awaited }) => [told, awaited])).toEqual([[['again'], true]]);
    threads.take();
    expect(started.length).toBe(2);
  });

  it('are heard by who uses them now', () => {
    const { threads, started } = warm();
    const heard: string[] = [];
    const first = threads.take();
    first.onMessage((message) => heard.push(`first ${message}`));
    started[0]!.say('a');
    first.release();
    started[0]!.say('late');
    threads.take().onMessage((message) => heard.push(`second ${message}`));
    started[0]!.say('b');
    expect(heard).toEqual(['first a', 'second b']);
  });

  it.each([
    ['stopped', (thread: ReturnType<WarmThreads<string, string>['take']>) => thread.stop()],
    ['gone', (_: unknown, fake: Fake) => fake.end(new Error('died'))],
  ])('are not used again when they are %s', (_, spoil) => {
    const { threads, started } = warm();
    const first = threads.take();
    spoil(first, started[0]!);
    // Its last message may be that it is done.
    first.release();
    threads.take();
    expect(started.length).toBe(2);
  });

  it('are not used again when they die while they wait', () => {
    const { threads, started } = warm();
    threads.take().release();
    started[0]!.end(undefined);
    threads.take();
    expect(started.length).toBe(2);
  });

  it('can be started before they are needed', () => {
    const { threads, started } = warm();
    threads.prepare();
    threads.prepare();
    expect(started.map(({ awaited, stopped }) => [awaited, stopped])).toEqual([[false, false]]);
    threads.take();
    expect(started.length).toBe(1);
  });

  it('are one at most', () => {
    const { threads, started } = warm();
    const [first, second] = [threads.take(), threads.take()];
    first.release();
    second.release();
    expect(started.map(({ stopped }) => stopped)).toEqual([false, true]);
  });

  it('are none while memory is short', () => {
    const { threads, started } = warm(1 << 20);
    threads.take().release();
    expect(started[0]!.stopped).toBe(true);
  });

  it('end when nobody has needed them for a while', () => {
    vi.useFakeTimers();
    const { threads, started } = warm();
    threads.take().release();
    vi.advanceTimersByTime(IDLE_MS - 1);
    const again = threads.take();
    vi.advanceTimersByTime(IDLE_MS);
    expect(started[0]!.stopped).toBe(false);
    again.release();
    vi.advanceTimersByTime(IDLE_MS);
    expect(started[0]!.stopped).toBe(true);
    threads.take();
    expect(started.length).toBe(2);
  });
});
