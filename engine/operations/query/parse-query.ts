/** `query.parse`: parses a query into its parts; with a case, reports every error it has there. */
import type { Result } from '../../contract/operations.ts';
import {
  type CompileContext,
  type Expression,
  type Outline,
  QueryError,
  errorSpan,
  eventFields,
  eventsAst,
  outlineOf,
  planQuery,
  queriesWithin,
  shapeOfAnswer,
  withValues,
} from '../../query/index.ts';
import { type CaseSession, contextOf } from '../../search/index.ts';

/** Errors in the text are part of the answer. */
export function takeApart(
  text: string,
  zone: string,
  session: CaseSession | undefined,
): Result<'query.parse'> {
  return takeApartIn(text, session && contextOf(session.snapshot(), { text, zone }, session));
}

/** @param context in which the text must be valid; undefined: independent of a case */
export function takeApartIn(
  text: string,
  context: CompileContext | undefined,
): Result<'query.parse'> {
  const names = context && eventFields(context.segments);
  const { ast, error, terms, ...outline } = outlineOf(
    text,
    names && ((test) => isResolved(test, names)),
  );
  const planned = ast === undefined ? undefined : planIn(ast, text, context);
  const readings = [...(planned?.readings ?? [])];
  const wrong = error ?? planned?.error;
  const shaping = ast === undefined ? 0 : eventsAst(ast).stages.length;
  return {
    filter: outline.filter,
    stages: outline.stages.map((stage) => ({ ...stage })),
    events: outline.events,
    ...(readings.length === 0 ? {} : { readings }),
    ...(wrong === undefined ? {} : { error: wrong }),
    ...(terms === undefined ? {} : { terms: terms.map((term) => ({ ...term })) }),
    ...(ast === undefined ? {} : { shape: shapeOfAnswer(ast.stages.slice(shaping)) }),
  };
}

function isResolved(test: Expression, names: ReturnType<typeof eventFields>): boolean {
  const item = test.node === 'not' ? test.item : test;
  if (item.node !== 'field') return false;
  try {
    names(item);
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

function planIn(
  ast: NonNullable<Outline['ast']>,
  text: string,
  context: CompileContext | undefined,
): { error?: Outline['error']; readings: Iterable<string> } {
  if (context === undefined) return { readings: ast.readings };
  try {
    // Inner queries are checked separately: their results cause no errors.
    for (const { query } of queriesWithin(ast)) {
      const { error } = planIn(query, text, context);
      if (error !== undefined) return { error, readings: ast.readings };
    }
    return planQuery(withValues(ast, new Map()), context);
  } catch (error) {
    if (error instanceof QueryError)
      return { error: errorSpan(text, error), readings: ast.readings };
    throw error;
  }
}
