/** The result of an aggregating stage, computed from matching rows as they arrive. */
import type { Grid } from '../time/grid.ts';
import type { RawValue } from '../values/raw-value.ts';
import type { RowTaker } from './grouping.ts';
import type { BatchTable } from './table.ts';

export interface StageResult {
  readonly table: BatchTable;
  /** Rows as the engine's statement of the stage returns them, if they differ from the table's. */
  readonly raw?: readonly (readonly RawValue[])[];
  /** For a timeline. */
  readonly grid?: Grid | undefined;
}

export interface BatchStage extends RowTaker {
  /** Called once, after the last row. */
  finish(): StageResult;
}
