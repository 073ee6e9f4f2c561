/** What a query answers whose last stage gives a number or a table. */
import { Button, VisuallyHidden } from '@mantine/core';
import { useMemo } from 'react';
import { IconDownload } from '@tabler/icons-react';
import { cell, type BatchColumn, type CellValue } from '../../../engine/contract/column-batch.ts';
import {
  dissect,
  formatBytes,
  formatCount,
  formatMs,
  formatTime,
  useAnswer,
  useParsedQuery,
  usePivots,
  useQuestion,
  useView,
  useZone,
  withTerm,
} from '../../panel-api.ts';
import { csvOf, download } from '../../widgets/csv.ts';
import { Empty } from '../../widgets/empty.tsx';
import { EventText } from '../../widgets/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { ValueMenu } from '../../widgets/value-menu.tsx';
import { visibleText } from '../../widgets/visible-text.ts';
import { templateTerms } from './template-term.ts';
import { BarChart } from './bar-chart.tsx';
import { barsOf, microsOf } from './bars.ts';
import table from '../../widgets/result-table.module.css';

/** Rows that are shown; the export has all of them. */
const LIMIT = 2000;
const TIMES = /^(ts|first|last|start|min\(ts\)|max\(ts\))$/;
const COMPUTED = /^(count|share|p\d\d\(|sum\(|avg\(|min\(|max\(|distinct\(|count\()/;

export function AnswerPanel() {
  const question = useQuestion();
  const { query } = question;
  const zone = useZone();
  const { data, error, stale } = useAnswer('query.run', {
    ...question,
    limit: LIMIT,
  });
  const parsed = useParsedQuery(query);
  const stage = parsed?.stages.find(({ name }) => name === 'timeline')?.text ?? '';
  const bars = useMemo(
    () => (data?.shape === 'timeline' ? barsOf(data.batch, stage) : undefined),
    [data, stage],
  );
  if (error !== undefined) return <Problem title="The query has no answer" error={error} />;
  if (data === undefined) return <Loading />;
  const { batch, shape } = data;
  if (shape === 'count') {
    const first = batch.columns[0];
    return (
      <Empty
        title={formatCount(Number(first === undefined ? 0 : (cell(first, 0) ?? 0)))}
        text={`events, counted in ${formatMs(data.timings.totalMs)}`}
      />
    );
  }
  if (batch.rows === 0) {
    return <Empty title="An empty table" text="No event is found that it could be made of." />;
  }
  const counts = batch.columns.find(({ name }) => name === 'count');
  const most =
    counts?.type === 'number' ? counts.values.reduce((a, b) => Math.max(a, b || 0), 0) : 0;
  const save = (): void => {
    const rows = Array.from({ length: batch.rows }, (_, row) =>
      batch.columns.map((column) => cell(column, row)),
    );
    download(
      'answer.csv',
      'text/csv',
      csvOf(
        batch.columns.map(({ name }) => name),
        rows,
      ),
    );
  };
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <span style={{ color: 'var(--db-muted)' }}>
          {formatCount(batch.rows)} rows
          {data.left !== undefined && data.left > 0 && `, ${formatCount(data.left)} more`} ·{' '}
          {formatMs(data.timings.totalMs)}
          {data.notes.map((note) => ` · ${note}`)}
        </span>
        <Button variant="default" leftSection={<IconDownload size={13} />} onClick={save}>
          CSV
        </Button>
      </div>
      {bars !== undefined && (
        <BarChart bars={bars} by={/\sby\s+(\S+)\s*$/.exec(stage)?.[1] ?? ''} zone={zone} />
      )}
      <div className={table['rest']}>
        <div className={`${table['scroll']} ${stale ? table['dim'] : ''}`}>
          <table className={table['table']}>
            <thead>
              <tr>
                {batch.columns.map((column) => (
                  <th
                    key={column.name}
                    className={
                      column.type === 'number' && !TIMES.test(column.name)
                        ? table['number']
                        : undefined
                    }
                  >
                    {visibleText(column.name, 60)}
                  </th>
                ))}
                {most > 0 && (
                  <th>
                    <VisuallyHidden>count as a bar</VisuallyHidden>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: batch.rows }, (_, row) => (
                <tr key={row}>
                  {batch.columns.map((column) => (
                    <Value
                      key={column.name}
                      column={column}
                      row={row}
                      zone={zone}
                      counted={shape === 'timeline'}
                    />
                  ))}
                  {most > 0 && (
                    <td style={{ width: 170 }}>
                      <span
                        className={table['bar']}
                        style={{
                          width: (160 * Number((counts && cell(counts, row)) ?? 0)) / most,
                        }}
                      />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
            {data.rest !== undefined && (
              <tfoot>
                <tr>
                  <td colSpan={batch.columns.length + (most > 0 ? 1 : 0)}>
                    rest:{' '}
                    {Object.entries(data.rest)
                      .map(
                        ([name, n]) =>
                          `${name} ${typeof n === 'number' ? formatCount(n) : String(n)}`,
                      )
                      .join(', ')}
                  </td>
                </tr>
              </tfoot>
            )}
          </table>
        </div>
      </div>
    </div>
  );
}

function Value({
  column,
  row,
  zone,
  counted,
}: {
  readonly column: BatchColumn;
  readonly row: number;
  readonly zone: string;
  /** Whether every number is one that the query computed. */
  readonly counted: boolean;
}) {
  const value: CellValue = cell(column, row);
  const micros = TIMES.test(column.name)
    ? typeof value === 'string'
      ? microsOf(value)
      : (value ?? undefined)
    : undefined;
  if (micros !== undefined) {
    return (
      <td className="mono">
        <ValueMenu field="ts" value={value} ts={micros}>
          {formatTime(micros, zone, micros % 1e6 === 0 ? 0 : 6)}
        </ValueMenu>
      </td>
    );
  }
  if (column.name === 'share' && typeof value === 'number') {
    return <td className={table['number']}>{(100 * value).toFixed(1)}%</td>;
  }
  if (column.type === 'number' && (counted || COMPUTED.test(column.name) || value === null)) {
    const n = typeof value === 'number' ? value : undefined;
    const bytes = /bytes/.test(column.name) && n !== undefined && n >= 10_000;
    return (
      <td className={table['number']} title={bytes ? formatBytes(n) : undefined}>
        {n === undefined ? '' : numberText(n)}
      </td>
    );
  }
  if (column.name === 'template' && typeof value === 'string') return <Template text={value} />;
  return (
    <td className={column.type === 'number' ? table['number'] : 'mono'}>
      {value === null ? (
        ''
      ) : (
        <ValueMenu field={column.name} value={value}>
          <EventText text={String(value)} max={500} />
        </ValueMenu>
      )}
    </td>
  );
}

/** What messages have in common: no field, but a way to them. */
function Template({ text }: { readonly text: string }) {
  const pivots = usePivots();
  const { query } = useView();
  const terms = templateTerms(text);
  const run = (): void =>
    pivots.narrow(
      (terms ?? []).reduce((q, term) => withTerm(q, term), dissect(query).filter),
      'events',
    );
  return (
    <td className="mono">
      <ValueMenu
        field={undefined}
        value={text}
        actions={terms === undefined ? [] : [{ label: 'Show its events', run }]}
      >
        <EventText text={text} max={500} />
      </ValueMenu>
    </td>
  );
}

/** Whole numbers whole, large ones without a fraction that means nothing. */
function numberText(n: number): string {
  if (Number.isInteger(n)) return formatCount(n);
  return Math.abs(n) >= 1000 ? formatCount(Math.round(n)) : n.toPrecision(6);
}
