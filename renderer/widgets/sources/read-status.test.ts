import { describe, expect, it } from 'vitest';
import { notRead, problemsFirst, readStatus } from './read-status.ts';

const file = (status: string, quarantined = 0) => ({ status, quarantined });

describe('the files of an import', () => {
  it('are listed with problems first', () => {
    const files = ['duplicate', 'complete', 'ignored', 'damaged'].map((status) => file(status));
    const order = problemsFirst([...files, file('complete', 3)]);
    expect(order.map(({ status, quarantined }) => `${status} ${quarantined}`)).toEqual([
      ...['damaged 0', 'complete 3', 'ignored 0', 'complete 0', 'duplicate 0'],
    ]);
  });

  it('are counted by how far they were read', () => {
    const files = ['complete', 'partial', 'damaged', 'failed', 'ignored', 'duplicate'];
    expect(notRead(files.map((status) => file(status)))).toEqual({ unread: 3, leftOut: 1 });
  });

  it('have a word for each status, also for one of a later version', () => {
    expect(readStatus('ignored').label).toBe('left out');
    expect(readStatus('postponed').label).toBe('postponed');
  });
});
