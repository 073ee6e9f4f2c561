/** What it cost to find out which rows are meant. */
import { daysOf } from '../util/segment-days.ts';
import type { Stopwatch } from '../measure/operation-log.ts';
import { type FoundRows, type Path, type SegmentInfo, countOf } from '../query/index.ts';
import { heavier } from '../query/plan-reads.ts';

export class SearchCost {
  private path: Path;
  private readonly days = new Set<string>();
  private segments = 0;
  private rowsExamined = 0;

  /** @param path that is taken at least */
  constructor(path: Path = 'catalog') {
    this.path = path;
  }

  /** @param found what was known of a segment before its rows were read */
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
