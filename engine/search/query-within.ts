/** Asks the queries within a query, from the innermost on, and puts their values in their places. */
import { DaybookError } from '../contract/errors.ts';
import {
  type Ast,
  MOST_WITHIN,
  type WithinNode,
  parseQuery,
  queriesWithin,
  withValues,
} from '../query/index.ts';
import { type QueryParameters, type RunningQuery, startQuery } from './query.ts';
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

async function resolved(session: CaseSession, ast: Ast, asked: Asked): Promise<Ast> {
  const values = new Map<WithinNode, readonly string[]>();
  for (const node of queriesWithin(ast)) values.set(node, await valuesOf(session, node, asked));
  return values.size === 0 ? ast : withValues(ast, values);
}

async function valuesOf(session: CaseSession, node: WithinNode, asked: Asked): Promise<string[]> {
  const { zone, signal, path, lookups } = asked;
  const ast = await resolved(session, node.query, asked);
  const question = {
    text: node.query.text,
    zone,
    signal,
    path,
    lookups,
    operation: 'query.within',
  };
  const running = startQuery(session, question, ast);
  if (running.plan.shape === 'rows')
    throw new DaybookError(
      'query-syntax',
      `a query within a query gives one column of values (column ${node.start + 1})`,
      'end it with values: [ failed | values src_ip ]',
    );
  const { columns, records } = await running.table();
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
