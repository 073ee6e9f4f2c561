/** Saved views in a report: their first rows, and numbers of events over time. */
import type { SearchRow } from '../../catalog/index.ts';
import { counted, nounOf } from '../../contract/words/counted.ts';
import { DaybookError } from '../../contract/errors.ts';
import { parseView, type View } from '../../contract/view-string.ts';
import { endsEvents, parseQuery, type Ast } from '../../query/index.ts';
import { rowFieldNames } from '../../query/statements/shown-events.ts';
import {
  askQuery,
  type CaseSession,
  type RunningQuery,
  type ShownRecord,
  shownRows,
} from '../../search/index.ts';
import { append } from '../../util/append.ts';
import { fieldName } from '../event/event-query.ts';
import { cell, valueOf } from '../output/shown-cells.ts';
import { countOf, namesOf, recordsOf } from '../query/answer-records.ts';
import { notSearched, notSearchedText } from '../query/not-searched.ts';
import { BASIS, LIMITS } from './limits.ts';
import type { Bucket } from './timeline-chart.ts';

export interface ViewFacts {
  search: SearchRow;
  view: View;
  /** Events that it finds; undefined if the query cannot be run. */
  events: number | undefined;
  timeline: readonly Bucket[];
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** TS_BASIS bits of each row, if the view has times of events. */
  basis: readonly number[];
  /** Further rows. */
  left: number;
  /** Further columns. */
  columnsLeft: number;
  notes: readonly string[];
  /** Why it cannot be run. */
  error: string | undefined;
}

type Asked = Pick<View, 'query' | 'from' | 'to' | 'zone'>;

/** Events over time; empty if there are none. */
export async function buckets(
  session: CaseSession,
  { query, from, to, zone }: Asked,
  signal: AbortSignal | undefined,
): Promise<Bucket[]> {
  const asked = await askQuery(session, {
    text: `${query} | timeline`,
    ...{ from, to, zone, signal, operation: 'report.timeline' },
  });
  const answer = await asked.answer();
  if (answer.shape !== 'timeline') return [];
  const all = answer.buckets.map(({ start, count }) => ({
    start: typeof start === 'string' ? start : '',
    count: Number(count ?? 0),
  }));
  // Without events there is no chart.
  return all.some(({ count }) => count > 0) ? all : [];
}

/** Number of events that a query finds, or of rows in its table. */
export async function countOfQuery(
  session: CaseSession,
  { query, from, to, zone }: Asked,
  signal: AbortSignal | undefined,
): Promise<number> {
  const asked = await askQuery(session, {
    text: `${query} | count`,
    ...{ from, to, zone, signal, operation: 'report.count' },
  });
  const answer = countOf(asked, await asked.answer());
  return answer.shape === 'count' ? Number(answer.count) : 0;
}

/** Fields of a view if neither it nor its query chooses any; those without values are omitted. */
const VIEW_FIELDS = [
  ...[
    'ts',
    'kind',
    'host',
    'program',
    'src_ip',
    'src_port',
    'dst_ip',
    'dst_port',
    'proto',
    'bytes',
  ],
  ...['severity', 'message', 'event_id'],
];

/** The part of a query that finds events. */
function eventsPart(query: string, ast: Ast): string {
  const first = ast.stages.find(endsEvents);
  return first === undefined ? query : query.slice(0, first.start).replace(/\|\s*$/, '');
}

export async function viewFacts(
  session: CaseSession,
  search: SearchRow,
  signal: AbortSignal | undefined,
): Promise<ViewFacts> {
  const view = parseView(search.view);
  const none = { search, view, events: undefined, timeline: [], columns: [], rows: [], basis: [] };
  try {
    const found = await foundByView(session, view, signal);
    return { ...none, ...found, error: undefined };
  } catch (error) {
    // A view of another case, for example: the report continues and says why.
    if (!(error instanceof DaybookError) || error.code === 'cancelled') throw error;
    return { ...none, left: 0, columnsLeft: 0, notes: [], error: error.message };
  }
}

/** The view's rows in its order; only its columns are read. */
async function startView(
  session: CaseSession,
  { query, from, to, zone, sort, columns }: View,
  signal: AbortSignal | undefined,
): Promise<RunningQuery> {
  const start = (text: string): Promise<RunningQuery> =>
    askQuery(session, {
      // One more, to find out whether there are further rows.
      ...{ text, from, to, zone, limit: LIMITS.viewRows + 1, signal },
      operation: 'report.view',
    });
  const asked = await start(query);
  if (asked.plan.shape !== 'rows') return asked;
  const order =
    sort === undefined
      ? ''
      : ` | sort ${fieldName(sort.field)} ${sort.descending ? 'desc' : 'asc'}`;
  if (asked.plan.projection !== undefined) return order === '' ? asked : start(query + order);
  const fields = (names: readonly string[]): string =>
    `${order} | fields ${[...names.filter((name) => name !== BASIS), BASIS].map(fieldName).join(', ')}`;
  if (columns === undefined) return start(query + fields(VIEW_FIELDS));
  try {
    return await start(query + fields(columns));
  } catch (error) {
    // The view may choose columns that the case no longer has.
    if (!(error instanceof DaybookError) || error.code !== 'unknown-field') throw error;
    return start(query + fields(VIEW_FIELDS));
  }
}

async function foundByView(
  session: CaseSession,
  view: View,
  signal: AbortSignal | undefined,
): Promise<Omit<ViewFacts, 'search' | 'view' | 'error'>> {
  const { query, from, to, zone } = view;
  const asked = { from, to, zone };
  const events = { query: eventsPart(query, parseQuery(query)), ...asked };
  const running = await startView(session, view, signal);
  const beneath = running.plan.packetsBeneath;
  const notes =
    beneath === undefined || beneath.packets === 0
      ? []
      : [
          `${beneath.exact ? '' : 'Up to '}${counted(beneath.packets, 'packet')} belonging to flows ${nounOf(beneath.packets, 'is', 'are')} not counted: see “How to read this report”.`,
        ];
  const left = await notSearched(session, running.plan, signal);
  // Packets beneath flows are reported above.
  notes.push(...notSearchedText(left, { packets: false }).map((text) => `${text}.`));
  const records: ShownRecord[] = [];
  let names: readonly string[];
  let rowsThere: number;
  const count = await countOfQuery(session, events, signal);
  if (running.plan.shape === 'rows') {
    for await (const batch of shownRows(running, zone)) append(records, batch);
    records.splice(LIMITS.viewRows);
    const present = new Set(records.flatMap((record) => Object.keys(record)));
    names = rowFieldNames(running.plan).filter((name) => present.has(name) && name !== BASIS);
    if (parseQuery(query).stages.some(({ stage }) => stage === 'fields') && names.includes('ts'))
      notes.push(
        'The query selects its own fields, so times that records do not state completely are not marked.',
      );
    rowsThere = Math.min(count, running.plan.limit ?? count);
  } else {
    const answer = countOf(running, await running.answer());
    const all = recordsOf(answer);
    // `top` and `timeline` limit themselves.
    append(records, all.slice(0, answer.shape === 'timeline' ? 0 : LIMITS.viewRows));
    names = 'columns' in answer ? answer.columns : namesOf(records);
    rowsThere =
      all.length <= LIMITS.viewRows || answer.shape === 'timeline'
        ? records.length
        : await countOfQuery(session, { query, ...asked }, signal);
    if (answer.shape === 'top') {
      const { count: events, groups } = answer.rest;
      if (Number(groups) > 0)
        notes.push(
          `${counted(Number(groups), 'further group')}, ${counted(Number(events), 'event')}.`,
        );
    }
  }
  const shown = names.slice(0, LIMITS.viewColumns);
  return {
    events: count,
    timeline: await buckets(session, events, signal),
    columns: shown,
    basis: records.map((record) => Number(record[BASIS] ?? 0)),
    rows: records.map((record) => shown.map((name) => String(cell(valueOf(record, name)) ?? ''))),
    left: Math.max(0, rowsThere - records.length),
    columnsLeft: names.length - shown.length,
    notes,
  };
}
