/** Events around an event: on the same host, in the same source, or anywhere. */
import { Select } from '@mantine/core';
import { Fragment, useState } from 'react';
import { cell, columnOf, type ColumnBatch } from '../../../engine/contract/wire/column-batch.ts';
import { timeParts, useAnswer, useCase, useWorkspace, useZone } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import css from './details.module.css';

const OF = [
  { value: 'host', label: 'on the same host' },
  { value: 'source', label: 'in the same source' },
  { value: 'all', label: 'anywhere' },
];

export function ContextBox({ event, rows }: { readonly event: string; readonly rows: number }) {
  const workspace = useWorkspace();
  const info = useCase();
  const zone = useZone();
  const [of, setOf] = useState<'host' | 'source' | 'all'>('host');
  const [around, setAround] = useState(rows);
  const { data, error } = useAnswer('event.context', {
    case: info.case,
    event,
    of,
    before: around,
    after: around,
    fields: ['summary', 'message', 'host'],
  });
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <Select
          aria-label="Which events around it"
          variant="unstyled"
          size="xs"
          w={150}
          data={OF}
          value={data?.of ?? of}
          allowDeselect={false}
          onChange={(value) => {
            if (value === 'host' || value === 'source' || value === 'all') setOf(value);
          }}
        />
        <Select
          aria-label="How many events around it"
          variant="unstyled"
          size="xs"
          w={116}
          data={['5', '10', '25', '100'].map((n) => ({ value: n, label: `± ${n} events` }))}
          value={String(around)}
          allowDeselect={false}
          onChange={(value) => setAround(Number(value ?? rows))}
        />
      </div>
      {error !== undefined && (
        <Problem error={error} title="The events around it cannot be shown" />
      )}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined &&
        Array.from({ length: data.batch.rows }, (_, row) => {
          const id = text(data.batch, 'event_id', row);
          const { date, time } = timeOf(data.batch, row, zone);
          const before = row === 0 ? '' : timeOf(data.batch, row - 1, zone).date;
          return (
            <Fragment key={id}>
              {date !== before && date !== '' && <div className={css['day']}>{date}</div>}
              <button
                type="button"
                className={css['line']}
                aria-current={row === data.index}
                onClick={() => workspace.select(id)}
              >
                {time}{' '}
                {visibleText(
                  text(data.batch, 'summary', row) || text(data.batch, 'message', row),
                  200,
                )}
              </button>
            </Fragment>
          );
        })}
    </div>
  );
}

/** Day and time of a row in the window's zone, to a tenth of a second unless its source states none. */
function timeOf(batch: ColumnBatch, row: number, zone: string): { date: string; time: string } {
  const micros = number(batch, 'ts', row);
  if (micros === undefined || Number.isNaN(micros)) return { date: '', time: '—' };
  return timeParts(micros, zone, Math.min(number(batch, 'ts_digits', row) ?? 1, 1));
}

function number(batch: ColumnBatch, name: string, row: number): number | undefined {
  const column = columnOf(batch, name);
  const value = column === undefined ? undefined : cell(column, row);
  return typeof value === 'number' ? value : undefined;
}

function text(batch: ColumnBatch, name: string, row: number): string {
  const column = columnOf(batch, name);
  return column === undefined ? '' : String(cell(column, row) ?? '');
}
