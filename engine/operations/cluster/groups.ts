/** Timelines, groups, values and conversations of a view of the case on a cluster. */
import {
  clickhouseConversationDetails,
  clickhouseConversations,
  clickhouseExtent,
  clickhouseSparklines,
  clickhouseStackedTimeline,
  DAY,
  type EvenGrid,
  evenGrid,
  hasSeveralValues,
  limited,
  type RawValue,
  type Stage,
} from '../../query/index.ts';
import {
  conversationList,
  type ConversationParameters,
  countedRows,
  coveredSpan,
  emptied,
  type FieldValues,
  fitted,
  linesOf,
  NO_FLOWS,
  onlyOf,
  sourcesOfTotals,
  type Timeline,
  type TimelineParameters,
  type Top,
  topOf,
  type TopParameters,
  topStage,
  valuesOf,
  valueStages,
  type View,
  type ViewScope,
} from '../../search/index.ts';
import type { ClusterSession } from './session.ts';
import { askOnCluster, type ClusterView } from './view.ts';

/** @throws DaybookError query-syntax, unknown-field, usage, cancelled */
export function timelineOn(
  session: ClusterSession,
  parameters: TimelineParameters,
): Promise<Timeline & ViewScope> {
  const { buckets, by, most } = parameters;
  return askOnCluster(session, 'timeline.run', parameters, async (whole) => {
    const asked = whole.on(limited(whole.plan));
    const { plan, options } = asked;
    const counted = async (grid: EvenGrid) => {
      const { values, after, ...statement } = clickhouseStackedTimeline(
        ...([plan, grid, by, most, options] as const),
      );
      const [column] = values;
      const rows = await asked.rows(
        statement,
        column === undefined ? [] : ['integer', 'integer', column.type],
      );
      return countedRows(rows, column, after, session.context, by);
    };
    const span = coveredSpan(plan);
    if (span !== undefined)
      return fitted(evenGrid(span.from, span.to, buckets), plan.range, buckets, counted);
    const none = await counted({ from: 0, width: DAY, buckets: 1 });
    return { ...emptied(none), starts: new Float64Array(0) };
  });
}

/** @throws DaybookError query-syntax, unknown-field, usage, cancelled */
export function topOn(
  session: ClusterSession,
  parameters: TopParameters,
): Promise<Top & ViewScope> {
  const stage = topStage(parameters);
  return askOnCluster(
    session,
    'top.run',
    parameters,
    async (asked) => {
      const { plan, options } = asked;
      const { columns, rows } = await groupsOf(asked);
      const answered = { statement: { columns, grid: undefined }, rows };
      const found = topOf(plan, stage, answered, session.context, parameters.zone);
      const span =
        parameters.sparkline === 0 || rows.length === 0 ? undefined : await spanOf(asked);
      if (span === undefined) return found;
      const grid = evenGrid(span.from, span.to, parameters.sparkline);
      const counts = await asked.rows(clickhouseSparklines(plan, stage, grid, options));
      return { ...found, sparklines: linesOf(grid, span, rows.length, counts) };
    },
    [stage],
  );
}

/** Rows of a plan that ends with a `top`, and their columns. */
async function groupsOf(asked: ClusterView) {
  const query = asked.query();
  const columns = query.columns();
  const rows: RawValue[][] = [];
  for await (const batch of query.rows(columns)) for (const row of batch) rows.push(row);
  return { columns, rows };
}

/** The view's range, with open ends replaced by those of its events. */
async function spanOf(asked: ClusterView): Promise<ReturnType<typeof coveredSpan>> {
  const { from, to } = asked.plan.range;
  if (from !== undefined && to !== undefined) return { from, to };
  const [[, , low, high] = []] = await asked.rows(clickhouseExtent(asked.plan, asked.options));
  if (low === null || low === undefined) return undefined;
  return { from: from ?? Number(low), to: to ?? Number(high) + 1 };
}

/** @throws DaybookError query-syntax, unknown-field, usage, cancelled */
export function valuesOn(
  session: ClusterSession,
  parameters: View & { field: string; limit: number },
  operation = 'field.values',
  more: readonly Stage[] = [],
): Promise<FieldValues & ViewScope> {
  const { field, limit } = parameters;
  return askOnCluster(
    session,
    operation,
    parameters,
    async (asked) => {
      const { columns, rows } = await groupsOf(asked);
      // An event with two values counts for both, but is one event.
      let events: number | undefined;
      if (rows.length > 0 && hasSeveralValues(asked.plan, field)) {
        const [[all] = []] = await asked.rows(clickhouseExtent(asked.plan, asked.options));
        events = Number(all ?? 0);
      }
      return valuesOf(columns, rows, session.context, events);
    },
    valueStages(field, limit, more),
  );
}

/** @throws DaybookError query-syntax, unknown-field, usage, cancelled */
export function conversationsOn(session: ClusterSession, parameters: ConversationParameters) {
  const packets = !session.context.segments.some(({ kind }) => kind === 'flow');
  const { order, limit } = parameters;
  return askOnCluster(
    session,
    'conversations.run',
    parameters,
    async (asked) => {
      const { plan, options, notes } = asked;
      const columns = ['a', 'b'].map((name, at) => ({
        ...{ name, type: 'text' as const, parts: [{ role: 'value' as const, at }] },
      }));
      const list = { columns, numbers: columns.length };
      if (plan.segmentsUsed.length === 0) return conversationList(list, [], []);
      if (packets) notes.push(NO_FLOWS);
      const sources = session.context.sources();
      const totals = {
        bytes: sourcesOfTotals(sources, 'bytes'),
        packets: sourcesOfTotals(sources, 'packets'),
      };
      const question = { packets, order, limit, totals };
      const types = ['text', 'text', ...NUMBER_TYPES] as const;
      const found = await asked.rows(clickhouseConversations(plan, question, options), types);
      const said = await asked.rows(clickhouseConversationDetails(plan, question, options), [
        ...(['integer', 'text', 'text'] as const),
      ]);
      return conversationList(list, found, said);
    },
    [onlyOf(packets)],
  );
}

/** `duration` is the only number with a fraction. */
const NUMBER_TYPES = [
  ...Array.from({ length: 9 }, () => 'integer' as const),
  'real' as const,
] as const;
