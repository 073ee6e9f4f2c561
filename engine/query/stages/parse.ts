/**
 * `parse json(message)`, `parse kv(message)`: names after it are looked up in that text, too. What it finds takes
 * precedence over a field of that name; names that identify or order events (`ts`, `kind`, `source`, …) keep their
 * meaning.
 */
import type { Name, Stage } from '../syntax/ast.ts';
import { fieldOf, fieldValue } from '../expressions/analyse.ts';
import { jsonValue, pairValue } from '../expressions/structured.ts';
import { converted } from '../expressions/operator.ts';
import { orElse } from '../expressions/or-else.ts';
import type { Value } from '../expressions/value.ts';
import type { Field, Resolve } from '../names/fields.ts';
import { QueryError, shown, syntaxError } from '../syntax/query-error.ts';
import { typedByName } from './extract.ts';
import type { StageOperator } from './operator.ts';

type ParseStage = Extract<Stage, { stage: 'parse' }>;

const FIXED: ReadonlySet<string> = new Set([
  'ts',
  'ts_ns',
  'seq',
  'source_id',
  'message',
  'ip',
  'port',
]);

function isFixed(field: Field): boolean {
  return field.type === 'virtual' || FIXED.has(field.name);
}

/** A field of the same kind, so that conditions on it stay the same. */
function likeOwn(text: Value, name: Name, field: Field | undefined): Value {
  switch (field?.type) {
    case 'number':
      return converted(text, 'number') ?? text;
    case 'address':
      return converted(text, 'address') ?? text;
    case undefined:
      return typedByName(name.name, text);
    default:
      return text;
  }
}

const computes: NonNullable<StageOperator<ParseStage>['computes']> = (stage, resolve, around) => {
  const { from, form, start } = stage;
  if (resolve.columns !== undefined)
    throw new QueryError(
      'query-syntax',
      `parse works on events, not on a table (column ${start + 1})`,
      start,
      'put it before the stage that counts',
    );
  const text = converted(fieldValue(resolve(from), from.start), 'text');
  if (text === undefined) throw syntaxError(`${from.name} is not text`, from.start);
  return {
    fields: [],
    hidden: [],
    any: (name, field) => {
      const isListed =
        field !== undefined && !(field.type === 'attribute' && around.unlisted.has(field.key));
      if (field !== undefined && (isFixed(field) || (field.type === 'time' && isListed)))
        return undefined;
      const found = form === 'json' ? jsonValue(text, name.name) : pairValue(text, name.name);
      const value = likeOwn(found, name, isListed ? field : undefined);
      if (!isListed)
        around.readings.add(
          `no event has a field ${shown(name.name)}: searched for it in ${from.name} as ${form === 'json' ? 'JSON' : 'key=value'}`,
        );
      const stored: Resolve = () => {
        if (field !== undefined) return field;
        throw new QueryError('unknown-field', name.name, name.start);
      };
      if (!isListed && field?.type === 'attribute') around.unlisted.delete(field.key);
      return fieldOf(name.name, orElse(value, stored, name, around.unlisted));
    },
  };
};

export const parseOperator: StageOperator<ParseStage> = {
  computes,
};
