/** What a stage that aggregates makes of the rows that match, and of them all at the end. */
import type { Grid } from '../time/grid.ts';
import type { RawValue } from '../values/raw-value.ts';
import type { RowTaker } from './grouping.ts';
import type { BatchTable } from './table.ts';

export interface StageResult {
  readonly table: BatchTable;
  /** Rows as the engine's own statement of the stage gives them, where those are not the table's. */
  readonly raw?: readonly (readonly RawValue[])[];
  /** Of a timeline. */
  readonly grid?: Grid | undefined;
}

export interface BatchStage extends RowTaker {
  /** Called once, after the last row. */
  finish(): StageResult;
}
