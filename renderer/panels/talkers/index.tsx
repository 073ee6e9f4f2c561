/** Top talkers: events of the view grouped by fields, exactly, with what is left over. */
import { Button, MultiSelect, Select, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { cell, columnOf, type CellValue } from '../../../engine/contract/column-batch.ts';
import {
  dissect,
  fieldTerm,
  formatBytes,
  formatCount,
  formatRange,
  useAnswer,
  useCase,
  useQuestion,
  useView,
  useWorkspace,
  useZone,
  withTerm,
  counted,
} from '../../panel-api.ts';
import { csvOf, download } from '../../widgets/csv.ts';
import { Empty } from '../../widgets/empty.tsx';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { PrivateToPublic } from '../../widgets/private-to-public.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { Sparkline } from '../../widgets/sparkline.tsx';
import { ValueMenu } from '../../widgets/value-menu.tsx';
import table from '../../widgets/result-table.module.css';
import css from './talkers.module.css';
import { isBytes, MEASURES, parseMeasure } from './measure.ts';
import { useState } from 'react';

const PRESETS = [
  { value: 'src_ip', label: 'Sources' },
  { value: 'dst_ip', label: 'Destinations' },
  { value: 'src_ip,dst_ip', label: 'Source and destination' },
  { value: 'dst_ip,dst_port', label: 'Services' },
  { value: 'dst_port', label: 'Destination ports' },
  { value: 'host', label: 'Hosts' },
  { value: 'host,program', label: 'Host and program' },
  { value: 'program', label: 'Programs' },
  { value: 'user', label: 'Users' },
  { value: 'src_ip,user', label: 'Source and user' },
  { value: 'user,outcome', label: 'User and outcome' },
  { value: 'severity', label: 'Severities' },
  { value: 'kind', label: 'Kinds' },
  { value: 'source', label: 'Files' },
];

/** Those whose fields the case has. */
function presetsOf(fields: readonly { field: string }[]): typeof PRESETS {
  const has = new Set(fields.map(({ field }) => field));
  return PRESETS.filter(({ value }) => value.split(',').every((one) => has.has(one)));
}

/** How much each host sent to whom. */
const OUT = { by: ['src_ip', 'dst_ip'], measure: 'sum(bytes)' };
const LIMITS = ['10', '50', '100', '500', '1000'];
const BUCKETS = 40;

export function TalkersPanel() {
  const workspace = useWorkspace();
  const info = useCase();
  const zone = useZone();
  const question = useQuestion();
  const { query, by, measure: measureText } = useView();
  const [limit, setLimit] = useState('50');
  const fields = useAnswer('field.list', { case: info.case });
  const measure = parseMeasure(measureText);
  const asked = by.length > 0;
  const { data, error, stale } = useAnswer(
    'top.run',
    asked
      ? {
          ...question,
          by: [...by],
          measure,
          limit: Number(limit),
          sparkline: BUCKETS,
        }
      : undefined,
  );
  const names = [...new Set([...(fields.data?.fields.map(({ field }) => field) ?? []), ...by])];
  const shown = (n: number): string => (isBytes(measure) ? formatBytes(n) : formatCount(n));
  const isCount = measure.fn === 'count';
  const rows = data?.batch.rows ?? 0;
  const value = (name: string, row: number): CellValue => {
    const column = data === undefined ? undefined : columnOf(data.batch, name);
    return column === undefined ? null : cell(column, row);
  };
  const measured = (row: number): number => Number(value(isCount ? 'count' : 'measure', row) ?? 0);
  const most = Array.from({ length: rows }, (_, row) => measured(row)).reduce(
    (a, b) => Math.max(a, b),
    0,
  );
  const whole = isCount ? data?.total.count : data?.total.measure;
  const lines = data?.sparklines;
  const noneHas = rows === 1 && by.every((field) => value(field, 0) === null);

  const include = (row: number): void => {
    let next = dissect(query).filter;
    for (const field of by) next = withTerm(next, fieldTerm(field, value(field, row)));
    workspace.views.show({ query: next, tab: 'events' });
  };
  const save = (): void => {
    const header = [...by, 'count', ...(isCount ? [] : [measureText])];
    const list = Array.from({ length: rows }, (_, row) => [
      ...by.map((field) => value(field, row)),
      value('count', row),
      ...(isCount ? [] : [value('measure', row)]),
    ]);
    download('top.csv', 'text/csv', csvOf(header, list));
  };

  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <Select
          aria-label="Ready-made groups"
          placeholder="Group by…"
          w={172}
          data={PRESETS}
          value={PRESETS.find((one) => one.value === by.join(','))?.value ?? null}
          onChange={(text) => text !== null && workspace.views.show({ by: text.split(',') })}
        />
        <MultiSelect
          aria-label="Fields to group by"
          searchable
          miw={220}
          maxValues={6}
          data={names.map((name) => ({ value: name, label: visibleText(name, 100) }))}
          limit={200}
          value={[...by]}
          onChange={(next) => workspace.views.show({ by: next })}
        />
        <Select
          aria-label="Measured by"
          w={190}
          allowDeselect={false}
          data={[
            ...MEASURES,
            ...(MEASURES.some((one) => one.value === measureText)
              ? []
              : [{ value: measureText, label: measureText }]),
          ]}
          value={measureText}
          onChange={(text) => text !== null && workspace.views.show({ measure: text })}
        />
        <Select
          aria-label="How many groups"
          w={90}
          allowDeselect={false}
          data={LIMITS}
          value={limit}
          onChange={(text) => text !== null && setLimit(text)}
        />
        <PrivateToPublic also={OUT} />
        <Button
          variant="default"
          leftSection={<IconDownload size={13} />}
          disabled={rows === 0}
          onClick={save}
        >
          CSV
        </Button>
      </div>
      <div className={table['rest']}>
        {!asked ? (
          <Empty
            title="Choose what to group by"
            text="One or more fields: sources, destinations, programs, or any attribute of the events."
          />
        ) : error !== undefined ? (
          <Problem error={error} title="The groups cannot be counted" />
        ) : data === undefined ? (
          <Loading />
        ) : rows === 0 ? (
          <Empty title="No events found" text="Widen the time range, or change the query." />
        ) : noneHas ? (
          <Empty
            title={
              data.total.count === 1
                ? `The only event here has no ${by.join(' or ')}`
                : `None of these ${counted(data.total.count, 'event')} has ${by.join(' or ')}`
            }
            text="Group by a field that events of this case have:"
            actions={presetsOf(fields.data?.fields ?? []).map(({ value: group, label }) => (
              <Button
                key={label}
                variant="default"
                onClick={() => workspace.views.show({ by: group.split(',') })}
              >
                {label}
              </Button>
            ))}
          />
        ) : (
          <div className={table['scroll']}>
            <table className={`${table['table']} ${stale ? table['dim'] : ''}`}>
              <thead>
                <tr>
                  <th className={table['number']}>#</th>
                  {by.map((field) => (
                    <th key={field}>{field.replace(/^attrs\./, '')}</th>
                  ))}
                  <th className={table['number']}>{isCount ? 'events' : measureText}</th>
                  <th className={table['number']}>share</th>
                  <th>
                    <VisuallyHidden>as a bar</VisuallyHidden>
                  </th>
                  {lines !== undefined && (
                    <th>
                      {formatRange(lines.from, lines.from + lines.width * lines.buckets, zone)}
                    </th>
                  )}
                  {!isCount && <th className={table['number']}>events</th>}
                </tr>
              </thead>
              <tbody>
                {Array.from({ length: rows }, (_, row) => (
                  <tr key={row}>
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
                    <td className={table['number']} title={formatCount(measured(row))}>
                      {isCount ? (
                        <Events n={measured(row)} row={row} onShow={include} />
                      ) : (
                        shown(measured(row))
                      )}
                    </td>
                    <td className={table['number']}>
                      {whole === undefined || whole === 0 || measure.fn === 'distinct'
                        ? ''
                        : `${((100 * measured(row)) / whole).toFixed(1)}%`}
                    </td>
                    <td style={{ width: 130 }}>
                      <span
                        className={table['bar']}
                        style={{
                          width: most === 0 ? 0 : Math.max(2, (120 * measured(row)) / most),
                        }}
                      />
                    </td>
                    {lines !== undefined && (
                      <td>
                        <Sparkline
                          counts={lines.counts.subarray(
                            row * lines.buckets,
                            (row + 1) * lines.buckets,
                          )}
                          label={`Events over time of group ${row + 1}`}
                        />
                      </td>
                    )}
                    {!isCount && (
                      <td className={table['number']}>
                        <Events n={Number(value('count', row) ?? 0)} row={row} onShow={include} />
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
              <tfoot>
                {[
                  {
                    name: `${counted(data.rest.groups, 'more group')}`,
                    of: data.rest,
                    under: { bottom: 24 },
                  },
                  {
                    name:
                      data.total.groups === 1
                        ? 'the only group'
                        : `all ${counted(data.total.groups, 'group')}`,
                    of: data.total,
                    under: { bottom: 0 },
                  },
                ].map(({ name, of, under }) => (
                  <tr key={name}>
                    <td style={under} />
                    <td style={under} colSpan={by.length}>
                      {name}
                    </td>
                    <td style={under} className={table['number']}>
                      {isCount
                        ? formatCount(of.count)
                        : of.measure === undefined
                          ? ''
                          : shown(of.measure)}
                    </td>
                    <td style={under} className={table['number']}>
                      {isCount && data.total.count > 0
                        ? `${((100 * of.count) / data.total.count).toFixed(1)}%`
                        : ''}
                    </td>
                    <td style={under} colSpan={lines === undefined ? 1 : 2} />
                    {!isCount && (
                      <td style={under} className={table['number']}>
                        {formatCount(of.count)}
                      </td>
                    )}
                  </tr>
                ))}
              </tfoot>
            </table>
          </div>
        )}
      </div>
    </div>
  );
}

/** How many events a group has, which shows them. */
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
