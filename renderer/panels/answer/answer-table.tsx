/** The rows of an answer: each with a way to its events, and its values with theirs. */
import { ActionIcon, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import {
  cell,
  type BatchColumn,
  type CellValue,
  type ColumnBatch,
} from '../../../engine/contract/wire/column-batch.ts';
import {
  dissect,
  formatBytes,
  formatCount,
  formatTime,
  usePivots,
  useView,
  useZone,
  withTerm,
} from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { ValueMenu } from '../../widgets/value-menu.tsx';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import { templateTerms } from './template-term.ts';
import { isComputed, isTimeColumn, nextOrder, orderedRows, timeOf, type Order } from './table.ts';
import table from '../../widgets/result-table.module.css';
import css from './answer.module.css';

/** The longest bar, in pixels. */
const BAR = 160;

interface Props {
  readonly batch: ColumnBatch;
  /** Fields that the events of a row have in common; empty where a row is not a group. */
  readonly groups: readonly string[];
  readonly isTimeline: boolean;
  /** The sums of the rows that are not shown. */
  readonly rest: string | undefined;
  readonly onShow: (row: number) => void;
}

export function AnswerTable({ batch, groups, isTimeline, rest, onShow }: Props) {
  const { query } = useView();
  const [order, setOrder] = useState<Order>();
  useEffect(() => setOrder(undefined), [query]);
  const isGrouped = groups.length > 0;
  const counts = batch.columns.find(({ name }) => name === 'count');
  const most =
    counts?.type === 'number' ? counts.values.reduce((a, b) => Math.max(a, b || 0), 0) : 0;
  // Templates fill the width. Otherwise the values stay together, next to a bar or empty space.
  const isFilled = batch.columns.some(({ name }) => name === 'template');
  const columns = batch.columns.length + (isFilled ? 0 : 1) + (isGrouped ? 1 : 0);
  return (
    <table className={`${table['table']} ${css['table']}`}>
      <thead>
        <tr>
          {isGrouped && (
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
          {!isFilled && <th>{most > 0 && <VisuallyHidden>count as a bar</VisuallyHidden>}</th>}
        </tr>
      </thead>
      <tbody>
        {orderedRows(batch, order).map((row) => (
          <tr key={row}>
            {isGrouped && <ShowEvents row={row} onShow={onShow} />}
            {batch.columns.map((column) => (
              <Value
                key={column.name}
                column={column}
                row={row}
                isComputed={isTimeline || isComputed(column.name, groups)}
              />
            ))}
            {!isFilled && (
              <td className={css['rest']}>
                {most > 0 && (
                  <span
                    className={table['bar']}
                    style={{ width: (BAR * Number((counts && cell(counts, row)) ?? 0)) / most }}
                  />
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
      {rest !== undefined && (
        <tfoot>
          <tr>
            <td colSpan={columns}>{rest}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

function ShowEvents({ row, onShow }: { readonly row: number } & Pick<Props, 'onShow'>) {
  return (
    <td style={{ width: 30, padding: '0 0 0 8px' }}>
      <Tooltip label="Show the events of this row">
        <ActionIcon
          size={24}
          aria-label={`Show the events of row ${row + 1}`}
          onClick={() => onShow(row)}
        >
          <IconListSearch size={14} />
        </ActionIcon>
      </Tooltip>
    </td>
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
  const isNumber = column.type === 'number' && !isTimeColumn(column.name);
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
  isComputed,
}: {
  readonly column: BatchColumn;
  readonly row: number;
  /** Whether the query computed it; otherwise it is a value that events have. */
  readonly isComputed: boolean;
}) {
  const zone = useZone();
  const value: CellValue = cell(column, row);
  const micros = timeOf(column.name, value);
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

/** A template cannot be a value of a field, but it can be turned into a filter. */
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

/** Whole numbers without a fraction; large ones without meaningless decimals. */
function numberText(n: number): string {
  if (Number.isInteger(n)) return formatCount(n);
  return Math.abs(n) >= 1000 ? formatCount(Math.round(n)) : n.toPrecision(6);
}
