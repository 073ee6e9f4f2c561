/** Events of a query, as the stages before the first that aggregates leave them. */
import type { Filter } from '../filters/filter.ts';
import type { Resolve } from '../names/fields.ts';
import type { Ast, Name, Stage } from '../syntax/ast.ts';
import type { Found } from './known-rows/found.ts';

/** The events and their order. */
export type EventsNode =
  | {
      readonly node: 'base';
      readonly filter: Filter;
      /** What is known about its events: statements read no others. */
      readonly found?: Found | undefined;
    }
  | { readonly node: 'where'; readonly of: EventsNode; readonly filter: Filter }
  | {
      readonly node: 'stage';
      readonly of: EventsNode;
      readonly stage: Stage;
      /** Names at its place: a stage after it may compute others. */
      readonly resolve: Resolve;
    }
  | { readonly node: 'union'; readonly left: EventsNode; readonly right: EventsNode };

/** The filters of events, each with its segments; those of a union separately. */
export function filtersOf(node: EventsNode): Filter[] {
  switch (node.node) {
    case 'base':
      return [node.filter];
    case 'union':
      return [...filtersOf(node.left), ...filtersOf(node.right)];
    default:
      return filtersOf(node.of);
  }
}

/** Events, their names, and the names to show. */
export interface ShapedEvents {
  readonly events: EventsNode;
  readonly resolve: Resolve;
  /** Fields selected by a stage; undefined: no stage selects. */
  readonly projection: readonly Name[] | undefined;
  /** Fields computed by stages, shown beside those of events. */
  readonly computed: readonly Name[];
  /** Hidden names, in lower case. */
  readonly hidden: ReadonlySet<string>;
}

/** Additional input of a stage that changes events. */
export interface Shaping {
  /** Whether an earlier stage has made a table of them. */
  readonly isTable: boolean;
  /** The events of another query. Throws QueryError when it gives none. */
  eventsOf(query: Ast): EventsNode;
}
