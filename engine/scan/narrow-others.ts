/** Rows by what is neither a number nor an address nor searched text. */
import type { CommunityFilter } from '../query/filters/community-id.ts';
import { type DayFilter, dayMatches } from '../query/filters/day.ts';
import type { EventIdFilter } from '../query/filters/event-id.ts';
import type { PresentFilter } from '../query/filters/present.ts';
import type { SourceFilter } from '../query/filters/source.ts';
import { valuePattern } from '../query/filters/wildcard.ts';
import type { Ref } from '../query/fields.ts';
import { communityReader } from './community.ts';
import type { Narrow } from './narrow-logic.ts';
import { compilePattern } from '../query/re2/matcher.ts';
import { type RowScope, dayText, numberAt, overflowNamed, textOf } from './row-scope.ts';

/** Rows for which a test made anew for every batch holds. */
function each(make: () => (row: number) => boolean): Narrow {
  make();
  return (rows, n) => {
    const test = make();
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (test(row)) rows[kept++] = row;
    }
    return kept;
  };
}

const utf8 = new TextEncoder();

export function narrowCommunity({ id, wildcard, ref }: CommunityFilter, scope: RowScope): Narrow {
  const matcher = wildcard ? compilePattern(valuePattern(id, true), false) : undefined;
  const matches = (text: string | undefined): boolean => {
    if (text === undefined) return false;
    if (matcher === undefined) return text === id;
    const bytes = utf8.encode(text);
    return matcher.test(bytes, 0, bytes.length);
  };
  return each(() => {
    if (ref === undefined) {
      const read = communityReader(scope);
      return (row) => matches(read(row));
    }
    const column = scope.column(ref);
    return (row) => column?.type === 'text' && matches(textOf(column, row));
  });
}

export function narrowDay({ test, ref }: DayFilter, scope: RowScope): Narrow {
  const known = new Map<string, boolean>();
  const matches = (day: string): boolean => {
    let found = known.get(day);
    if (found === undefined) known.set(day, (found = dayMatches(test, day)));
    return found;
  };
  return each(() => {
    const column = scope.column(ref ?? { column: 'ts' });
    if (column?.type === 'text') {
      return (row) => {
        const text = textOf(column, row);
        return text !== undefined && matches(text);
      };
    }
    let last = -1;
    let lastMatches = false;
    return (row) => {
      const ts = numberAt(column, row);
      const day = ts === undefined ? NaN : Math.floor(ts / 86_400e6);
      if (day !== last) {
        last = day;
        lastMatches = matches(dayText(ts));
      }
      return lastMatches;
    };
  });
}

export function narrowEventId({ source, seq }: EventIdFilter, scope: RowScope): Narrow {
  return each(() => {
    const sources = scope.column({ column: 'source_id' });
    const numbers = scope.column({ column: 'seq' });
    return (row) => numberAt(sources, row) === source && numberAt(numbers, row) === seq;
  });
}

export function narrowSource({ ids, ref }: SourceFilter, scope: RowScope): Narrow {
  const wanted = new Set<number | undefined>(ids);
  return each(() => {
    const column = scope.column(ref ?? { column: 'source_id' });
    return (row) => wanted.has(numberAt(column, row));
  });
}

/** Packets that belong to a flow are left out. */
export function narrowUnflowed(scope: RowScope): Narrow {
  if (scope.kind !== 'packet') return (_, n) => n;
  const column = scope.peek('flow_id');
  return each(() => (row) => column?.present[row] !== 1);
}

/** Rows that one of some columns has. */
function keepPresent(rows: Int32Array, n: number, presences: readonly Uint8Array[]): number {
  const [first, second] = presences;
  if (first === undefined) return 0;
  let kept = 0;
  if (presences.length <= 2) {
    const other = second ?? first;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if ((first[row]! | other[row]!) !== 0) rows[kept++] = row;
    }
    return kept;
  }
  for (let i = 0; i < n; i++) {
    const row = rows[i]!;
    if (presences.some((present) => present[row] === 1)) rows[kept++] = row;
  }
  return kept;
}

export function narrowPresent({ field }: PresentFilter, scope: RowScope): Narrow {
  const anyOf = (refs: readonly (Ref | undefined)[]): Narrow => {
    const presences = () =>
      refs.flatMap((ref): Uint8Array[] => {
        const column = ref === undefined ? undefined : (scope.coded(ref) ?? scope.column(ref));
        return column === undefined ? [] : [column.present];
      });
    presences();
    return (rows, n) => keepPresent(rows, n, presences());
  };
  switch (field.type) {
    case 'number':
      return anyOf(field.refs);
    case 'time':
    case 'text':
      return anyOf([field.ref]);
    case 'address':
      return anyOf(field.sides.flatMap(({ v4, v6 }) => [v4, v6]));
    case 'attribute':
      return each(() => {
        const coded = scope.codedAttribute(field.key);
        const columns = coded === undefined ? scope.attributesNamed(field.key) : [coded];
        const overflow = scope.overflow();
        return (row) =>
          columns.some(({ present }) => present[row] === 1) ||
          (overflow?.present[row] === 1 && overflowNamed(overflow, row, field.key).length > 0);
      });
    case 'virtual':
      if (field.ref !== undefined) return anyOf([field.ref]);
      switch (field.name) {
        case 'attributes':
          return each(() => {
            const columns = scope.attributes();
            const overflow = scope.overflow();
            return (row) =>
              columns.some(({ present }) => present[row] === 1) || overflow?.present[row] === 1;
          });
        case 'community_id':
          return each(() => {
            const read = communityReader(scope);
            return (row) => read(row) !== undefined;
          });
        default:
          return (_, n) => n;
      }
  }
}
