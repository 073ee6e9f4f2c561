import { describe, expect, it } from 'vitest';
import { createAsking } from './asking.ts';

describe('what is being asked', () => {
  it('is stopped all at once, and once', () => {
    const asking = createAsking();
    const stopped: string[] = [];
    asking.begin(() => stopped.push('timeline'));
    const ended = asking.begin(() => stopped.push('values'));
    asking.begin(() => stopped.push('list'));
    ended();
    expect(asking.running()).toBe(true);
    asking.stop();
    expect(stopped).toEqual(['timeline', 'list']);
    expect(asking.running()).toBe(false);
    asking.stop();
    expect(stopped).toHaveLength(2);
  });

  it('keeps equal questions apart', () => {
    const asking = createAsking();
    let stopped = 0;
    const stop = (): void => {
      stopped += 1;
    };
    const ended = asking.begin(stop);
    asking.begin(stop);
    ended();
    asking.stop();
    expect(stopped).toBe(1);
  });

  it('may begin again what is stopped', () => {
    const asking = createAsking();
    asking.begin(() => asking.begin(() => undefined));
    asking.stop();
    expect(asking.running()).toBe(true);
  });
});

describe('what stands around', () => {
  const MOST = 60_000;

  it('waits for what the view is looked at for, asked at the same time', async () => {
    const asking = createAsking();
    const order: string[] = [];
    asking.begin(() => undefined, true);
    const settled = asking.settled(MOST).then(() => order.push('settled'));
    const list = asking.begin(() => undefined);
    const timeline = asking.begin(() => undefined);
    await new Promise((resolve) => void setImmediate(resolve));
    list();
    order.push('list');
    await new Promise((resolve) => void setImmediate(resolve));
    timeline();
    order.push('timeline');
    await settled;
    expect(order).toEqual(['list', 'timeline', 'settled']);
  });

  it('does not wait where nothing else is asked, nor for ever, nor for what was stopped', async () => {
    const asking = createAsking();
    asking.begin(() => undefined, true);
    await asking.settled(MOST);
    asking.begin(() => undefined);
    await asking.settled(10);
    const settled = asking.settled(MOST);
    await Promise.resolve();
    asking.stop();
    await settled;
  });
});
