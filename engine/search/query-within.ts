/** Asks the queries within a query, from the innermost on, and puts their values in their places. */
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
 * The tree of a query in which no query is left to be asked first; undefined: there was none in it. A query within another sees
 * the whole case: neither the time range nor the list of the one around it holds for it.
 * @throws DaybookError query-syntax, unknown-field, limit-exceeded, cancelled
 */
export async function queriesAnswered(
  session: CaseSession,
  asked: Asked,
): Promise<Ast | undefined> {
  // What is wrong with a text is recorded where it is asked.
  if (!/\bin\s*\[/i.test(asked.text)) return undefined;
  return resolved(session, parseQuery(asked.text), asked);
}

/** Starts a query, queries within it being asked first. @throws DaybookError as `queriesAnswered` */
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

/** What is asked of a query within another. */
interface AskedWithin {
  readonly shape: Plan['shape'];
  table(): Promise<AnswerTable>;
}

/**
 * A tree whose inner queries are asked, from the innermost on, and replaced by their values.
 * @throws DaybookError query-syntax, limit-exceeded, and what `ask` throws
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
        'narrow it, or have it give the largest: top 1000 field',
      );
  }
  return [...out];
}
