/** Answers the queries within a query, innermost first, and replaces them by their values. */
import { DaybookError } from '../contract/errors.ts';
import {
  type Ast,
  MOST_WITHIN,
  type Plan,
  type WithinNode,
  parseQuery,
  queriesWithin,
  withValues,
} from '../query/index.ts';
import { type AnswerTable, type QueryParameters, type RunningQuery, startQuery } from './query.ts';
import type { CaseSession } from './session/case-session.ts';

type Asked = Pick<QueryParameters, 'text' | 'zone' | 'signal' | 'path' | 'lookups'>;

/**
 * The syntax tree with the results of the inner queries; undefined if there are none. An inner query sees the whole
 * case: neither the time range nor the list of the outer query applies to it.
 * @throws DaybookError query-syntax, unknown-field, limit-exceeded, cancelled
 */
export async function queriesAnswered(
  session: CaseSession,
  asked: Asked,
): Promise<Ast | undefined> {
  // Syntax errors are recorded where the query is started.
  if (!/\bin\s*\[/i.test(asked.text)) return undefined;
  return resolved(session, parseQuery(asked.text), asked);
}

/** Starts a query after answering its inner queries. @throws DaybookError as `queriesAnswered` */
export async function askQuery(
  session: CaseSession,
  parameters: QueryParameters,
): Promise<RunningQuery> {
  return startQuery(session, parameters, await queriesAnswered(session, parameters));
}

function resolved(session: CaseSession, ast: Ast, asked: Asked): Promise<Ast> {
  const { zone, signal, path, lookups } = asked;
  return withinAnswered(ast, (inner, text) => {
    const question = { text, zone, signal, path, lookups, operation: 'query.within' };
    const running = startQuery(session, question, inner);
    return { shape: running.plan.shape, table: () => running.table() };
  });
}

/** An inner query. */
interface AskedWithin {
  readonly shape: Plan['shape'];
  table(): Promise<AnswerTable>;
}

/**
 * A tree whose inner queries are answered, innermost first, and replaced by their values.
 * @throws DaybookError query-syntax, limit-exceeded, and whatever `ask` throws
 */
export async function withinAnswered(
  ast: Ast,
  ask: (inner: Ast, text: string) => AskedWithin | Promise<AskedWithin>,
): Promise<Ast> {
  const values = new Map<WithinNode, readonly string[]>();
  for (const node of queriesWithin(ast)) {
    const inner = await withinAnswered(node.query, ask);
    values.set(node, await valuesOf(node, await ask(inner, node.query.text)));
  }
  return values.size === 0 ? ast : withValues(ast, values);
}

async function valuesOf(node: WithinNode, { shape, table }: AskedWithin): Promise<string[]> {
  if (shape === 'rows')
    throw new DaybookError(
      'query-syntax',
      `a query within a query gives one column of values (column ${node.start + 1})`,
      'end it with values: [ failed | values src_ip ]',
    );
  const { columns, records } = await table();
  const [first] = columns;
  const out = new Set<string>();
  for await (const rows of records) {
    for (const row of rows) {
      const value = first === undefined ? null : row[first];
      if (typeof value === 'string' || typeof value === 'number') out.add(String(value));
    }
    if (out.size > MOST_WITHIN)
      throw new DaybookError(
        'limit-exceeded',
        `the query within has more than ${MOST_WITHIN} values (column ${node.start + 1})`,
        'narrow it, or keep only the largest groups: top 1000 field',
      );
  }
  return [...out];
}
