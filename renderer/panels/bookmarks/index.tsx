/** Tags of the case with their counts, and the events that someone wrote a note on. */
import { Text, UnstyledButton } from '@mantine/core';
import {
  fieldTerm,
  formatCount,
  useAnswer,
  useCase,
  usePivots,
  useSession,
  useWorkspace,
} from '../../panel-api.ts';
import { visibleText } from '../../widgets/event-text.tsx';
import { SideSection } from '../../widgets/side-section.tsx';
import css from '../../widgets/side-section.module.css';

export function BookmarksPanel() {
  const workspace = useWorkspace();
  const pivots = usePivots();
  const info = useCase();
  const selected = useSession((session) => session.selected);
  const { data } = useAnswer('note.list', { case: info.case });
  const notes = data?.notes ?? [];
  const tags = info.tags.filter(({ count }) => count > 0);
  return (
    <SideSection title="Bookmarks">
      {tags.length === 0 && notes.length === 0 && (
        <Text size="xs" c="dimmed" px={12} pb={10}>
          Tag an event (T) or write a note on it: it appears here and in the report.
        </Text>
      )}
      {tags.map(({ id, name, count }) => (
        <div key={id} className={css['item']}>
          <UnstyledButton
            className={css['name']}
            onClick={() => pivots.filter(`kind:* ${fieldTerm('tag', name)}`, 'events')}
          >
            {visibleText(name, 100)}
          </UnstyledButton>
          <span className={css['small']}>{formatCount(count)}</span>
        </div>
      ))}
      {notes.map(({ event, text }) => (
        <div key={event} className={css['item']} aria-current={event === selected}>
          <UnstyledButton className={css['name']} onClick={() => workspace.select(event)}>
            {visibleText(text === '' ? event : text, 100)}
          </UnstyledButton>
        </div>
      ))}
    </SideSection>
  );
}
