/** Tags of the case with their counts, and the events that someone wrote a note on. */
import { Text, UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import { cell, columnOf, type CellValue } from '../../../engine/contract/wire/column-batch.ts';
import {
  fieldTerm,
  formatCount,
  formatTime,
  useAnswer,
  useCase,
  usePivots,
  useRefusal,
  useSession,
  useWorkspace,
  useZone,
} from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { TagChip } from '../../widgets/tag-chip.tsx';
import { SideSection } from '../../widgets/side-section.tsx';
import css from '../../widgets/side-section.module.css';

/** Events that are titled by their message; the rest are titled by their number. */
const MOST_NAMED = 200;

/** `2026-03-22 22:47:16 Accepted password for …` for each of these events. */
function useEventLabels(events: readonly string[]): ReadonlyMap<string, string> {
  const { case: path } = useCase();
  const zone = useZone();
  const named = events.slice(0, MOST_NAMED);
  const { data } = useAnswer(
    'query.run',
    named.length === 0
      ? undefined
      : {
          ...{ case: path, query: `kind:* event_id:(${named.join(' OR ')})`, zone },
          ...{ limit: MOST_NAMED, aside: true },
        },
  );
  return useMemo(() => {
    const labels = new Map<string, string>();
    for (let row = 0; row < (data?.batch.rows ?? 0); row++) {
      const value = (name: string): CellValue => {
        const column = data === undefined ? undefined : columnOf(data.batch, name);
        return column === undefined ? null : cell(column, row);
      };
      const [event, ts] = [value('event_id'), value('ts')];
      const ends = [value('src_ip'), value('dst_ip')].filter((one) => one !== null).join(' → ');
      const summary = value('message') ?? (ends === '' ? value('kind') : ends);
      const micros = typeof ts === 'string' ? Date.parse(ts) * 1000 : (ts ?? undefined);
      const time = micros === undefined ? 'no time' : formatTime(micros, zone, 0);
      if (event !== null) labels.set(String(event), `${time} ${String(summary ?? '')}`);
    }
    return labels;
  }, [data, zone]);
}

export function BookmarksPanel() {
  const workspace = useWorkspace();
  const pivots = usePivots();
  const info = useCase();
  const selected = useSession((session) => session.selected);
  const noReport = useRefusal('report.write');
  const { data } = useAnswer('note.list', { case: info.case });
  const { notes = [], more = 0 } = data ?? {};
  const labels = useEventLabels(notes.flatMap(({ event, text }) => (text === '' ? [event] : [])));
  const tags = info.tags.filter(({ count }) => count > 0);
  return (
    <SideSection title="Bookmarks">
      {tags.length === 0 && notes.length === 0 && (
        <Text size="xs" c="dimmed" px={12} pb={10}>
          Tag an event (T) or write a note on it: it appears here
          {noReport === undefined && ' and in the report'}.
        </Text>
      )}
      {tags.map(({ id, name, count, color }) => (
        <div key={id} className={css['item']}>
          <UnstyledButton
            className={css['name']}
            onClick={() => pivots.filter(`kind:* ${fieldTerm('tag', name)}`, 'events')}
          >
            <TagChip name={name} color={color} max={100} />
          </UnstyledButton>
          <span className={css['small']}>{formatCount(count)}</span>
        </div>
      ))}
      {notes.map(({ event, text }) => (
        <div key={event} className={css['item']} aria-current={event === selected}>
          <UnstyledButton className={css['name']} onClick={() => workspace.select(event)}>
            {visibleText(text === '' ? (labels.get(event) ?? event) : text, 200)}
          </UnstyledButton>
        </div>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed" px={12} pb={10}>
          and {formatCount(more)} more, tagged earlier
        </Text>
      )}
    </SideSection>
  );
}
