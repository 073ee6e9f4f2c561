/** `top.run`: the largest groups of one or more fields, the sum of the others, and their sparklines. */
import { makeColumn, type CellValue, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import {
  type AnswerStatement,
  type EvenGrid,
  type Names,
  type Plan,
  type RawValue,
  type ShownValue,
  type Stage,
  compileSparklines,
  compileTimeSpan,
  evenGrid,
  formatter,
  shapeAnswer,
} from '../../query/index.ts';
import { askView } from '../ask-view.ts';
import { type View, type ViewScope } from '../asker.ts';
import type { AskedView } from '../asked-view.ts';
import { groupsOf } from './answer-groups.ts';
import type { CaseSession } from '../session/case-session.ts';
import { coveredSpan } from './timeline.ts';

export interface TopParameters extends View {
  by: readonly string[];
  measure: { fn: 'count' | 'sum' | 'distinct'; of?: string | undefined };
  limit: number;
  /** Number of buckets in each group's sparkline; 0: none. */
  sparkline: number;
}

interface GroupSum {
  count: number;
  groups: number;
  measure?: number;
}

export interface Top {
  batch: ColumnBatch;
  rest: GroupSum;
  total: GroupSum;
  sparklines?: EvenGrid & {
    counts: Float64Array<ArrayBuffer>;
    covered: { readonly from: number; readonly to: number };
  };
}

/** A name that no field has: the stage's name for its measure. */
const MEASURE = 'measure';

/** @throws DaybookError query-syntax, unknown-field, cancelled */
export function top(
  session: CaseSession,
  parameters: TopParameters,
  signal: AbortSignal,
): Promise<Top & ViewScope> {
  const { sparkline } = parameters;
  const stage = topStage(parameters);
  const { fields } = stage;
  return askView(
    session,
    'top.run',
    parameters,
    signal,
    async (asked) => {
      const { plan, snapshot } = asked;
      const { statement, rows: found } = await groupsOf(asked);
      const keys = statement.columns.slice(0, fields.length);
      const width = keys.reduce((n, column) => n + column.parts.length, 0);
      const groups = found.map((row) => row.slice(0, width));
      const lines = await sparklines(groups);
      return {
        ...topOf(plan, stage, { statement, rows: found }, snapshot),
        ...(lines === undefined ? {} : { sparklines: lines }),
      };

      async function sparklines(
        rows: readonly (readonly RawValue[])[],
      ): Promise<Top['sparklines'] | undefined> {
        if (sparkline === 0 || rows.length === 0) return undefined;
        const span = await spanOf(asked);
        if (span === undefined) return undefined;
        const grid = evenGrid(span.from, span.to, sparkline);
        const counts = await asked.rows(compileSparklines(plan, fields, rows, grid));
        return linesOf(grid, span, rows.length, counts);
      }
    },
    [stage],
  );
}

/** The stage whose groups are listed. */
export function topStage({ by, measure, limit }: Omit<TopParameters, keyof View>): ListedTop {
  const place = { start: 0, end: 0 };
  const fields = [...new Set(by)].map((name) => ({ name, ...place }));
  const of = measure.of === undefined ? undefined : { name: measure.of, ...place };
  const fn = of === undefined ? 'count' : measure.fn;
  const counts = fn === 'count';
  return {
    ...{ stage: 'top', limit, fields, ...place },
    by: { fn, of: counts ? undefined : of, as: counts ? 'count' : MEASURE_ALIAS, ...place },
  };
}

type ListedTop = Extract<Stage, { stage: 'top' }>;

/** The rows of such a stage, as listed. */
export function topOf(
  plan: Plan,
  { fields, by: { fn } }: ListedTop,
  {
    statement,
    rows: found,
  }: {
    statement: Pick<AnswerStatement, 'columns' | 'grid'>;
    rows: readonly (readonly RawValue[])[];
  },
  names: Names,
  zone?: string,
): Omit<Top, 'sparklines'> {
  const answer = shapeAnswer(plan, statement, found, names, zone);
  if (answer.shape !== 'top') throw new TypeError('a top gives a top');
  const { value } = formatter(names, zone);
  const keys = statement.columns.slice(0, fields.length);
  const measured = statement.columns[fields.length];
  const parts = statement.columns.reduce((n, column) => n + column.parts.length, 0);
  const columns = keys.map((column, i) =>
    makeColumn(fields[i]!.name, found.length, (row) => cell(value(column, found[row]!))),
  );
  // After the stage's own columns: events, measure and groups of all, then events of each group.
  columns.push(makeColumn('count', found.length, (row) => Number(found[row]![parts + 3] ?? 0)));
  if (fn !== 'count' && measured !== undefined) {
    columns.push(makeColumn(MEASURE, found.length, (row) => number(value(measured, found[row]!))));
  }
  const sums = (record: typeof answer.rest): GroupSum => {
    const sum = number(record[MEASURE_ALIAS] ?? null);
    return {
      count: Number(record['count'] ?? 0),
      groups: Number(record['groups'] ?? 0),
      ...(fn === 'sum' && sum !== null ? { measure: sum } : {}),
    };
  };
  return {
    batch: { rows: found.length, columns },
    ...{ rest: sums(answer.rest), total: sums(answer.total) },
  };
}

/** @param counts rows of rank, bucket, events */
export function linesOf(
  grid: EvenGrid,
  covered: { readonly from: number; readonly to: number },
  groups: number,
  counts: readonly (readonly RawValue[])[],
): Required<Top>['sparklines'] {
  const out = new Float64Array(groups * grid.buckets);
  for (const [rank, i, n] of counts) out[Number(rank) * grid.buckets + Number(i)] = Number(n);
  const { from, to } = covered;
  return { ...grid, counts: out, covered: { from, to } };
}

/**
 * The range that the sparklines cover: the view's range, with open ends replaced by those of its events, as in the
 * timeline above them. Without a filter, segments decide it.
 */
async function spanOf(asked: AskedView): Promise<ReturnType<typeof coveredSpan>> {
  const { plan } = asked;
  const covered = coveredSpan(plan);
  const { from, to } = plan.range;
  const isWhole = plan.path === 'catalog';
  if (covered === undefined || isWhole || (from !== undefined && to !== undefined)) return covered;
  const [[low, high] = []] = await asked.rows(compileTimeSpan(plan));
  if (typeof low !== 'number' || typeof high !== 'number') return undefined;
  return { from: from ?? low, to: to ?? high + 1 };
}

/** Name of the measure's column, which no field has. */
const MEASURE_ALIAS = '\u0000measure';

function cell(value: ShownValue): CellValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Sums beyond 2^53 are returned as text; a window computes with numbers. */
function number(value: ShownValue): number | null {
  return value === null ? null : Number(value);
}
