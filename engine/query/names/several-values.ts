/**
 * Events with more than one value under a name: a column and an attribute with its name, or an attribute in several
 * spellings. Filters test each of them; an answer uses one value of each event (fields.ts), and says which.
 */
import { attributesNamed } from './attribute-names.ts';
import type { Name, Stage } from '../syntax/ast.ts';
import type { Field, Resolve } from './fields.ts';
import { shown } from '../syntax/query-error.ts';
import { stageOperatorOf } from '../stages/stages.ts';

/**
 * Notes for an answer whose events may have other values than those that it takes.
 * @param sets the columns that some of them have, and those that others have
 */
export function severalValues(
  stages: readonly Stage[],
  projection: readonly Name[],
  sets: readonly ReadonlySet<string>[],
  resolve: Resolve,
): string[] {
  const [first] = stages;
  const names =
    first === undefined ? projection : (stageOperatorOf(first).fieldsTaken?.(first) ?? []);
  return [...new Set(names.flatMap((name) => reading(name, resolve(name), sets) ?? []))];
}

function reading(
  { name }: Name,
  field: Field,
  sets: readonly ReadonlySet<string>[],
): string | undefined {
  const key = field.type === 'attribute' ? field.key : (field.attribute?.key ?? name);
  if (field.type !== 'text' && field.type !== 'attribute') {
    const isThere = sets.some((columns) => attributesNamed(columns, key).length > 0);
    return isThere
      ? `${name}: the column of that name; events have an attribute of it, too: attrs.${key}`
      : undefined;
  }
  let most: readonly string[] = [];
  for (const columns of sets) {
    const names = attributesNamed(columns, key).map((one) => one.name);
    const hasColumn =
      field.type === 'text' && 'column' in field.ref && columns.has(field.ref.column);
    const all = hasColumn ? [field.name, ...names.map((one) => `attrs.${one}`)] : names;
    if (all.length > most.length) most = all;
  }
  if (most.length < 2) return undefined;
  const all = most.map((one) => shown(one)).join(', ');
  return `${name}: an event may have several of ${all}; it counts with the first, and a filter finds it by each`;
}
