/**
 * Compares a source that was read with the others: shared lines, or containing all of one that was not read to its
 * end.
 */
import type { SourceRow } from '../../catalog/tables/sources.ts';
import { OverlapFinder } from '../overlap/find-overlaps.ts';
import { setLeftOut } from '../overlap/left-out.ts';
import type { SkipPlan, SourceEnd } from '../worker/protocol.ts';
import type { ImportContext } from './import-context.ts';

export class SourceOverlaps {
  private readonly context: ImportContext;
  private readonly finder: OverlapFinder;
  /** Sources not read to their end that are contained in a source that is now read, by that source. */
  private readonly superseded = new Map<number, readonly SourceRow[]>();
  /** Overlaps whose events should be left out. */
  private readonly leaveOut: number[] = [];
  /** Number of stretches of lines that sources share with others. */
  count = 0;

  constructor(context: ImportContext) {
    this.context = context;
    this.finder = new OverlapFinder(context.writer.catalog);
  }

  supersedes(sourceId: number, sources: readonly SourceRow[]): void {
    if (sources.length > 0) this.superseded.set(sourceId, sources);
  }

  /** Hides the events that are in another source as well and should be left out. */
  async apply(): Promise<void> {
    for (const id of this.leaveOut) await setLeftOut(this.context.writer, id, true);
  }

  /** Records what a source that was read shares with others. */
  compare(row: SourceRow, { lines }: SourceEnd): void {
    const { catalog } = this.context.writer;
    const superseded = this.superseded.get(row.id);
    const equal = row.metadata['duplicateOf'] as SkipPlan['duplicate'];
    const found = lines === undefined ? [] : this.finder.take(row, lines, equal);
    for (const old of superseded ?? []) {
      this.leaveOut.push(
        catalog.overlaps.add({
          sourceId: old.id,
          from: 0,
          to: old.contentSize ?? 0,
          otherId: row.id,
          records: old.read,
          superseded: true,
        }),
      );
      row.notes = [
        ...row.notes,
        `source ${old.id} (${old.name}) was not read to its end, and all of it is also in this one: its events are marked to be left out, and can be shown again`,
      ];
    }
    this.count += (superseded?.length ?? 0) + found.length;
    const others = (superseded ?? []).map(({ id }) => id);
    const fromOthers = found.filter(({ otherId }) => !others.includes(otherId));
    for (const overlap of fromOthers) {
      const id = catalog.overlaps.add(overlap);
      if (this.context.request.leaveOutOverlap === true) this.leaveOut.push(id);
    }
    for (const [id, runs] of Map.groupBy(fromOthers, ({ otherId }) => otherId)) {
      const records = runs.reduce((sum, run) => sum + run.records, 0);
      const name = catalog.sources.get(id)?.name ?? '';
      const consequence =
        this.context.request.leaveOutOverlap === true
          ? 'they are marked to be left out'
          : 'they are counted in both unless they are left out';
      row.notes = [
        ...row.notes,
        `${records.toLocaleString('en-US')} of its lines are also in source ${id} (${name}): ${consequence}`,
      ];
    }
    if (superseded !== undefined || fromOthers.length > 0) catalog.sources.update(row);
  }
}
