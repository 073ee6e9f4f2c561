/** Groups with their measure, share and history over time, and the remainder. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { CSSProperties } from 'react';
import { counted, formatCount, formatRange, useZone } from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import table from '../../widgets/result-table.module.css';
import { Sparkline } from '../../widgets/sparkline.tsx';
import { ValueMenu } from '../../widgets/value-menu.tsx';
import { percent, type Groups } from './groups.ts';
import css from './talkers.module.css';

interface Props {
  readonly groups: Groups;
  /** Whether a newer answer is awaited. */
  readonly stale: boolean;
  readonly onShow: (row: number) => void;
}

export function GroupTable({ groups, stale, onShow }: Props) {
  const zone = useZone();
  const { by, isCount, rows, data } = groups;
  const { rest, total, sparklines: lines } = data;
  let most = 0;
  for (let row = 0; row < rows; row++) most = Math.max(most, groups.measured(row));
  return (
    <table className={`${table['table']} ${css['table']} ${stale ? table['dim'] : ''}`}>
      <thead>
        <tr>
          <th className={table['number']}>#</th>
          {by.map((field) => (
            <th key={field}>{field.replace(/^attrs\./, '')}</th>
          ))}
          <th className={table['number']}>{isCount ? 'events' : groups.measure}</th>
          <th className={table['number']}>share</th>
          <th>
            <VisuallyHidden>as a bar</VisuallyHidden>
          </th>
          {lines !== undefined && (
            <th>{formatRange(lines.covered.from, lines.covered.to, zone)}</th>
          )}
          {!isCount && <th className={table['number']}>events</th>}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          <GroupRow key={row} groups={groups} row={row} most={most} onShow={onShow} />
        ))}
      </tbody>
      <tfoot>
        {rest.groups > 0 && (
          <SumRow
            groups={groups}
            name={counted(rest.groups, 'more group')}
            sum={rest}
            style={{ bottom: 24 }}
          />
        )}
        <SumRow
          groups={groups}
          name={total.groups === 1 ? 'the only group' : `all ${counted(total.groups, 'group')}`}
          sum={total}
          style={{ bottom: 0 }}
        />
      </tfoot>
    </table>
  );
}

function GroupRow({
  groups,
  row,
  most,
  onShow,
}: {
  readonly groups: Groups;
  readonly row: number;
  /** The largest measure of all rows. */
  readonly most: number;
  readonly onShow: (row: number) => void;
}) {
  const { by, isCount, value } = groups;
  const lines = groups.data.sparklines;
  const measured = groups.measured(row);
  return (
    <tr>
      <td className={table['number']}>{row + 1}</td>
      {by.map((field) => {
        const one = value(field, row);
        return (
          <td key={field} className="mono">
            <ValueMenu field={field} value={one}>
              <EventText text={one === null ? '(no value)' : String(one)} max={300} />
            </ValueMenu>
          </td>
        );
      })}
      <td className={table['number']} title={formatCount(measured)}>
        {isCount ? <Events n={measured} row={row} onShow={onShow} /> : groups.format(measured)}
      </td>
      <td className={table['number']}>{groups.share(row)}</td>
      <td className={css['picture']}>
        <span
          className={table['bar']}
          style={{ width: most === 0 ? 0 : `max(2px, ${(100 * measured) / most}%)` }}
        />
      </td>
      {lines !== undefined && (
        <td className={css['picture']}>
          <Sparkline
            counts={lines.counts.subarray(row * lines.buckets, (row + 1) * lines.buckets)}
            label={`Events over time of group ${row + 1}`}
          />
        </td>
      )}
      {!isCount && (
        <td className={table['number']}>
          <Events n={Number(value('count', row) ?? 0)} row={row} onShow={onShow} />
        </td>
      )}
    </tr>
  );
}

/** Several groups in one row below the others. */
function SumRow({
  groups,
  name,
  sum,
  style,
}: {
  readonly groups: Groups;
  readonly name: string;
  readonly sum: Groups['data']['rest'];
  readonly style: CSSProperties;
}) {
  const { by, isCount, data } = groups;
  const measured = isCount ? sum.count : sum.measure;
  return (
    <tr>
      <td style={style} />
      <td style={style} colSpan={by.length}>
        {name}
      </td>
      <td style={style} className={table['number']}>
        {measured === undefined ? '' : groups.format(measured)}
      </td>
      <td style={style} className={table['number']}>
        {isCount && data.total.count > 0 ? percent(sum.count, data.total.count) : ''}
      </td>
      <td style={style} colSpan={data.sparklines === undefined ? 1 : 2} />
      {!isCount && (
        <td style={style} className={table['number']}>
          {formatCount(sum.count)}
        </td>
      )}
    </tr>
  );
}

/** The number of a group's events; a click shows them. */
function Events({
  n,
  row,
  onShow,
}: {
  readonly n: number;
  readonly row: number;
  readonly onShow: (row: number) => void;
}) {
  return (
    <UnstyledButton
      className={css['events']}
      aria-label={`${counted(n, 'event')} of group ${row + 1}: show them`}
      title="Show these events"
      onClick={() => onShow(row)}
    >
      {formatCount(n)}
    </UnstyledButton>
  );
}
