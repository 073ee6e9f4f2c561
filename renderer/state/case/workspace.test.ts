/** Preferences of a window: those that the engine was not told yet, and an engine that comes back. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Connection, OperationError } from '../../../engine/contract/wire/client.ts';
import { createWorkspace } from './workspace.ts';

/** Keeps preferences, while it runs. */
class Preferring {
  window: Record<string, unknown> = { density: 'compact' };
  readonly state = { state: 'ready', restarts: 0 };
  private tell: ((state: unknown) => void) | undefined;

  onState(tell: (state: unknown) => void): void {
    this.tell = tell;
  }

  async call(operation: string, params: { window?: Record<string, unknown> }): Promise<unknown> {
    await Promise.resolve();
    if (this.state.state !== 'ready')
      throw new OperationError({ code: 'engine-down', message: 'the engine is down' });
    if (operation === 'settings.set') this.window = { ...params.window };
    return { settings: { window: { ...this.window } } };
  }

  goes(state: 'down' | 'ready'): void {
    if (state === 'ready') this.state.restarts += 1;
    this.state.state = state;
    this.tell?.({ ...this.state });
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function opened() {
  const engine = new Preferring();
  const workspace = createWorkspace(engine as unknown as Connection, undefined);
  await workspace.refreshInfo();
  return { engine, workspace, shown: () => workspace.session.getState().preferences };
}

it('keeps a preference that the engine was not told yet when it is asked for all', async () => {
  const { engine, workspace, shown } = await opened();
  workspace.setPreference('density', 'wide');
  await workspace.refreshInfo();
  expect(shown()).toEqual({ density: 'wide' });
  await vi.runAllTimersAsync();
  expect(engine.window).toEqual({ density: 'wide' });
  // What another window has set since then.
  engine.window = { density: 'compact', columns: ['host'] };
  await workspace.refreshInfo();
  expect(shown()).toEqual({ density: 'compact', columns: ['host'] });
});

it('tells an engine that comes back what the one before did not keep', async () => {
  const { engine, workspace, shown } = await opened();
  engine.goes('down');
  workspace.setPreference('density', 'wide');
  await vi.runAllTimersAsync();
  expect(engine.window).toEqual({ density: 'compact' });
  engine.goes('ready');
  await vi.runAllTimersAsync();
  expect(shown()).toEqual({ density: 'wide' });
  expect(engine.window).toEqual({ density: 'wide' });
});
