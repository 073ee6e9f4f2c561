/** `host:*`: the field has a value. */
import { type Field, refSql } from '../fields.ts';
import { NO_COLUMN, TRUE, type Predicate, type Scope } from '../scope.ts';
import { communitySql } from './community-id.ts';
import { compileFlow, sidePresent } from './flow.ts';
import { either } from './logic.ts';
import { anyText } from './text-value.ts';

export interface PresentFilter {
  readonly filter: 'present';
  readonly field: Field;
}

function notNull(sql: string | undefined): Predicate {
  return sql === undefined ? NO_COLUMN : { sql: `${sql} IS NOT NULL` };
}

export function compilePresent(filter: PresentFilter, scope: Scope): Predicate {
  const { field } = filter;
  switch (field.type) {
    case 'number':
      return either(field.refs.map((ref) => notNull(refSql(ref, scope))));
    case 'time':
      // A segment of a day holds events of that day, so each has its time.
      if (scope.segment !== undefined && field.name === 'ts') {
        return { value: scope.segment.day !== 'undated', reason: 'time' };
      }
      return notNull(refSql(field.ref, scope));
    case 'text':
      return notNull(refSql(field.ref, scope));
    case 'address':
      return either(field.sides.map((side) => sidePresent(side, scope)));
    case 'attribute':
      return anyText(scope.attributesNamed(field.key), (sql) => `${sql} IS NOT NULL`);
    case 'virtual':
      if (field.ref !== undefined) return notNull(refSql(field.ref, scope));
      switch (field.name) {
        case 'attributes':
          return either([NO_COLUMN, ...scope.attributes().map(({ sql }) => notNull(sql))]);
        case 'community_id':
          return notNull(communitySql(scope));
        case 'flow': {
          const open = { address: undefined, port: undefined };
          return compileFlow({ filter: 'flow', ends: [open, open], proto: undefined }, scope);
        }
        default:
          return TRUE;
      }
  }
}
