/** `conversations.run`: pairs of addresses that talked, from flows, or from packets if there are none. */
import { makeColumn, type CellValue, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import {
  type ConversationOrder,
  type OutputColumn,
  type RawValue,
  type Stage,
  DETAILS,
  NUMBERS,
  TOTALS,
  compileConversationDetails,
  compileConversations,
  formatter,
  protocolName,
} from '../../query/index.ts';
import { askView } from '../ask-view.ts';
import { type View, type ViewScope } from '../asker.ts';
import { sourcesOfTotals } from './flow-totals.ts';
import type { CaseSession } from '../session/case-session.ts';

/** Note for conversations that are derived from packets. */
export const NO_FLOWS = 'the case has no flows: these are the addresses of packets';

export interface ConversationParameters extends View {
  order: ConversationOrder;
  limit: number;
}

interface ConversationList {
  batch: ColumnBatch;
  total: { pairs: number; flows: number; bytes: number; packets: number };
}

/** @throws DaybookError query-syntax, unknown-field, cancelled */
export function conversations(
  session: CaseSession,
  parameters: ConversationParameters,
  signal: AbortSignal,
): Promise<ConversationList & ViewScope> {
  const packets = !session.snapshot().segments.some(({ kind }) => kind === 'flow');
  const only = onlyOf(packets);
  return askView(
    session,
    'conversations.run',
    parameters,
    signal,
    async (asked) => {
      const { plan, notes } = asked;
      if (packets && plan.segmentsUsed.length > 0) notes.push(NO_FLOWS);
      const sources = session.snapshot().sources();
      const totals = {
        bytes: sourcesOfTotals(sources, 'bytes'),
        packets: sourcesOfTotals(sources, 'packets'),
      };
      const { order, limit } = parameters;
      const statement = compileConversations(plan, packets, totals, order, limit);
      const found = plan.segmentsUsed.length === 0 ? [] : await asked.rows(statement);
      const behind = statement.numbers + NUMBERS.length;
      const keys = found.map((row) => row.slice(behind + TOTALS.length));
      const details =
        found.length === 0
          ? []
          : await asked.rows(compileConversationDetails(plan, packets, statement.keys, keys));
      return conversationList(statement, found, details);
    },
    [only],
  );
}

/**
 * @param numbers index in a row at which NUMBERS begin, followed by TOTALS
 * @param said rows of rank, index in DETAILS, text
 */
export function conversationList(
  { columns, numbers: at }: { columns: readonly OutputColumn[]; numbers: number },
  found: readonly (readonly RawValue[])[],
  said: readonly (readonly RawValue[])[],
): ConversationList {
  const { value } = formatter({ sources: () => [], tags: [] });
  const rows = found.length;
  const sides = columns.map((column) =>
    makeColumn(column.name, rows, (row) => {
      const shown = value(column, found[row]!);
      return typeof shown === 'string' ? shown : null;
    }),
  );
  const number = (row: number, at: number): CellValue => {
    const one = found[row]![at];
    return one === null || one === undefined ? null : Number(one);
  };
  const numbers = NUMBERS.map((name, i) => makeColumn(name, rows, (row) => number(row, at + i)));
  const behind = at + NUMBERS.length;
  const total = Object.fromEntries(
    TOTALS.map((name, i) => [name, Number(found[0]?.[behind + i] ?? 0)]),
  );
  const details = new Map<string, string[]>();
  for (const [rank, detail, text] of said) {
    const key = `${String(detail)}/${Number(rank)}`;
    const list = details.get(key) ?? [];
    details.set(key, list);
    list.push(detail === 'protos' ? protocolName(Number(text)) : String(text));
  }
  const lists = new Map(
    DETAILS.map((what) => [
      what,
      makeColumn(what, rows, (row) => details.get(`${what}/${row}`)?.join(',') ?? null),
    ]),
  );
  const named = new Map([...sides, ...numbers, ...lists.values()].map((one) => [one.name, one]));
  return {
    batch: { rows, columns: ORDER.flatMap((name) => named.get(name) ?? []) },
    total: {
      pairs: total['pairs'] ?? 0,
      flows: total['flows'] ?? 0,
      bytes: total['bytes'] ?? 0,
      packets: total['packets'] ?? 0,
    },
  };
}

/** Conversations are those of flows, or of packets if a case has no flows. */
export function onlyOf(packets: boolean): Stage {
  const place = { start: 0, end: 0 };
  const test = { test: 'word', text: packets ? 'packet' : 'flow' } as const;
  return {
    stage: 'where',
    filter: { node: 'field', name: 'kind', test, ...place },
    ...place,
  };
}

const ORDER = [
  ...['a', 'b', 'flows', 'bytes_ab', 'bytes_ba', 'bytes_both'],
  ...['packets_ab', 'packets_ba', 'packets_both'],
  ...['protos', 'ports', 'services', 'first', 'last', 'duration', 'states'],
];
