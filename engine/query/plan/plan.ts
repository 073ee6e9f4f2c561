/**
 * A plan: the question, its segments, the access path, and the shape of the answer. Pure: data, and closures over data.
 * plan-query.ts makes it from a query; statements.ts converts it to SQL.
 */
import type { EpochMicros } from '../../contract/event.ts';
import type { ArrivedFilter } from '../filters/arrived.ts';
import type { Filter } from '../filters/filter.ts';
import type { Names } from '../filters/surroundings.ts';
import type { MatchList } from '../lists/match-list.ts';
import type { LookupFile } from '../lookups/lookup-file.ts';
import type { Resolve } from '../names/fields.ts';
import type { Shape } from '../stages/operator.ts';
import type { TimelineStage } from '../stages/timeline.ts';
import type { TableColumn } from '../statements/relation.ts';
import type { Ast, Name, Stage } from '../syntax/ast.ts';
import type { ZoneOffset } from '../time/time.ts';
import type { Extent } from '../values/values.ts';
import type { EventsNode } from './events-node.ts';
import type { Path } from './known-rows/found.ts';
import type { PruneReason, SegmentInfo } from './scope.ts';

/** The catalog's state at planning. */
export interface CompileContext extends Names {
  readonly segments: readonly SegmentInfo[];
  /** The newest event of the case, from which `last:` counts back. */
  readonly newestTs: EpochMicros | undefined;
  /** For times in the query that state no zone, and for the edges of a timeline's buckets. */
  readonly zone: string;
  /** The request's time range, half-open. */
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  /** Events must also match one of its rows. */
  readonly list?: MatchList | undefined;
  /** Events must match none of its rows. */
  readonly exclude?: MatchList | undefined;
  /** The files for `lookup`, by their names in the query. */
  readonly lookups?: ReadonlyMap<string, LookupFile> | undefined;
  /**
   * Rows are made in memory, one by one, as evidence is read: a stage that needs only the row leaves them events.
   */
  readonly rowByRow?: boolean | undefined;
  /** Only events that arrived between two states of the case. */
  readonly arrived?: Omit<ArrivedFilter, 'filter'> | undefined;
  /** Only events that are not before this time: those without a time are among them. */
  readonly notBefore?: EpochMicros | undefined;
  /** Seconds that a zone is ahead of UTC at a local time; the runtime's if omitted. */
  readonly zoneOffset?: ZoneOffset;
}

export interface PrunedSegment {
  readonly segment: SegmentInfo;
  readonly reason: PruneReason;
}

export interface Plan {
  readonly ast: Ast;
  readonly shape: Shape;
  /** `catalog`: the answer is known without looking at an event. */
  readonly path: Path;
  /** The answer of a `count` by catalog. */
  readonly catalogCount: number | undefined;
  /** Physical columns that are read, without those that only order rows. */
  readonly needs: readonly string[];
  /** In order of time, `undated` last. */
  readonly segmentsUsed: readonly SegmentInfo[];
  readonly prunedSegments: readonly PrunedSegment[];
  readonly days: { readonly total: number; readonly used: number };
  /** Rows of the segments that are read. */
  readonly rowsExamined: number;
  /** Packets omitted because the query does not mention `kind`; undefined if there are none. */
  readonly packetsBeneath: { readonly packets: number; readonly exact: boolean } | undefined;
  /** Whether rows may be read day by day, in order, and reading may stop early. */
  readonly streaming: boolean;
  /** Rows at most, as `head` asks. */
  readonly limit: number | undefined;
  /** Fields that `fields` chose for rows. */
  readonly projection: readonly Name[] | undefined;
  /** Fields that stages computed, shown next to those of events; names that are hidden. */
  readonly computed: readonly Name[];
  readonly hidden: ReadonlySet<string>;
  /** Columns of rows that are no longer events although nothing aggregates them; otherwise undefined. */
  readonly rowColumns: readonly Name[] | undefined;
  /** Columns of an answer that does not consist of events. */
  readonly tableColumns: readonly TableColumn[];
  /** The time range of query and request; either end may be open. */
  readonly range: { readonly from: EpochMicros | undefined; readonly to: EpochMicros | undefined };
  /** Whether the range of a timeline must be determined first (`compileRange`). */
  readonly needsRange: boolean;
  /** The analysed filter of the events (of a union: each side's), for an index to serve. */
  readonly filters: readonly Filter[];
  readonly events: EventsNode;
  /** Names and values of events, for all statements of the plan. */
  readonly resolve: Resolve;
  /** The same for the displayed fields of a list's events, whatever the question: `unlisted` stays unchanged. */
  readonly resolveShown: Resolve;
  /** Fields without a column: only attributes beyond the 256 names of a batch can have them. */
  readonly unlisted: ReadonlySet<string>;
  /** How ambiguous parts of the text were read. */
  readonly readings: Set<string>;
  readonly extent: Extent;
  /** The aggregating stage and what follows. */
  readonly stages: readonly Stage[];
  readonly context: CompileContext;
}

/** The same plan with its limit as a selection among its events, for statements about all of them at once. */
export function limited(plan: Plan): Plan {
  const { events, limit } = plan;
  if (limit === undefined) return plan;
  const stage = { stage: 'head', limit, start: 0, end: 0 } as const;
  return {
    ...plan,
    ...{ streaming: false, limit: undefined },
    events: { node: 'stage', of: events, stage, resolve: plan.resolve },
  };
}

export function timelineOf(plan: Plan): TimelineStage | undefined {
  const [first] = plan.stages;
  return first?.stage === 'timeline' ? first : undefined;
}
