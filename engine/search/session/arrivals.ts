/** How far a case has got: distinguishes the events that arrive from those that were there. */
import type { CompileContext } from '../../query/index.ts';
import { compileLastRecords } from '../../query/statements/event-rows.ts';
import type { CaseSession } from './case-session.ts';
import { isGone } from './snapshot.ts';

export type Reached = NonNullable<CompileContext['arrived']>['after'];

/** Retries after a compaction removed segments while they were read. */
const MAX_TRIES = 4;

/** How far the case has got: its newest source, and the last record of each source that is not read to its end. */
export async function reachedBy(session: CaseSession): Promise<Reached> {
  for (let attempt = 1; ; attempt++) {
    const release = session.store.hold();
    try {
      return await lookedAt(session);
    } catch (error) {
      if (!isGone(error) || attempt === MAX_TRIES) throw error;
    } finally {
      release();
    }
  }
}

async function lookedAt(session: CaseSession): Promise<Reached> {
  const { snapshot, sources } = session.catalog.consistently(() => {
    const snapshot = session.snapshot();
    return { snapshot, sources: snapshot.sources() };
  });
  const last = new Map(
    sources
      .filter(({ status }) => status !== 'complete')
      .map(({ id }) => [id, { source: id, record: 0 }]),
  );
  const segments = snapshot.segments.filter(({ sources }) => sources.some((id) => last.has(id)));
  await session.prepare(segments, snapshot, '');
  for (const { id } of segments) {
    const { sql, params } = compileLastRecords(id);
    const rows = await session.store.rows(sql, params);
    for (const [source, record] of rows) {
      const one = last.get(Number(source));
      if (one !== undefined) one.record = Math.max(one.record, Number(record));
    }
  }
  return {
    sources: Math.max(0, ...sources.map(({ id }) => id)),
    open: [...last.values()],
  };
}

/** Whether nothing arrived between two states. */
export function isSame(before: Reached, now: Reached): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
