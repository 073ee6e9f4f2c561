/** The files that a query names. */
import type { Ast, Stage } from '../syntax/ast.ts';
import { parseQuery } from '../syntax/parse.ts';
import { QueryError } from '../syntax/query-error.ts';
import { queriesIn, stageOperatorOf } from '../stages/stages.ts';
import { queriesWithin } from '../plan/within.ts';

/** As written, each once; empty if the text is invalid, which is reported when it is run. */
export function lookupNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const ofStage = (stage: Stage): void => {
    const file = stageOperatorOf(stage).file?.(stage);
    if (file !== undefined) names.add(file);
    for (const { stages } of queriesIn(stage)) stages.forEach(ofStage);
  };
  const ofQuery = (ast: Ast): void => {
    ast.stages.forEach(ofStage);
    for (const { query } of queriesWithin(ast)) ofQuery(query);
  };
  try {
    ofQuery(parseQuery(text));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
  }
  return names;
}
