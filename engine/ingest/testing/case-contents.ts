/** For tests: all that is in a case, to compare cases by. */
import { expect } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { quarantined, rowsOf } from './in-process.ts';

/** What a case holds: all but what tells when and how quickly it came to be. */
export async function contents(path: string) {
  const catalog = Catalog.open(path);
  const sources = catalog.sources
    .all()
    .map(
      ({ elapsedMs: _, checkpointBytes: _1, checkpointSha256: _2, importId: _3, ...rest }) => rest,
    );
  const problems = catalog.integrityProblems();
  catalog.close();
  expect(problems).toEqual([]);
  const rows = await rowsOf(
    path,
    'SELECT to_json(e)::VARCHAR FROM events e ORDER BY source_id, kind, seq',
  );
  return {
    sources,
    quarantine: quarantined(path),
    rows: rows.map(([row]) =>
      Object.fromEntries(
        Object.entries(JSON.parse(String(row)) as Record<string, unknown>)
          .filter(([, value]) => value !== null)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    ),
  };
}
