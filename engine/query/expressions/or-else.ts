/** A value, or, if it is missing, that of the field with its name. */
import type { Name } from '../syntax/ast.ts';
import { type Resolve, resolvedAside } from '../names/fields.ts';
import { QueryError } from '../syntax/query-error.ts';
import { fieldValue } from './analyse.ts';
import { VALUE_FUNCTIONS } from './functions.ts';
import { converted } from './operator.ts';
import type { Value } from './value.ts';

/** @param unlisted is not extended by a name that only may be an attribute: the value does not depend on it */
export function orElse(value: Value, resolve: Resolve, name: Name, unlisted: Set<string>): Value {
  const fallback = valueOfName(resolvedAside(resolve, unlisted), name);
  const other = fallback && converted(fallback, value.type);
  if (other === undefined) return value;
  const args = [value, other];
  const made = VALUE_FUNCTIONS.get('coalesce')!.make({
    args,
    clock: () => {
      throw new TypeError('no clock is asked');
    },
    wrong: (_, problem) => {
      throw new TypeError(problem);
    },
  });
  return { ...made, text: `coalesce(${args.map(({ text }) => text).join(', ')})` };
}

/** Undefined: nothing has that name, or it has no single value. */
function valueOfName(resolve: Resolve, name: Name): Value | undefined {
  try {
    return fieldValue(resolve(name), name.start);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}
