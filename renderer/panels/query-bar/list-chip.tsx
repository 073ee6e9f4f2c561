/** The view's list, in front of the query: change it, show its lines without a match, remove it. */
import { ActionIcon, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconListDetails, IconListSearch, IconX } from '@tabler/icons-react';
import { useMemo } from 'react';
import {
  counted,
  formatCount,
  nounOf,
  useCommands,
  useRefusal,
  useView,
  useWorkspace,
} from '../../panel-api.ts';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import css from './query-bar.module.css';

export function ListChip() {
  const { commands, dialogs, views } = useWorkspace();
  const { list } = useView();
  const refused = useRefusal('list.unmatched');
  useListCommands(list !== undefined, refused);
  if (list === undefined) return null;
  const rows = counted(list.rows, 'line');
  return (
    <div
      className={css['list']}
      role="group"
      aria-label={`List ${visibleText(list.name, 100)}, ${rows}`}
    >
      <UnstyledButton
        className={css['listName']}
        title={`${visibleText(list.name, 200)}, ${rows}: change the list`}
        onClick={() => dialogs.open({ dialog: 'match-list' })}
      >
        <IconListDetails size={13} aria-hidden />
        <VisuallyHidden>Change the list</VisuallyHidden>
        <span className={css['listText']}>
          <EventText text={list.name} max={100} />
        </span>
        <span className={css['listRows']}>
          {' '}
          · {formatCount(list.rows)}
          <span className={css['listUnit']}> {nounOf(list.rows, 'line')}</span>
        </span>
      </UnstyledButton>
      <Tooltip label={refused ?? 'Lines that matched nothing'}>
        <ActionIcon
          size={24}
          aria-label="Lines that matched nothing"
          disabled={refused !== undefined}
          onClick={() => dialogs.open({ dialog: 'list-unmatched' })}
        >
          <IconListSearch size={13} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Remove list">
        <ActionIcon
          size={24}
          aria-label="Remove list"
          onClick={() => {
            views.show({ list: undefined });
            commands.run('query.focus');
          }}
        >
          <IconX size={12} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

function useListCommands(isOn: boolean, refused: string | undefined): void {
  const { dialogs, views } = useWorkspace();
  useCommands(
    useMemo(() => {
      const disabled = isOn ? undefined : 'no list is applied';
      return [
        {
          id: 'list.match',
          title: 'Match a list…',
          group: 'Query',
          hotkey: 'mod+shift+L',
          run: () => dialogs.open({ dialog: 'match-list' }),
        },
        {
          id: 'list.unmatched',
          title: 'Lines of the list that matched nothing…',
          group: 'Query',
          disabled: refused ?? disabled,
          run: () => dialogs.open({ dialog: 'list-unmatched' }),
        },
        {
          id: 'list.off',
          title: 'Remove list',
          group: 'Query',
          disabled,
          run: () => views.show({ list: undefined }),
        },
      ];
    }, [dialogs, views, isOn, refused]),
  );
}
