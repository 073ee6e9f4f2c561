/** The answer to a query whose last stage gives a number or a table. */
import { Button, SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { IconDownload } from '@tabler/icons-react';
import { cell, columnOf, type ColumnBatch } from '../../../engine/contract/wire/column-batch.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  dissect,
  fieldTerm,
  formatCount,
  formatMs,
  timelineOf,
  useAnswer,
  useParsedQuery,
  useQuestion,
  useWorkspace,
  useZone,
  withTerm,
  counted,
  nounOf,
} from '../../panel-api.ts';
import { csvOf, download } from '../../widgets/texts/csv.ts';
import { Empty } from '../../widgets/empty.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { AnswerTable } from './answer-table.tsx';
import { BarChart } from './bar-chart.tsx';
import { barsOf } from './bars.ts';
import { patternOrderOf, withPatternOrder } from './pattern-order.ts';
import { groupsOf, restText } from './table.ts';
import table from '../../widgets/result-table.module.css';

/** Rows that are shown; the export has all of them. */
const LIMIT = 2000;
const NO_STAGES = [] as const;
const NO_READINGS: readonly string[] = [];
const PATTERN_ORDERS = [
  { value: 'rare', label: 'Rarest first' },
  { value: 'frequent', label: 'Most frequent first' },
];

export function AnswerPanel() {
  const workspace = useWorkspace();
  const question = useQuestion();
  const { query } = question;
  const zone = useZone();
  const { data, error, stale } = useAnswer('query.run', {
    ...question,
    limit: LIMIT,
  });
  const parsed = useParsedQuery(query);
  const stages = parsed?.stages ?? NO_STAGES;
  const timeline = useMemo(() => timelineOf(query), [query]);
  const bars = useMemo(
    () =>
      data?.shape === 'timeline' && timeline !== undefined
        ? barsOf(data.batch, timeline)
        : undefined,
    [data, timeline],
  );
  const groups = useMemo(() => groupsOf(stages), [stages]);
  if (error !== undefined) return <Problem title="The query could not be answered" error={error} />;
  if (data === undefined) return <Loading />;
  const { batch, shape } = data;
  if (shape === 'count') {
    const first = batch.columns[0];
    const total = Number(first === undefined ? 0 : (cell(first, 0) ?? 0));
    return (
      <Empty
        title={formatCount(total)}
        text={`${nounOf(total, 'event')}, counted in ${formatMs(data.timings.totalMs)}`}
      />
    );
  }
  if (batch.rows === 0) {
    return <Empty title="No rows" text="No event matches, so there is nothing to count." />;
  }
  const showEvents = (row: number): void => {
    let next = dissect(query).filter;
    for (const name of groups) {
      const column = columnOf(batch, name);
      if (column !== undefined) next = withTerm(next, fieldTerm(name, cell(column, row)));
    }
    workspace.views.show({ query: next, tab: 'events' });
  };
  const rest = data.rest && restText(data.rest);
  return (
    <div className={table['column']}>
      <Toolbar answer={data} stages={stages} readings={parsed?.readings ?? NO_READINGS} />
      {bars !== undefined && <BarChart bars={bars} by={timeline?.by ?? ''} zone={zone} />}
      <div className={table['rest']}>
        <div className={`${table['scroll']} ${stale ? table['dim'] : ''}`}>
          <AnswerTable
            batch={batch}
            groups={groups}
            isTimeline={shape === 'timeline'}
            rest={rest}
            onShow={showEvents}
          />
        </div>
      </div>
    </div>
  );
}

function Toolbar({
  answer: { batch, left, timings, notes },
  stages,
  readings,
}: {
  readonly answer: Result<'query.run'>;
  /** Notes that are shown below the query bar. */
  readonly readings: readonly string[];
  readonly stages: Parameters<typeof patternOrderOf>[0];
}) {
  const { views } = useWorkspace();
  const { query } = useQuestion();
  const order = patternOrderOf(stages);
  return (
    <div className={table['toolbar']}>
      <span style={{ color: 'var(--db-muted)' }}>
        {counted(batch.rows, 'row')}
        {left !== undefined && left > 0 && `, ${formatCount(left)} more`} ·{' '}
        {formatMs(timings.totalMs)}
        {notes.filter((note) => !readings.includes(note)).map((note) => ` · ${note}`)}
      </span>
      {order !== undefined && (
        <SegmentedControl
          aria-label="Order of the patterns"
          value={order}
          data={PATTERN_ORDERS}
          onChange={(next) => {
            const wanted = next === 'frequent' ? next : 'rare';
            views.show({ query: withPatternOrder(query, stages, wanted) });
          }}
        />
      )}
      <Button
        variant="default"
        leftSection={<IconDownload size={13} />}
        onClick={() => save(batch)}
      >
        CSV
      </Button>
    </div>
  );
}

function save(batch: ColumnBatch): void {
  const lines = Array.from({ length: batch.rows }, (_, row) =>
    batch.columns.map((column) => cell(column, row)),
  );
  download(
    'answer.csv',
    'text/csv',
    csvOf(
      batch.columns.map(({ name }) => name),
      lines,
    ),
  );
}
