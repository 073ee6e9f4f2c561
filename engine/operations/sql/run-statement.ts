/** One statement in SQL over a case, as `daybook sql CASE` shows it to others. It reads, and changes nothing. */
import { makeSpillFolder } from '../../catalog/index.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { CaseSession } from '../../search/index.ts';
import { type StoreOptions, type OpenRows, runOpenStatement } from '../../store/index.ts';
import { openScript } from './open-script.ts';

interface Limits extends StoreOptions {
  readonly signal: AbortSignal;
}

/** @throws DaybookError usage, cancelled, limit-exceeded, case-damaged */
export async function* runStatement(
  session: CaseSession,
  sql: string,
  limits: Limits,
): AsyncGenerator<OpenRows> {
  const watch = new Stopwatch('sql.run');
  const spill = session.catalog.readOnly ? undefined : makeSpillFolder(session.folder);
  try {
    const setup = openScript(session);
    for await (const part of runOpenStatement({ ...limits, setup, sql, spill: spill?.path })) {
      watch.rowsReturned = (watch.rowsReturned ?? 0) + part.rows.length;
      yield part;
    }
    session.record(watch, 'done', sql);
  } finally {
    spill?.release();
  }
}
