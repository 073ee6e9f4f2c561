/** `query.parse`: takes a query apart; with a case, finds everything that is wrong with it there. */
import type { Result } from '../contract/operations.ts';
import {
  type Outline,
  QueryError,
  errorSpan,
  eventsAst,
  outlineOf,
  planQuery,
  shapeOfAnswer,
} from '../query/index.ts';
import type { CaseSession } from './case-session.ts';
import { contextOf } from './query.ts';

/** Whatever is wrong with the text is part of the answer. */
export function takeApart(
  text: string,
  zone: string,
  session: CaseSession | undefined,
): Result<'query.parse'> {
  const { ast, error, terms, ...outline } = outlineOf(text);
  const wrong = error ?? (ast === undefined ? undefined : planError(ast, text, zone, session));
  const shaping = ast === undefined ? 0 : eventsAst(ast).stages.length;
  return {
    filter: outline.filter,
    stages: outline.stages.map((stage) => ({ ...stage })),
    events: outline.events,
    ...(wrong === undefined ? {} : { error: wrong }),
    ...(terms === undefined ? {} : { terms: terms.map((term) => ({ ...term })) }),
    ...(ast === undefined ? {} : { shape: shapeOfAnswer(ast.stages.slice(shaping)) }),
  };
}

function planError(
  ast: NonNullable<Outline['ast']>,
  text: string,
  zone: string,
  session: CaseSession | undefined,
): Outline['error'] {
  if (session === undefined) return undefined;
  try {
    planQuery(ast, contextOf(session.snapshot(), { text, zone }, session));
    return undefined;
  } catch (error) {
    if (error instanceof QueryError) return errorSpan(text, error);
    throw error;
  }
}
