/** `case.overlap`: what sources of a case have in common, and whether these events are shown twice or once. */
import { Catalog, type OverlapRow } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { CaseWriter, setLeftOut } from '../../ingest/index.ts';
import type { BuilderOptions } from '../../store/index.ts';

interface Overlap extends OverlapRow {
  readonly source: string;
  readonly other: string;
}

interface OverlapChange {
  folder: string;
  /** Numbers of overlaps; undefined: all of them. */
  ids: readonly number[] | undefined;
  leftOut: boolean;
  builder: BuilderOptions;
}

/** In the order in which they were found. */
export function listOverlaps(folder: string): Overlap[] {
  const catalog = Catalog.open(folder);
  try {
    const names = new Map(catalog.sources.all().map(({ id, name }) => [id, name]));
    return catalog.overlaps.all().map((overlap) => ({
      ...overlap,
      source: names.get(overlap.sourceId) ?? '',
      other: names.get(overlap.otherId) ?? '',
    }));
  } finally {
    catalog.close();
  }
}

/**
 * Leaves events out that another source has, too, or shows them again.
 * @returns how many events are hidden or shown now that were not before
 * @throws DaybookError not-found, case-locked
 */
export async function changeOverlaps({
  folder,
  ids,
  leftOut,
  builder,
}: OverlapChange): Promise<number> {
  const writer = await CaseWriter.open(folder, 'overlap', builder);
  try {
    const all = writer.catalog.overlaps.all().map(({ id }) => id);
    const missing = ids?.find((id) => !all.includes(id));
    if (missing !== undefined)
      throw new DaybookError(
        'not-found',
        `there is no overlap ${missing}`,
        'list them with: daybook overlap CASE',
      );
    let events = 0;
    for (const id of ids ?? all) events += await setLeftOut(writer, id, leftOut);
    return events;
  } finally {
    writer.close();
  }
}
