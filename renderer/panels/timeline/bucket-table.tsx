/** The timeline as a table, for users who cannot see the chart or want its numbers. */
import { Table, UnstyledButton } from '@mantine/core';
import { formatCount, formatTime } from '../../panel-api.ts';
import { seriesName, type Buckets } from './buckets.ts';
import { seriesKey } from './chart/stacks.ts';
import css from './timeline.module.css';

interface Props {
  readonly buckets: Buckets;
  readonly height: number;
  readonly onShow: (from: number, to: number) => void;
}

export function BucketTable({ buckets, height, onShow }: Props) {
  const { starts, width, series, field, sums, zone } = buckets;
  const digits = width % 1e6 === 0 ? 0 : 6;
  const rows = Array.from(starts, (start, at) => ({ start, at })).filter(
    ({ at }) => (sums[at] ?? 0) > 0,
  );
  return (
    <div
      className={css['table']}
      style={{ height }}
      tabIndex={0}
      role="region"
      aria-label="Events by time, as a table"
    >
      <Table stickyHeader verticalSpacing={1} horizontalSpacing="md" fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>from</Table.Th>
            <Table.Th ta="right">events</Table.Th>
            {series.length > 1 &&
              series.map((one) => (
                <Table.Th key={seriesKey(one)} ta="right">
                  {seriesName(one, field)}
                </Table.Th>
              ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ start, at }) => (
            <Table.Tr key={start}>
              <Table.Td>
                <UnstyledButton
                  className="mono"
                  c="var(--db-accent)"
                  onClick={() => onShow(start, start + width)}
                >
                  {formatTime(start, zone, digits)}
                </UnstyledButton>
              </Table.Td>
              <Table.Td ta="right">{formatCount(sums[at] ?? 0)}</Table.Td>
              {series.length > 1 &&
                series.map((one) => (
                  <Table.Td key={seriesKey(one)} ta="right">
                    {(one.counts[at] ?? 0) === 0 ? '' : formatCount(one.counts[at] ?? 0)}
                  </Table.Td>
                ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
