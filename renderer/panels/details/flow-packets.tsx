/** The first packets of a flow; each opens with its bytes. */
import { cell, columnOf } from '../../../engine/contract/wire/column-batch.ts';
import {
  counted,
  formatBytes,
  timeParts,
  useAnswer,
  useCase,
  usePivots,
  useWorkspace,
  useZone,
} from '../../panel-api.ts';
import { EventText } from '../../widgets/texts/event-text.tsx';
import { flagNames } from '../../widgets/texts/tcp-flags.ts';
import { Loading } from '../../widgets/loading.tsx';
import { Problem } from '../../widgets/problem.tsx';
import { Button } from '@mantine/core';
import type { EventInfo } from './fields-tab.tsx';
import { SliceButton } from './packet-tab.tsx';
import css from './details.module.css';

const SHOWN = 200;

export function FlowPackets({ info }: { readonly info: EventInfo }) {
  const folder = useCase().case;
  const zone = useZone();
  const pivots = usePivots();
  const workspace = useWorkspace();
  const query = info.packets ?? '';
  const { data, error } = useAnswer(
    'query.run',
    {
      case: folder,
      query: `${query} | fields ts, event_id, src_ip, src_port, dst_ip, dst_port, tcp_flags, bytes`,
      limit: SHOWN,
      zone,
      aside: true,
    },
    { live: false },
  );
  if (error !== undefined)
    return <Problem error={error} title="The packets of this flow cannot be shown" />;
  if (data === undefined) return <Loading />;
  const { batch } = data;
  const value = (name: string, row: number): string => {
    const column = columnOf(batch, name);
    return column === undefined ? '' : String(cell(column, row) ?? '');
  };
  const of = (name: string): string =>
    String(info.fields.find((one) => one.name === name)?.value ?? '');
  const end = (side: 'src' | 'dst'): string => {
    const [address, port] = [of(`${side}_ip`), of(`${side}_port`)];
    return port === '' ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`;
  };
  // The ports decide only where a host talks to itself: those of ICMP differ from packet to packet.
  const isForth = (row: number): boolean =>
    value('src_ip', row) === of('src_ip') &&
    (of('src_ip') !== of('dst_ip') || value('src_port', row) === of('src_port'));
  const flagsOf = (row: number): string => {
    const flags = value('tcp_flags', row);
    return flags === '' ? '' : flagNames(Number(flags));
  };
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <span>
          {batch.rows < SHOWN ? '' : 'The first '}
          {counted(batch.rows, 'packet')}
        </span>
        <SliceButton event={info.event} />
      </div>
      <p className={css['note']}>
        <EventText text={`${end('src')} → ${end('dst')}`} max={200} mono />
      </p>
      {Array.from({ length: batch.rows }, (_, row) => {
        const ts = columnOf(batch, 'ts');
        const at = ts === undefined ? null : cell(ts, row);
        const time = typeof at === 'number' ? timeParts(at, zone, 6).time : clockOf(at);
        return (
          <button
            key={row}
            type="button"
            className={css['line']}
            onClick={() => workspace.select(value('event_id', row))}
          >
            {time} <span className={css['packetWay']}>{isForth(row) ? '→' : '←'}</span>{' '}
            {[flagsOf(row), formatBytes(Number(value('bytes', row)))]
              .filter((part) => part !== '')
              .join(' ')}
          </button>
        );
      })}
      <Button m={8} variant="default" onClick={() => pivots.filter(query, 'events')}>
        Show all in the table
      </Button>
    </div>
  );
}

/** The time of day in an RFC 3339 text, which is in the zone that was requested. */
function clockOf(text: string | null): string {
  return text === null ? '—' : text.replace(/^.*T/, '').replace(/(?:Z|[+-]\d\d:\d\d)$/, '');
}
