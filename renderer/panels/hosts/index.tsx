/** Hosts: the addresses in the events found, and facts about the selected one from its events. */
import { Button, SegmentedControl, Select, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import {
  ALL,
  counted,
  dissect,
  fieldTerm,
  formatBytes,
  formatCount,
  useAnswer,
  useQuestion,
  useView,
  useWorkspace,
  withTerm,
} from '../../panel-api.ts';
import { Empty } from '../../widgets/empty.tsx';
import { ColumnWidths, leastWidth, numberWidth } from '../../widgets/column-widths.tsx';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import table from '../../widgets/result-table.module.css';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import css from './hosts.module.css';

type Host = Result<'hosts.run'>['hosts'][number];
type FactName = keyof Host['facts'];

const LIMITS = ['200', '1000', '5000'];
const SCOPES = [
  { value: 'all', label: 'All addresses' },
  { value: 'private', label: 'Private' },
] as const;

const SECTIONS: readonly { readonly fact: FactName; readonly title: string }[] = [
  { fact: 'name', title: 'Names' },
  { fact: 'mac', title: 'Hardware addresses' },
  { fact: 'user', title: 'Users' },
  { fact: 'system', title: 'Systems' },
  { fact: 'offers', title: 'Services it offered' },
  { fact: 'uses', title: 'Services it used' },
];
interface Summarised {
  readonly fact: FactName;
  readonly title: string;
  readonly width?: number;
}
/** Columns of the table, filled where the fact is known of a host. */
const SUMMARISED: readonly Summarised[] = [
  { fact: 'name', title: 'Names' },
  { fact: 'mac', title: 'Hardware', width: 138 },
  { fact: 'user', title: 'Users' },
  { fact: 'offers', title: 'Offers' },
];
/** Of these, those that a narrow table hides, in this order. */
const LEAST_TELLING: readonly FactName[] = ['mac', 'offers', 'user', 'name'];
/** Volumes of a host; the last one only if the case has any. */
const VOLUMES: readonly {
  volume: 'sent' | 'received' | 'bothWays';
  title: string;
  says: string;
}[] = [
  { volume: 'sent', title: 'Sent', says: 'Bytes of its flows, whichever side opened them' },
  { volume: 'received', title: 'Received', says: 'Bytes of its flows, whichever side opened them' },
  {
    ...{ volume: 'bothWays', title: 'Both ways' },
    says: 'From flows that give one total for both directions; counted as neither sent nor received',
  },
];
const UNKNOWN = 'No flow examined states it';
const IN_CELL = 2;
/** Widths of the columns, in pixels; the others share the rest. */
const SHORTEST_ADDRESS = 132;
/** An address of IPv6 is whole. */
const LONGEST_ADDRESS = 300;
const TIME = 149;
/** Width of the panel, in pixels, below which the list is above the facts instead of next to them. */
const BESIDE = 900;

export function HostsPanel() {
  const { views } = useWorkspace();
  const { query, from, to, list } = useView();
  const question = useQuestion();
  const [scope, setScope] = useState('all');
  const [limit, setLimit] = useState('200');
  const [chosen, setChosen] = useState<string>();
  const { data, error, stale } = useAnswer('hosts.run', {
    ...question,
    query: dissect(query).filter,
    ...(scope === 'private' ? { of: 'private' } : {}),
    limit: Number(limit),
  });
  const { ref, width } = useElementSize();
  const host = useMemo(
    () => data?.hosts.find(({ address }) => address === chosen) ?? data?.hosts[0],
    [data, chosen],
  );
  return (
    <div className={table['column']}>
      <div className={table['toolbar']}>
        <SegmentedControl
          aria-label="Which addresses"
          data={[...SCOPES]}
          value={scope}
          onChange={setScope}
        />
        <Select
          aria-label="How many hosts"
          w={112}
          allowDeselect={false}
          data={LIMITS.map((value) => ({ value, label: `${formatCount(Number(value))} hosts` }))}
          value={limit}
          onChange={(next) => next !== null && setLimit(next)}
        />
        {data !== undefined && (
          <span className={css['summary']}>
            {data.hosts.length < data.total && `${formatCount(data.hosts.length)} of `}
            {counted(data.total, 'host')}
            {data.notes.map((note) => ` · ${note}`)}
          </span>
        )}
      </div>
      <div ref={ref} className={`${table['rest']} ${stale ? table['dim'] : ''}`}>
        {error !== undefined ? (
          <Problem title="The hosts cannot be shown" error={error} />
        ) : data === undefined ? (
          <Loading />
        ) : host === undefined ? (
          <Empty
            title="No hosts"
            text="Hosts are the addresses in events. The events found have none: widen the time range, or change the query."
            actions={
              query !== '' || (from ?? to ?? list) !== undefined ? (
                <Button variant="default" onClick={() => views.show(ALL)}>
                  Hosts of the whole case
                </Button>
              ) : undefined
            }
          />
        ) : (
          <div className={css['parts']} data-stacked={width > 0 && width < BESIDE}>
            <HostTable hosts={data.hosts} chosen={host.address} onChoose={setChosen} />
            <HostFacts host={host} />
          </div>
        )}
      </div>
    </div>
  );
}

function HostTable({
  hosts,
  chosen,
  onChoose,
}: {
  readonly hosts: readonly Host[];
  readonly chosen: string;
  readonly onChoose: (address: string) => void;
}) {
  const { ref, width } = useElementSize();
  const { volumes, columns, widths } = columnsOf(hosts, width);
  return (
    <div className={`${table['scroll']} ${css['list']}`} ref={ref}>
      <table
        className={`${table['table']} ${css['fixed']}`}
        style={{ minWidth: leastWidth(widths) }}
      >
        <ColumnWidths widths={widths} />
        <thead>
          <tr>
            <th>Address</th>
            <th className={table['number']}>Events</th>
            {volumes.map(({ volume, title, says }) => (
              <th key={volume} className={table['number']} title={says}>
                {title}
              </th>
            ))}
            {columns.map(({ fact, title }) => (
              <th key={fact}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hosts.map(({ address, events, facts, ...host }) => (
            <tr key={address} aria-selected={address === chosen} className={css['host']}>
              <td>
                <UnstyledButton
                  className={css['address']}
                  aria-pressed={address === chosen}
                  onClick={() => onChoose(address)}
                >
                  <EventText text={address} max={60} mono />
                </UnstyledButton>
              </td>
              <td className={table['number']}>{formatCount(events)}</td>
              {volumes.map(({ volume }) => (
                <td
                  key={volume}
                  className={table['number']}
                  title={host[volume] === undefined ? UNKNOWN : undefined}
                >
                  {volumeText(host[volume])}
                </td>
              ))}
              {columns.map(({ fact }) => (
                <td key={fact} title={visibleText(summaryOf(facts[fact]), 400)}>
                  <EventText text={summaryOf(facts[fact])} max={80} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** @param room pixels for the table, 0 before they are known */
function columnsOf(hosts: readonly Host[], room: number) {
  const volumes = VOLUMES.filter(
    ({ volume }) => volume !== 'bothWays' || hosts.some((host) => host.bothWays !== undefined),
  );
  const measured = [
    Math.min(
      LONGEST_ADDRESS,
      Math.max(SHORTEST_ADDRESS, numberWidth(hosts.map(({ address }) => address))),
    ),
    numberWidth(['events', ...hosts.map(({ events }) => formatCount(events))]),
    ...volumes.map(({ volume, title }) =>
      numberWidth([title, ...hosts.map((host) => volumeText(host[volume]))]),
    ),
  ];
  const columns = fitting(
    SUMMARISED.filter(({ fact }) => hosts.some(({ facts }) => facts[fact].values.length > 0)),
    room === 0 ? Infinity : room - leastWidth(measured),
  );
  const widths = [...measured, ...columns.map((column) => column.width)];
  return { volumes, columns, widths };
}

/** The columns for which there is room: the facts of a host include the rest. */
function fitting(columns: readonly Summarised[], room: number): readonly Summarised[] {
  let left = columns;
  for (const least of LEAST_TELLING) {
    if (leastWidth(left.map(({ width }) => width)) <= room) break;
    left = left.filter(({ fact }) => fact !== least);
  }
  return left;
}

function volumeText(bytes: number | undefined): string {
  return bytes === undefined ? '–' : formatBytes(bytes);
}

function summaryOf({ values, more }: Host['facts'][FactName]): string {
  const left = values.length - IN_CELL + more;
  const shown = values.slice(0, IN_CELL).map(({ value }) => value);
  return [...shown, ...(left > 0 ? [`+${left}`] : [])].join(', ');
}

function HostFacts({ host }: { readonly host: Host }) {
  const { views } = useWorkspace();
  const { query } = useView();
  const { address, events, first, last, facts } = host;
  const show = (): void => {
    const next = withTerm(dissect(query).filter, fieldTerm('ip', address));
    views.show({ query: next, tab: 'events' });
  };
  const every = SECTIONS.flatMap(({ fact }) => facts[fact].values);
  const counts = numberWidth(['events', ...every.map((one) => formatCount(one.events))]);
  const widths = [undefined, counts, TIME];
  return (
    <section className={css['facts']} aria-label={`Host ${address}`}>
      <div className={css['head']}>
        <h2 className={css['title']}>{address}</h2>
        <Button variant="default" size="compact-sm" onClick={show}>
          Its events
        </Button>
      </div>
      <p className={css['when']}>
        {counted(events, 'event')},{' '}
        {first === undefined ? (
          'none with a time'
        ) : (
          <>
            from <TimeText micros={first} /> to <TimeText micros={last} />
          </>
        )}
      </p>
      {SECTIONS.filter(({ fact }) => facts[fact].values.length > 0).map(({ fact, title }) => (
        <div key={fact}>
          <h3 className={css['heading']}>{title}</h3>
          <table
            className={`${table['table']} ${css['fixed']}`}
            style={{ minWidth: leastWidth(widths) }}
          >
            <ColumnWidths widths={widths} />
            <thead>
              <tr>
                <th>Value and origin</th>
                <th className={table['number']}>Events</th>
                <th>First and last</th>
              </tr>
            </thead>
            <tbody>
              {facts[fact].values.map((one) => (
                <tr key={one.value}>
                  <td className={css['value']}>
                    <EventText text={one.value} max={120} />
                    <span className={css['by']}>
                      {one.vendor !== undefined && `${one.vendor} · `}
                      {one.by.join(', ')}
                    </span>
                  </td>
                  <td className={table['number']}>{formatCount(one.events)}</td>
                  <td className={css['seen']}>
                    <TimeText micros={one.first} digits={0} />
                    <TimeText micros={one.last} digits={0} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {facts[fact].more > 0 && (
            <p className={css['when']}>{formatCount(facts[fact].more)} more</p>
          )}
        </div>
      ))}
      {every.length === 0 && (
        <p className={css['when']}>The events say nothing else about this host.</p>
      )}
    </section>
  );
}
