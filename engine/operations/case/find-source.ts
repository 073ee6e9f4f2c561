/** Finds the source that a person names, by its number, its name or the end of its path. */
import type { Catalog, SourceRow } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';

/** @throws DaybookError not-found, usage */
export function findSource(catalog: Catalog, text: string): SourceRow {
  return findSources(catalog, [text])[0]!;
}

/**
 * Several sources, without duplicates.
 * @throws DaybookError as findSource
 */
export function findSources(catalog: Catalog, texts: readonly string[]): SourceRow[] {
  const sources = catalog.sources.all();
  return [...new Set(texts.map((text) => findIn(sources, text)))];
}

function findIn(sources: readonly SourceRow[], text: string): SourceRow {
  const exact = sources.filter(({ name, id }) => name === text || String(id) === text);
  // As in `source:` of a query: the end of the path is enough if it is unique.
  const found =
    exact.length > 0
      ? exact
      : sources.filter(({ name }) => name.endsWith(`/${text}`) || name.endsWith(`!${text}`));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new DaybookError(
      'usage',
      `${found.length} sources are called ${text}`,
      `give its number: ${found.map((source) => source.id).join(', ')}`,
    );
  }
  throw new DaybookError(
    'not-found',
    `there is no source ${JSON.stringify(text)}`,
    'list them with: daybook sources CASE',
  );
}
