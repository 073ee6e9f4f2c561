/** Cost of an answer, for the log of operations: segments, days and rows read, and by which access path. */
import { daysOf, daysOfAll } from '../util/segment-days.ts';
import type { Stopwatch } from '../measure/operation-log.ts';
import { type FoundRows, type Path, type Plan, type SegmentInfo, countOf } from '../query/index.ts';
import { heavier, pathOf, rowsRead, segmentsRead } from '../query/plan/plan-reads.ts';

export class SearchCost {
  private path: Path;
  private readonly days = new Set<string>();
  private segments = 0;
  private rowsExamined = 0;

  /** @param path the lightest path to report */
  constructor(path: Path = 'catalog') {
    this.path = path;
  }

  /** @param found what was known about a segment before its rows were read */
  add(segment: SegmentInfo, found: FoundRows | undefined): void {
    if (found === undefined) return;
    this.path = heavier(this.path, found.by);
    if (found.rows !== 'none') {
      for (const { day } of daysOf(segment)) this.days.add(day);
      this.segments += 1;
    }
    if (!found.exact) this.rowsExamined += countOf(found.rows, segment.rows);
  }

  get summary(): { path: Path; days: number; segments: number; rowsExamined: number } {
    const { path, days, segments, rowsExamined } = this;
    return { path, days: days.size, segments, rowsExamined };
  }

  tell(watch: Stopwatch): void {
    Object.assign(watch, this.summary);
  }
}

/** Records what a plan would read. */
export function notePlan(watch: Stopwatch, plan: Plan): void {
  watch.path = plan.path;
  watch.days = plan.days.used;
  watch.segments = plan.segmentsUsed.length;
  watch.rowsExamined = plan.rowsExamined;
}

/** Records what statements of a plan read. */
export function noteRead(watch: Stopwatch, plan: Plan): void {
  const read = segmentsRead(plan);
  watch.path = pathOf(plan);
  watch.days = daysOfAll(read).length;
  watch.segments = read.length;
  watch.rowsExamined = rowsRead(plan);
}
