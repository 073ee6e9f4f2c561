/** Saved searches: views that people keep under a name. Each change is audited. */
import type { SearchRow } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { CaseSession } from '../../search/index.ts';
import { writable } from './notes.ts';

/** By name. */
export function listSearches({ catalog }: CaseSession): SearchRow[] {
  return catalog.searches.all();
}

/**
 * Saves a view; with the `id` of an earlier one, replaces it.
 * @throws DaybookError not-found, unreadable
 */
export function saveSearch(
  session: CaseSession,
  search: { id?: number | undefined; name: string; view: string; note: string },
): SearchRow {
  const watch = new Stopwatch('search.save');
  const { catalog } = session;
  writable(catalog);
  const { name, view, note } = search;
  const saved = catalog.transaction(() => {
    const before = search.id === undefined ? undefined : known(session, search.id);
    const id = before?.id ?? catalog.searches.add({ name, view, note });
    if (before !== undefined) catalog.searches.update({ id, name, view, note });
    catalog.audit.add('search', {
      ...{ id, name, view, note },
      ...(before === undefined
        ? {}
        : { before: { name: before.name, view: before.view, note: before.note } }),
    });
    catalog.changes.add('search', { id, name });
    return known(session, id);
  });
  session.record(watch, 'done');
  return saved;
}

/** @throws DaybookError not-found, unreadable */
export function deleteSearch(session: CaseSession, id: number): void {
  const watch = new Stopwatch('search.delete');
  const { catalog } = session;
  writable(catalog);
  catalog.transaction(() => {
    const { name, view, note } = known(session, id);
    catalog.searches.remove(id);
    catalog.audit.add('search-delete', { id, name, view, note });
    catalog.changes.add('search', { id, name });
  });
  session.record(watch, 'done');
}

function known({ catalog }: CaseSession, id: number): SearchRow {
  const found = catalog.searches.get(id);
  if (found === undefined) throw noSuchSearch(id);
  return found;
}

export function noSuchSearch(id: number): DaybookError {
  return new DaybookError(
    'not-found',
    `there is no saved search ${id}`,
    'it may have been deleted in another window',
  );
}
