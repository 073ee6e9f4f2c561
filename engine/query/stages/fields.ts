/** `fields f, …`: the columns that are shown. */
import type { Stage } from '../ast.ts';
import { project, sorted } from '../batch/table.ts';
import type { StageOperator } from './operator.ts';
import { namedColumns } from './value-parts.ts';

export type FieldsStage = Extract<Stage, { stage: 'fields' }>;

export const fieldsOperator: StageOperator<FieldsStage> = {
  form: 'fields field, …',
  parse: (reader) => ({ stage: 'fields', fields: reader.names() }),
  project: ({ fields }, columns) => namedColumns(fields, columns),
  batchTable: ({ fields }, table) => project(sorted(table), namedColumns(fields, table.columns)),
};
