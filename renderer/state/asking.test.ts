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
