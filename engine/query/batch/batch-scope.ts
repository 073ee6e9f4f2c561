/** The columns of a batch of events, as the scope of a filter or a stage. */
import type { EventBatch } from '../../columns/event-batch.ts';
import type { TextColumn } from '../../columns/columns.ts';
import { SEARCHED_TEXTS } from '../../contract/event.ts';
import { ComputedColumns, type RowScope } from './row-scope.ts';
import { OVERFLOW_COLUMN } from '../plan/scope.ts';
import { ATTRIBUTE_PREFIX, spellingOf } from './values/spelling.ts';

/** Names that a scan reads, in the form of the hint for importers; undefined: everything. */
export type Wanted = Set<string> | undefined;

/** The columns of a batch. Requested columns are recorded in `wanted`. */
export function batchScope(batch: EventBatch, wanted: Wanted): RowScope {
  const spelling = spellingOf(batch);
  // Names ignore case: the columns of a name are looked up again when there are more.
  const found = new Map<string, { readonly of: number; readonly columns: readonly TextColumn[] }>();
  const attributesNamed = (name: string): readonly TextColumn[] => {
    const of = batch.attributes.size;
    const known = found.get(name);
    if (known?.of === of) return known.columns;
    const lower = name.toLowerCase();
    const columns = [...batch.attributes]
      .filter(([other]) => other.length === name.length && other.toLowerCase() === lower)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, column]) => column);
    found.set(name, { of, columns });
    return columns;
  };
  const scope: RowScope = {
    capacity: batch.capacity,
    kind: batch.kind,
    column: (ref) => {
      if ('computation' in ref) return computedColumns(batch).column(ref, batch.length, scope);
      if (!('column' in ref)) return undefined;
      wanted?.add(ref.column);
      spelling.keep(ref.column);
      return batch.column(ref.column);
    },
    coded: (ref) => {
      if (!('column' in ref)) return undefined;
      wanted?.add(ref.column);
      return batch.coded.get(ref.column);
    },
    codedAttribute: (name) => {
      wanted?.add(ATTRIBUTE_PREFIX + name.toLowerCase()).add(OVERFLOW_COLUMN);
      return batch.coded.get(ATTRIBUTE_PREFIX + name.toLowerCase());
    },
    peek: (name) => batch.column(name),
    attributesNamed: (name) => {
      wanted?.add(ATTRIBUTE_PREFIX + name.toLowerCase()).add(OVERFLOW_COLUMN);
      spelling.attribute(name);
      return attributesNamed(name);
    },
    attributes: () => {
      wanted?.add(`${ATTRIBUTE_PREFIX}*`).add(OVERFLOW_COLUMN);
      spelling.attribute();
      return [...batch.attributes.values()];
    },
    texts: () => {
      for (const name of SEARCHED_TEXTS) {
        wanted?.add(name);
        spelling.keep(name);
      }
      wanted?.add('extractor');
      return [...batch.searchedTexts().values()];
    },
    overflow: () => batch.overflow,
  };
  return scope;
}

/** Call it when the batch has been refilled: expressions are computed again. */
export function computeAgain(batch: EventBatch, wanted: Wanted): void {
  computed.get(batch)?.refill(batch.length, batchScope(batch, wanted));
}

const computed = new WeakMap<EventBatch, ComputedColumns>();

function computedColumns(batch: EventBatch): ComputedColumns {
  let columns = computed.get(batch);
  if (columns === undefined) computed.set(batch, (columns = new ComputedColumns(batch.capacity)));
  return columns;
}
