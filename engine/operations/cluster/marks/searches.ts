/**
 * Saved searches of the case on a cluster: those handed over, and those that people saved there. The last row of a
 * number is valid: what people replace or delete stays so when the case is attached again.
 */
import type { Result } from '../../../contract/operations.ts';
import { text } from '../../../query/dialect/clickhouse.ts';
import { noSuchSearch } from '../../marks/searches.ts';
import { cellText, type Cluster } from '../cluster.ts';
import { authorOf, tableOf } from './marks.ts';

type Search = Result<'search.save'>;

/** By name. @throws DaybookError unreadable, cancelled */
export async function searchesOn(cluster: Cluster): Promise<Search[]> {
  const rows = await cluster.rows(
    `SELECT id, last.1 AS name, last.2, last.3, created FROM (SELECT id, argMax((name, view, note, removed), (NOT handed_over, ifNull(at, toDateTime64(0, 6, 'UTC')))) AS last, toString(min(at)) AS created FROM ${tableOf(cluster, 'searches')} GROUP BY id) WHERE NOT last.4 ORDER BY lower(name), id`,
  );
  return rows.map(([id, name, view, note, at]) => ({
    ...{ id: Number(id), name: cellText(name), view: cellText(view), note: cellText(note) },
    createdAt: `${cellText(at).replace(' ', 'T')}Z`,
  }));
}

/**
 * Saves a view; with the `id` of an earlier one, replaces it.
 * @throws DaybookError not-found, unreadable, cancelled
 */
export async function saveSearchOn(
  cluster: Cluster,
  search: { id?: number | undefined; name: string; view: string; note: string },
): Promise<Search> {
  const id = search.id === undefined ? newNumber() : (await known(cluster, search.id)).id;
  await store(cluster, { ...search, id }, false);
  return known(cluster, id);
}

/** @throws DaybookError not-found, unreadable, cancelled */
export async function deleteSearchOn(cluster: Cluster, id: number): Promise<void> {
  await store(cluster, await known(cluster, id), true);
}

async function store(
  cluster: Cluster,
  { id, name, view, note }: Pick<Search, 'id' | 'name' | 'view' | 'note'>,
  isRemoved: boolean,
): Promise<void> {
  const values = [name, view, note].map(text).join(', ');
  await cluster.run(
    `INSERT INTO ${tableOf(cluster, 'searches')} (id, name, view, note, removed, user) VALUES (${id}, ${values}, ${isRemoved}, ${text(authorOf(cluster))})`,
  );
}

async function known(cluster: Cluster, id: number): Promise<Search> {
  const found = (await searchesOn(cluster)).find((one) => one.id === id);
  if (found === undefined) throw noSuchSearch(id);
  return found;
}

/** A unique number: 52 bits, like those of a hand-over. */
function newNumber(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! & 0xfffff) * 2 ** 32 + low!;
}
