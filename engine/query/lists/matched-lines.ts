/** Which lines of a list the events of a plan match, as statements. */
import { Params, listTable, quoteIdentifier } from '../dialect/duckdb.ts';
import { LINE_COLUMN, groupCondition } from '../filters/list.ts';
import { type Plan, eventContext, relationOf } from '../plan.ts';
import type { Statement } from '../statements.ts';
import type { ListGroup } from './match-list.ts';

/** One column: the lines of a group of the plan's list that some event matches, each once. */
export function compileMatchedLines(plan: Plan, group: ListGroup): Statement {
  const params = new Params();
  const relation = relationOf(
    plan.events,
    eventContext(plan, plan.segmentsUsed, params),
    new Set(),
  );
  const condition = groupCondition(group, relation.scope);
  const line = quoteIdentifier(LINE_COLUMN);
  const met = 'sql' in condition ? condition.sql : condition.value ? 'TRUE' : 'FALSE';
  const sql = `SELECT DISTINCT l.${line} FROM ${listTable(group.table)} AS l WHERE EXISTS (SELECT 1 FROM (${relation.sql()}) AS r WHERE ${met})`;
  return { ...params.finish(sql), columns: [] };
}
