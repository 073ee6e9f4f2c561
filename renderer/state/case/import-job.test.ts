import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import type { Part } from '../../../engine/contract/operations.ts';
import { createImportJobs, isRunning, type ImportReport } from './import-job.ts';

type Answer = { report: ImportReport | null } | { error: OperationError };

/** A connection in which each import sends `parts` and ends when `end` is called. */
function connection(parts: readonly Part<'import.start'>[]) {
  const calls: string[] = [];
  let end: (answer: Answer) => void = () => undefined;
  const call = (operation: string, _params: unknown, options?: object): Promise<never> => {
    calls.push(operation);
    if (operation === 'import.cancel') return Promise.resolve({ cancelled: true } as never);
    const { onPart } = options as { onPart: (part: unknown) => void };
    for (const part of parts) onPart(part);
    return new Promise((resolve, reject) => {
      end = (answer) => {
        if ('error' in answer) reject(answer.error);
        else resolve(answer.report as never);
      };
    });
  };
  return { jobs: createImportJobs({ call }), calls, end: (answer: Answer) => end(answer) };
}

const ROWS = { read: 3, stored: 3, duplicate: 0, quarantined: 0, skipped: 0 };
const SOURCE: ImportReport['sources'][number] = {
  ...{ source: 'a.log', bytes: 9, ...ROWS, skippedReasons: {}, byKind: {} },
  ...{ decisions: {}, notes: [], elapsedMs: 1, status: 'complete' },
};
const REPORT: ImportReport = {
  importId: 1,
  sources: [SOURCE],
  manifests: [],
  total: { sources: 1, bytes: 9, ...ROWS, byKind: {} },
  elapsedMs: 5,
};
const settled = () => new Promise((resolve) => setTimeout(resolve));
const START = { case: '/c', items: [{ path: '/a.log' }] };

describe('an import as the window knows it', () => {
  it('collects what it tells and keeps its report', async () => {
    const { jobs, end } = connection([{ message: 'm' }, { source: SOURCE }]);
    jobs.start(START);
    expect(jobs.store.getState()['/c']).toMatchObject({
      ...{ state: 'running', messages: ['m'], sources: [SOURCE] },
    });
    end({ report: REPORT });
    await settled();
    expect(jobs.store.getState()['/c']).toMatchObject({ state: 'complete', report: REPORT });
  });

  it('is one per case: a second start while it runs does nothing', () => {
    const { jobs, calls } = connection([]);
    jobs.start(START);
    jobs.start(START);
    jobs.follow('/c');
    expect(calls).toEqual(['import.start']);
  });

  it('is cancelled by its own operation and says so', async () => {
    const { jobs, calls, end } = connection([]);
    jobs.start(START);
    jobs.cancel('/c');
    expect(jobs.store.getState()['/c']?.state).toBe('cancelling');
    expect(isRunning(jobs.store.getState()['/c'])).toBe(true);
    end({ error: new OperationError({ code: 'cancelled', message: 'cancelled' }) });
    await settled();
    expect(calls).toEqual(['import.start', 'import.cancel']);
    expect(jobs.store.getState()['/c']?.state).toBe('cancelled');
    jobs.dismiss('/c');
    expect(jobs.store.getState()['/c']).toBeUndefined();
  });

  it('keeps what it failed with', async () => {
    const { jobs, end } = connection([]);
    jobs.start(START);
    end({ error: new OperationError({ code: 'disk-full', message: 'no space' }) });
    await settled();
    expect(jobs.store.getState()['/c']).toMatchObject({
      state: 'failed',
      error: { message: 'no space' },
    });
  });

  it('follows one that runs, and leaves no job where none does', async () => {
    const none = connection([]);
    none.jobs.follow('/c');
    none.end({ report: null });
    await settled();
    expect(none.jobs.store.getState()['/c']).toBeUndefined();

    const one = connection([{ message: 'from before' }]);
    one.jobs.follow('/c');
    one.jobs.follow('/c');
    expect(one.calls).toEqual(['import.follow']);
    expect(one.jobs.store.getState()['/c']?.state).toBe('running');
    one.end({ report: REPORT });
    await settled();
    expect(one.jobs.store.getState()['/c']?.state).toBe('complete');
  });
});
