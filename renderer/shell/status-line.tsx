/** The line below: how many events, from how many days, by which path, how long it took. */
import { Tooltip } from '@mantine/core';
import { counted } from '../../engine/contract/counted.ts';
import { useCase, useSession } from '../state/context.ts';
import { useResultList } from '../state/hooks.ts';
import { formatCount, formatMs } from '../state/time.ts';
import { ImportStatus } from './panels.ts';
import css from './window.module.css';

export function StatusLine() {
  const info = useCase();
  const pid = useSession((session) => session.info?.pid);
  const { opened, error, loading, firstMs } = useResultList();
  const spans = Object.entries(opened?.timings.spans ?? {})
    .filter(([, ms]) => ms >= 0.05)
    .map(([name, ms]) => `${name} ${ms < 10 ? ms.toFixed(1) : Math.round(ms)}`)
    .join(' · ');
  return (
    <footer className={css['status']} role="status" aria-live="polite" data-engine-pid={pid}>
      {error !== undefined ? (
        <span style={{ color: 'var(--db-bad)' }}>{error.message}</span>
      ) : (
        <span>
          <b>{opened === undefined ? '…' : formatCount(opened.total)}</b> of{' '}
          {counted(info.events, 'event')}
        </span>
      )}
      {opened !== undefined && (
        <>
          <span>
            {formatCount(opened.days.used)} of {counted(opened.days.all, 'day')}
          </span>
          {opened.timings.path !== undefined && (
            <Tooltip label="How the engine answered">
              <span className={css['pill']}>{opened.timings.path}</span>
            </Tooltip>
          )}
          <Tooltip
            label={
              firstMs === undefined
                ? 'Time in the engine'
                : `Time in the engine; first rows on screen after ${formatMs(firstMs)}`
            }
          >
            <span>
              <b>{formatMs(opened.timings.totalMs)}</b> {spans !== '' && `(${spans})`}
            </span>
          </Tooltip>
          {opened.packetsBeneath !== undefined && opened.packetsBeneath.packets > 0 && (
            <Tooltip label="Packets that belong to flows are left out unless the query names a kind">
              <span>
                +{formatCount(opened.packetsBeneath.packets)}
                {opened.packetsBeneath.exact ? '' : ' or fewer'} packets beneath
              </span>
            </Tooltip>
          )}
          {opened.notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </>
      )}
      {loading && <span>searching…</span>}
      <span className={css['grow']} />
      <ImportStatus />
    </footer>
  );
}
