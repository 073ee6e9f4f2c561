/** What a query answers whose last stage gives a number or a table. */
import { ActionIcon, Button, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { IconDownload, IconListSearch } from '@tabler/icons-react';
import {
  cell,
  columnOf,
  type BatchColumn,
  type CellValue,
} from '../../../engine/contract/column-batch.ts';
import {
  dissect,
  fieldTerm,
  formatBytes,
  formatCount,
  formatMs,
  formatTime,
  useAnswer,
  useParsedQuery,
  usePivots,
  useQuestion,
  useView,
  useWorkspace,
  useZone,
  withTerm,
  counted,
  nounOf,
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
import { groupsOf, isComputed, nextOrder, orderedRows, restText, type Order } from './table.ts';
import table from '../../widgets/result-table.module.css';
import css from './answer.module.css';

/** Rows that are shown; the export has all of them. */
const LIMIT = 2000;
const TIMES = /^(ts|first|last|start|min\(ts\)|max\(ts\))$/;

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
  const stage = parsed?.stages.find(({ name }) => name === 'timeline')?.text ?? '';
  const bars = useMemo(
    () => (data?.shape === 'timeline' ? barsOf(data.batch, stage) : undefined),
    [data, stage],
  );
  const groups = useMemo(() => groupsOf(parsed?.stages ?? []), [parsed]);
  const [order, setOrder] = useState<Order>();
  useEffect(() => setOrder(undefined), [query]);
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
  const counts = batch.columns.find(({ name }) => name === 'count');
  const most =
    counts?.type === 'number' ? counts.values.reduce((a, b) => Math.max(a, b || 0), 0) : 0;
  const rows = orderedRows(batch, order);
  const showEvents = (row: number): void => {
    let next = dissect(query).filter;
    for (const name of groups) {
      const column = columnOf(batch, name);
      if (column !== undefined) next = withTerm(next, fieldTerm(name, cell(column, row)));
    }
    workspace.views.show({ query: next, tab: 'events' });
  };
  const rest = data.rest && restText(data.rest);
  const save = (): void => {
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
  };
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <span style={{ color: 'var(--db-muted)' }}>
          {counted(batch.rows, 'row')}
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
          <table className={`${table['table']} ${css['table']}`}>
            <thead>
              <tr>
                {groups.length > 0 && (
                  <th>
                    <VisuallyHidden>events of the row</VisuallyHidden>
                  </th>
                )}
                {batch.columns.map((column) => (
                  <Heading
                    key={column.name}
                    column={column}
                    order={order?.column === column.name ? order : undefined}
                    onOrder={setOrder}
                  />
                ))}
                {most > 0 && (
                  <th>
                    <VisuallyHidden>count as a bar</VisuallyHidden>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row}>
                  {groups.length > 0 && (
                    <td style={{ width: 30, padding: '0 0 0 8px' }}>
                      <Tooltip label="Show the events of this row">
                        <ActionIcon
                          size={24}
                          aria-label={`Show the events of row ${row + 1}`}
                          onClick={() => showEvents(row)}
                        >
                          <IconListSearch size={14} />
                        </ActionIcon>
                      </Tooltip>
                    </td>
                  )}
                  {batch.columns.map((column) => (
                    <Value
                      key={column.name}
                      column={column}
                      row={row}
                      zone={zone}
                      isComputed={shape === 'timeline' || isComputed(column.name, groups)}
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
            {rest !== undefined && (
              <tfoot>
                <tr>
                  <td
                    colSpan={
                      batch.columns.length + (most > 0 ? 1 : 0) + (groups.length > 0 ? 1 : 0)
                    }
                  >
                    {rest}
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

/** A heading that orders the rows that are shown. */
function Heading({
  column,
  order,
  onOrder,
}: {
  readonly column: BatchColumn;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
}) {
  const isNumber = column.type === 'number' && !TIMES.test(column.name);
  return (
    <th
      className={isNumber ? table['number'] : undefined}
      aria-sort={order === undefined ? 'none' : order.descending ? 'descending' : 'ascending'}
    >
      <UnstyledButton
        className={table['sort']}
        onClick={() => onOrder(nextOrder(column.name, isNumber, order))}
      >
        {visibleText(column.name, 60)}
        {order !== undefined && <span aria-hidden> {order.descending ? '▾' : '▴'}</span>}
      </UnstyledButton>
    </th>
  );
}

function Value({
  column,
  row,
  zone,
  isComputed,
}: {
  readonly column: BatchColumn;
  readonly row: number;
  readonly zone: string;
  /** Whether the query computed it; otherwise it is a value that events have. */
  readonly isComputed: boolean;
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
  if (column.type === 'number' && isComputed) {
    const n = typeof value === 'number' ? value : undefined;
    return (
      <td className={table['number']}>
        {n === undefined ? '' : numberText(n)}
        {/bytes/.test(column.name) && (
          <span className={table['unit']}>{n === undefined || n < 1000 ? '' : formatBytes(n)}</span>
        )}
      </td>
    );
  }
  if (column.name === 'template' && typeof value === 'string') return <Template text={value} />;
  return (
    <td className={column.type === 'number' ? table['number'] : 'mono'}>
      {value === null && isComputed ? (
        ''
      ) : (
        <ValueMenu field={column.name} value={value}>
          {value === null ? (
            <span className={table['none']}>(no value)</span>
          ) : (
            <EventText text={String(value)} max={500} />
          )}
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
    <td className={`${css['template']} mono`}>
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
