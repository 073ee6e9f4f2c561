/** The first packets of a flow; each opens with its bytes. */
import { cell, columnOf } from '../../../engine/contract/column-batch.ts';
import {
  formatCount,
  timeParts,
  useAnswer,
  useCase,
  usePivots,
  useWorkspace,
  useZone,
} from '../../panel-api.ts';
import { visibleText } from '../../widgets/event-text.tsx';
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
  if (error !== undefined) return <Problem error={error} />;
  if (data === undefined) return <Loading />;
  const { batch } = data;
  const value = (name: string, row: number): string => {
    const column = columnOf(batch, name);
    return column === undefined ? '' : String(cell(column, row) ?? '');
  };
  return (
    <div className={css['box']}>
      <div className={css['boxTitle']}>
        <span>
          {batch.rows < SHOWN ? formatCount(batch.rows) : `The first ${formatCount(SHOWN)}`}{' '}
          {batch.rows === 1 ? 'packet' : 'packets'}
        </span>
        <SliceButton event={info.event} />
      </div>
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
            {time}{' '}
            {visibleText(
              `${value('src_ip', row)}:${value('src_port', row)} → ${value('dst_ip', row)}:${value('dst_port', row)} ${value('tcp_flags', row)} ${value('bytes', row)} B`,
              200,
            )}
          </button>
        );
      })}
      <Button m={8} variant="default" onClick={() => pivots.filter(query, 'events')}>
        Show all in the table
      </Button>
    </div>
  );
}

/** The time of day of an RFC 3339 text, which is in the zone that was asked for. */
function clockOf(text: string | null): string {
  return text === null ? '—' : text.replace(/^.*T/, '').replace(/(?:Z|[+-]\d\d:\d\d)$/, '');
}
