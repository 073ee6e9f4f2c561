/** `eval name = expression`: a field that is computed of each event or row. */
import type { Stage } from '../ast.ts';
import { computedField } from '../analyse.ts';
import { syntaxError } from '../query-error.ts';
import { batchResolve, extendedBatch } from './computed-columns.ts';
import type { StageOperator } from './operator.ts';

export type EvalStage = Extract<Stage, { stage: 'eval' }>;

const computes: NonNullable<StageOperator<EvalStage>['computes']> = (
  { as, value },
  resolve,
  around,
) => ({
  fields: [{ name: as.name, field: computedField(as.name, value, resolve, around) }],
  hidden: [],
});

export const evalOperator: StageOperator<EvalStage> = {
  form: 'eval name = expression',
  does: 'a field that is computed',
  parse: (reader) => {
    const as = reader.column();
    const { at } = reader;
    if (!reader.take('=')) throw syntaxError('expected =', at, 'write eval name = expression');
    return { stage: 'eval', as, value: reader.value() };
  },
  computes,
  batchTable: (stage, table, around) =>
    extendedBatch(table, computes(stage, batchResolve(table, around), around)),
};
