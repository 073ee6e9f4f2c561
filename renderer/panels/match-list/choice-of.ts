import type { Result } from '../../../engine/contract/operations.ts';
import type { ColumnChoice } from './use-given-list.ts';

type Found = Pick<Result<'list.preview'>, 'columns' | 'header'>;

/** The current choice for each column of the preview, which lags behind the latest choice for a moment. */
export function choiceOf(
  { columns, header }: Found,
  choice: ColumnChoice | undefined,
): ColumnChoice {
  const chosen = choice?.columns ?? [];
  return {
    columns: columns.map(({ field }, at) => (at < chosen.length ? chosen[at] : field) ?? null),
    header: choice?.header ?? header,
  };
}

/** The same with another field for the column `at`. */
export function withColumn(choice: ColumnChoice, at: number, field: string | null): ColumnChoice {
  return { ...choice, columns: choice.columns.map((one, other) => (other === at ? field : one)) };
}
