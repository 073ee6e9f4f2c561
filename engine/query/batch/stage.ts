/** What a stage that aggregates makes of the rows that match, and of them all at the end. */
import type { Grid } from '../grid.ts';
import type { RawValue } from '../raw-value.ts';
import type { GroupingPart, RowTaker } from './grouping.ts';
import type { BatchTable } from './table.ts';

export interface StageResult {
  readonly table: BatchTable;
  /** Rows as the engine's own statement of the stage gives them, where those are not the table's. */
  readonly raw?: readonly (readonly RawValue[])[];
  /** Of a timeline. */
  readonly grid?: Grid | undefined;
}

/** What another thread found. */
export interface StagePart {
  readonly grouping?: GroupingPart;
  /** Of `count`. */
  readonly count?: number;
  /** Of a timeline: the units it counted by, and the first and last time. */
  readonly units?: { readonly unit: number; readonly low: number; readonly high: number };
}

export interface BatchStage extends RowTaker {
  /** Undefined: all rows must be taken here. */
  readonly parts?:
    | { part(): StagePart; /** To be called before `finish`. */ merge(part: StagePart): void }
    | undefined;
  /** Called once, behind the last row. */
  finish(): StageResult;
}
