import type { Result } from '../../../engine/contract/operations.ts';
import type { ColumnChoice } from './use-given-list.ts';

type Found = Pick<Result<'list.preview'>, 'columns' | 'header'>;

/** What holds now: a preview takes a moment to show what was chosen last. */
export function choiceOf(
  { columns, header }: Found,
  choice: ColumnChoice | undefined,
): ColumnChoice {
  return choice ?? { columns: columns.map(({ field }) => field ?? null), header };
}

/** The same with another field for the column `at`. */
export function withColumn(choice: ColumnChoice, at: number, field: string | null): ColumnChoice {
  return { ...choice, columns: choice.columns.map((one, other) => (other === at ? field : one)) };
}
