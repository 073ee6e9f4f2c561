/**
 * A window's requests about a view, through the engine's contract: lists and any pages of them, timelines, tops,
 * values of a field, conversations. Answers are returned as text that is the same by every path.
 */
import type { Connection } from '../../engine/contract/wire/client.ts';
import {
  cell,
  columnOf,
  rowOf,
  type ColumnBatch,
} from '../../engine/contract/wire/column-batch.ts';

/** Starts at a fraction of the list; has all fields if none are named. */
interface Page {
  readonly at: number;
  readonly limit: number;
  readonly fields?: readonly string[];
}

/** A moment is looked up by its time in microseconds. */
export type ViewQuestion =
  | {
      readonly of: 'list';
      readonly sort?: { readonly field: string; readonly descending: boolean };
      readonly pages: readonly Page[];
      readonly moments: readonly number[];
    }
  | {
      readonly of: 'timeline';
      readonly buckets: number;
      readonly by?: string;
      readonly most: number;
    }
  | {
      readonly of: 'top';
      readonly by: readonly string[];
      readonly measure: { readonly fn: 'count' | 'sum' | 'distinct'; readonly of?: string };
      readonly limit: number;
      readonly sparkline: number;
    }
  | { readonly of: 'values'; readonly field: string; readonly limit: number }
  | {
      readonly of: 'conversations';
      readonly order: 'bytes' | 'flows' | 'packets' | 'last';
      readonly limit: number;
    };

interface View {
  readonly case: string;
  readonly query: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly zone: string;
  readonly list?: { readonly bytes: Uint8Array<ArrayBuffer> };
  readonly path?: 'scan' | undefined;
}

interface ViewAnswer {
  readonly answer: unknown;
  /** Events, groups or values there are. */
  readonly found: number;
  readonly path: string | undefined;
}

/** @throws OperationError with the engine's message */
export async function askAsWindow(
  engine: Connection,
  view: View,
  asked: ViewQuestion,
): Promise<ViewAnswer> {
  switch (asked.of) {
    case 'list':
      return list(engine, view, asked);
    case 'timeline': {
      const { buckets, by, most } = asked;
      const found = await engine.call('timeline.run', { ...view, buckets, by, most });
      const { starts, width, series, total, undated } = found;
      const lines = series.map((one) => ({ ...one, counts: [...one.counts] }));
      const answer = { starts: [...starts], width, series: lines, total, undated };
      return { answer, found: total, path: found.timings.path };
    }
    case 'top': {
      const { by, measure, limit, sparkline } = asked;
      const params = { ...view, by: [...by], measure, limit, sparkline };
      const { batch, rest, total, sparklines, timings } = await engine.call('top.run', params);
      const lines = sparklines && { ...sparklines, counts: [...sparklines.counts] };
      const answer = { rows: rowsOf(batch), rest, total, lines };
      return { answer, found: total.groups, path: timings.path };
    }
    case 'values': {
      const { field, limit } = asked;
      const found = await engine.call('field.values', { ...view, field, limit });
      const { values, distinct, present } = found;
      return { answer: { values, distinct, present }, found: distinct, path: found.timings.path };
    }
    case 'conversations': {
      const { order, limit } = asked;
      const found = await engine.call('conversations.run', { ...view, order, limit });
      const { batch, total } = found;
      const answer = { rows: rowsOf(batch), total };
      return { answer, found: total.pairs, path: found.timings.path };
    }
  }
}

async function list(
  engine: Connection,
  view: View,
  { sort, pages, moments }: Extract<ViewQuestion, { of: 'list' }>,
): Promise<ViewAnswer> {
  const parts: ColumnBatch[] = [];
  const opened = await engine.call(
    'result.open',
    { ...view, sort, fields: [], first: 50 },
    { onPart: ({ batch }) => parts.push(batch) },
  );
  const { case: folder } = view;
  const { result, total, capped, undated, fields } = opened;
  try {
    const answer: Record<string, unknown> = { total, capped, undated };
    answer['first'] = parts.map(idsOf);
    const length = capped ?? total;
    for (const [number, { at, limit, fields: asked = fields.slice(0, 500) }] of pages.entries()) {
      const offset = Math.floor(at * length);
      const params = { case: folder, result, offset, limit, fields: [...asked] };
      const { batch } = await engine.call('result.rows', params);
      answer[`page ${number}, from ${offset}`] = rowsOf(batch);
    }
    if (sort === undefined)
      for (const ts of moments)
        answer[`place of ${ts}`] = (
          await engine.call('result.locate', { case: folder, result, ts })
        ).offset;
    return { answer, found: total, path: opened.timings.path };
  } finally {
    await engine.call('result.close', { case: folder, result });
  }
}

/** Without the names of a row's other fields, which are unordered, and without nanoseconds if there are none. */
function rowsOf(batch: ColumnBatch): Record<string, unknown>[] {
  const columns = batch.columns.filter(({ name }) => name !== 'fields');
  return Array.from({ length: batch.rows }, (_, row) => {
    const { ts_ns: nanos, ...shown } = rowOf({ ...batch, columns }, row);
    return nanos === undefined || nanos === 0 ? shown : { ...shown, ts_ns: nanos };
  });
}

function idsOf(batch: ColumnBatch): unknown[] {
  const ids = columnOf(batch, 'event_id');
  return Array.from({ length: batch.rows }, (_, row) =>
    ids === undefined ? null : cell(ids, row),
  );
}
