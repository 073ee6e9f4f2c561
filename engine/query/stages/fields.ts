/** `fields f, …`: the columns that are shown. */
import type { Stage } from '../syntax/ast.ts';
import { project, sorted } from '../batch/table.ts';
import { hiddenNames, withoutHidden } from '../names/fields.ts';
import type { TableColumn } from '../statements/relation.ts';
import type { StageOperator } from './operator.ts';
import { namedColumns } from './value-parts.ts';

type FieldsStage = Extract<Stage, { stage: 'fields' }>;

function left({ fields, without }: FieldsStage, columns: readonly TableColumn[]): TableColumn[] {
  const named = namedColumns(fields, columns);
  return without === true ? columns.filter((column) => !named.includes(column)) : named;
}

export const fieldsOperator: StageOperator<FieldsStage> = {
  events: ({ fields, without }, before) => {
    const { resolve, projection, computed } = before;
    const names = fields.flatMap((name) => hiddenNames(name, resolve(name)));
    if (without !== true) {
      const hidden = new Set([...before.hidden].filter((name) => !names.includes(name)));
      return { ...before, hidden, projection: fields };
    }
    const hidden = new Set([...before.hidden, ...names]);
    return {
      ...before,
      hidden,
      projection: projection && withoutHidden(projection, resolve, hidden),
      computed: computed.filter(({ name }) => !hidden.has(name.toLowerCase())),
    };
  },
  project: left,
  clickhouse: (stage, rows) =>
    rows.columns === undefined ? rows : { ...rows, columns: left(stage, rows.columns) },
  batchTable: (stage, table) => project(sorted(table), left(stage, table.columns)),
};
