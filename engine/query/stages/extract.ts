/**
 * `extract "from {src_ip} port {src_port}"`, `extract /(?<user>\w+)@/ from url`: fields cut out of a text. If the
 * text does not match, a field of that name keeps the event's value.
 */
import type { Stage } from '../syntax/ast.ts';
import { fieldEntry } from '../../fields/registry/registry.ts';
import { extracted as extractedThere } from '../dialect/clickhouse.ts';
import { extracted } from '../dialect/duckdb.ts';
import { fieldOf, fieldValue } from '../expressions/analyse.ts';
import { templatePattern } from '../expressions/cut-pattern.ts';
import { converted } from '../expressions/operator.ts';
import { type Value, onePart, valueClickHouse } from '../expressions/value.ts';
import { orElse } from '../expressions/or-else.ts';
import { CaptureMatcher } from '../re2/captures.ts';
import { checkRe2 } from '../re2/check.ts';
import { QueryError, syntaxError } from '../syntax/query-error.ts';
import { STAGE_GRAMMAR } from '../syntax/stage-grammar.ts';
import { batchResolve, extendedBatch } from './computed-columns.ts';
import type { StageOperator } from './operator.ts';

type ExtractStage = Extract<Stage, { stage: 'extract' }>;

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of a pattern's group; an empty one is missing. */
function groupValue(text: Value, pattern: string, ignoreCase: boolean, group: number): Value {
  const matcher = new CaptureMatcher(pattern, ignoreCase);
  const flagged = ignoreCase ? `(?i)${pattern}` : pattern;
  return {
    type: 'text',
    text: `extract(${text.text}, ${JSON.stringify(flagged)}, ${group})`,
    sql: (scope) => [extracted(onePart(text, scope), scope.params.text(flagged), group)],
    clickhouse: (scope) => extractedThere(valueClickHouse(text, scope), pattern, ignoreCase, group),
    reader: (scope) => {
      const read = text.reader(scope);
      return (row) => {
        const cell = read(row);
        if (cell === null) return null;
        const bytes = utf8.encode(String(cell));
        const found = matcher.exec(bytes);
        const start = found?.[2 * group] ?? -1;
        const end = found?.[2 * group + 1] ?? -1;
        return start < 0 || end <= start ? null : decoder.decode(bytes.subarray(start, end));
      };
    },
  };
}

/** A text with the type that its name is known to have. */
export function typedByName(name: string, text: Value): Value {
  const type = fieldEntry(name)?.type;
  const wanted =
    type === 'ip' ? 'address' : type === 'port' || type === 'number' ? 'number' : 'text';
  return converted(text, wanted) ?? text;
}

const computes: NonNullable<StageOperator<ExtractStage>['computes']> = (stage, resolve, around) => {
  const { from, given, start } = stage;
  const text = converted(fieldValue(resolve(from), from.start), 'text');
  if (text === undefined) throw syntaxError(`${from.name} is not text`, from.start);
  const { pattern, ignoreCase } = patternOf(stage);
  const problem = checkRe2(pattern);
  if (problem !== undefined)
    throw new QueryError(
      'query-syntax',
      `pattern: ${problem.message} (column ${given.at + 1})`,
      given.at,
      problem.hint,
    );
  const { names } = new CaptureMatcher(pattern, ignoreCase);
  const fields = names.flatMap((name, i) => {
    if (name === undefined) return [];
    const value = typedByName(name, groupValue(text, pattern, ignoreCase, i + 1));
    return {
      name,
      field: fieldOf(name, orElse(value, resolve, { name, start, end: start }, around.unlisted)),
    };
  });
  if (fields.length > 0) return { fields, hidden: [] };
  throw syntaxError(
    'it names no field',
    given.at,
    'write extract "user {user}" or extract /user=(?<user>\\w+)/',
  );
};

/** Patterns, with names in RE2's spelling. */
function patternOf({ given }: ExtractStage): { pattern: string; ignoreCase: boolean } {
  if (given.form === 'pattern') {
    const pattern = given.pattern.toWellFormed().replace(/\(\?<(?=\w)/g, '(?P<');
    return { pattern, ignoreCase: given.ignoreCase };
  }
  try {
    return { pattern: templatePattern(given.template.toWellFormed()), ignoreCase: false };
  } catch (error) {
    throw syntaxError(
      error instanceof Error ? error.message : String(error),
      given.at,
      `write: ${STAGE_GRAMMAR.extract.form}`,
    );
  }
}

export const extractOperator: StageOperator<ExtractStage> = {
  computes,
  batchTable: (stage, table, around) =>
    extendedBatch(table, computes(stage, batchResolve(table, around), around)),
};
