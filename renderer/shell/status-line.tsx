/** The line below: how many events, from how many days, by which path, how long it took. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { counted } from '../../engine/contract/words/counted.ts';
import { useCase, useSession, useView, useWorkspace } from '../state/context.ts';
import { withTerm } from '../state/query-text.ts';
import { useResultList } from '../state/hooks.ts';
import { useParsedQuery } from '../state/parsed-query.ts';
import { formatCount, formatMs } from '../state/view/time.ts';
import { hiddenPackets } from '../widgets/texts/hidden-packets.ts';
import { errorWords } from '../widgets/texts/window-words.ts';
import { ImportStatus } from './panels.ts';
import css from './window.module.css';

export function StatusLine() {
  const info = useCase();
  const { views } = useWorkspace();
  const view = useView();
  const pid = useSession((session) => session.info?.pid);
  const { opened, error, loading, firstMs } = useResultList();
  // The query bar says how the query was read.
  const readings = useParsedQuery(view.query)?.readings ?? [];
  const hidden = hiddenPackets(opened);
  const spans = Object.entries(opened?.timings.spans ?? {})
    .filter(([, ms]) => ms >= 0.05)
    .map(([name, ms]) => `${name} ${ms < 10 ? ms.toFixed(1) : Math.round(ms)}`)
    .join(' · ');
  return (
    <footer className={css['status']} data-engine-pid={pid}>
      <div className={css['said']} role="status" aria-live="polite">
        {error !== undefined ? (
          <span style={{ color: 'var(--db-bad)' }}>{errorWords(error).message}</span>
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
            <Tooltip
              label={[
                `In the engine${opened.timings.path === undefined ? '' : ` by ${opened.timings.path}`}: ${spans}`,
                ...(firstMs === undefined
                  ? []
                  : [`first rows on screen after ${formatMs(firstMs)}`]),
              ].join('; ')}
            >
              <span>
                <b>{formatMs(opened.timings.totalMs)}</b>
              </span>
            </Tooltip>
            {hidden !== undefined && (
              <Tooltip label="Packets that belong to flows are left out unless the query names a kind; click to include them">
                <UnstyledButton
                  className={css['more']}
                  onClick={() =>
                    views.show({ query: withTerm(view.query, 'kind:*'), tab: 'events' })
                  }
                >
                  {hidden} · Show
                </UnstyledButton>
              </Tooltip>
            )}
            {opened.notes
              .filter((note) => !readings.includes(note))
              .map((note) => (
                <span key={note}>{note}</span>
              ))}
          </>
        )}
        {loading && <span>searching…</span>}
      </div>
      <span className={css['grow']} />
      <ImportStatus />
    </footer>
  );
}
