/** `rename f as g, …`: fields and columns under other names. */
import type { Name, Stage } from '../syntax/ast.ts';
import { type Field, fieldName } from '../names/fields.ts';
import { project, sorted } from '../batch/table.ts';
import { type TableColumn, tableFields } from '../statements/relation.ts';
import { QueryError, shown, syntaxError } from '../syntax/query-error.ts';
import type { StageOperator } from './operator.ts';

type RenameStage = Extract<Stage, { stage: 'rename' }>;

function renamed({ names }: RenameStage, columns: readonly TableColumn[]): TableColumn[] {
  const resolve = tableFields(columns);
  const others = new Map(names.map(({ from, to }) => [fieldName(resolve(from)), to]));
  const out = columns.map((column): TableColumn => {
    const name = others.get(column.name)?.name ?? column.name;
    return { ...column, name, shape: { ...column.shape, name } };
  });
  for (const { to } of names)
    if (out.filter(({ name }) => name === to.name).length > 1)
      throw new QueryError(
        'query-syntax',
        `a second column named ${shown(to.name)} (column ${to.start + 1})`,
        to.start,
      );
  return out;
}

/** A field under another name. Throws QueryError for Daybook's own fields, whose names are fixed. */
function called(field: Field, to: Name): Field {
  if (field.type !== 'virtual') return { ...field, name: to.name };
  if (field.ref !== undefined) return { ...field, column: to.name };
  throw syntaxError(
    `${field.name} keeps its name among events`,
    to.start,
    `after a stage that counts it can be renamed`,
  );
}

export const renameOperator: StageOperator<RenameStage> = {
  computes: ({ names }, resolve) => ({
    fields: names.map(({ from, to }) => ({ name: to.name, field: called(resolve(from), to) })),
    hidden: names.flatMap(({ from }) => {
      const field = resolve(from);
      return field.type === 'attribute' ? [from.name] : [from.name, field.name];
    }),
  }),
  project: renamed,
  batchTable: (stage, table) => {
    const before = sorted(table);
    const columns = renamed(stage, table.columns);
    return { ...project(before, table.columns), columns };
  },
};
