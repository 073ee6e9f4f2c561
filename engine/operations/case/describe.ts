/** A case's number and examiner: stored in the case and shown in its report. */
import type { Catalog } from '../../catalog/index.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { CaseSession } from '../../search/index.ts';
import { writable } from '../marks/notes.ts';

interface CaseDescription {
  /** The case number of the investigation. */
  readonly number?: string | undefined;
  readonly examiner?: string | undefined;
}

const KEYS = { number: 'case_number', examiner: 'examiner' } as const;

export function descriptionOf(catalog: Catalog): CaseDescription {
  const value = (key: string): string | undefined => {
    const text = catalog.meta.get(key);
    return text === '' ? undefined : text;
  };
  return { number: value(KEYS.number), examiner: value(KEYS.examiner) };
}

/**
 * Sets the given values; an empty text removes one.
 * @throws DaybookError unreadable if the case cannot be changed
 */
export function describeCase(session: CaseSession, given: CaseDescription): void {
  const watch = new Stopwatch('case.describe');
  const { catalog } = session;
  writable(catalog);
  catalog.transaction(() => {
    const before = descriptionOf(catalog);
    for (const name of ['number', 'examiner'] as const) {
      const text = given[name]?.trim();
      if (text !== undefined && text !== (before[name] ?? '')) catalog.meta.set(KEYS[name], text);
    }
    const after = descriptionOf(catalog);
    if (after.number === before.number && after.examiner === before.examiner) return;
    catalog.audit.add('describe', { before, after });
    catalog.changes.add('describe', {});
  });
  session.record(watch, 'done');
}
