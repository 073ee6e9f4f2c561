/** Every action of the window in one list that is searched by typing; Ctrl+K opens it. */
import { Modal, VisuallyHidden } from '@mantine/core';
import { Spotlight, createSpotlight, type SpotlightStore } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import {
  useAnswer,
  useCommands,
  usePivots,
  useSession,
  useWorkspace,
  counted,
} from '../../panel-api.ts';
import { Keys } from '../../widgets/query/query-keys.tsx';
import { QueryCode } from '../../widgets/query/query-code.tsx';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import { findEntries, type Entry } from './entries.ts';
import css from './palette.module.css';

const PAST = 100;
/** Past queries listed before anything is typed. */
const PAST_AT_FIRST = 5;
/** The palette returns the focus first; a command may take it after that. */
const AFTER_FOCUS_MS = 60;

export function Palette() {
  const [[store, spotlight]] = useState(createSpotlight);
  const [opened, setOpened] = useState(false);
  const [search, setSearch] = useState('');
  const commands = useMemo(
    () => [
      {
        id: 'palette.open',
        title: 'All commands…',
        group: 'Help',
        hotkey: 'mod+K',
        run: () => spotlight.open(),
      },
    ],
    [spotlight],
  );
  useCommands(commands);
  return (
    <Spotlight.Root
      store={store}
      query={search}
      onQueryChange={setSearch}
      onSpotlightOpen={() => setOpened(true)}
      onSpotlightClose={() => setOpened(false)}
      shortcut={null}
      scrollable
      maxHeight={460}
      size={620}
      radius="md"
      centered={false}
      yOffset="11vh"
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      classNames={{ action: css['entry'] ?? '', actionsGroup: css['group'] ?? '' }}
      transitionProps={{ duration: 0 }}
    >
      <VisuallyHidden>
        <Modal.Title>All commands</Modal.Title>
      </VisuallyHidden>
      <Spotlight.Search
        // The dialog's focus trap would give it the focus a moment later: text typed until then would be lost.
        autoFocus
        placeholder="Search commands, past queries and fields"
        aria-label="Search commands, past queries and fields"
        leftSection={<IconSearch size={16} aria-hidden />}
        size="sm"
      />
      {opened && <Found search={search} store={store} />}
    </Spotlight.Root>
  );
}

/** Marks the first entry, which Enter then runs. */
function markFirst(store: SpotlightStore): void {
  const list = document.getElementById(store.getState().listId);
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
  list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

function Found({ search, store }: { readonly search: string; readonly store: SpotlightStore }) {
  const entries = useEntries();
  const groups = useMemo(() => findEntries(entries, search), [entries, search]);
  // The library marks an entry on a key press, possibly one of the previous list.
  useEffect(() => markFirst(store), [store, search]);
  useEffect(() => {
    const list = document.getElementById(store.getState().listId);
    if (list !== null && list.querySelector('[data-selected]') === null) markFirst(store);
  }, [store, groups]);
  return (
    <Spotlight.ActionsList>
      {groups.map(({ group, entries: list }) => (
        <Spotlight.ActionsGroup key={group} label={group}>
          {list.map((entry) => (
            <Spotlight.Action
              key={entry.id}
              disabled={entry.disabled !== undefined}
              py={5}
              onClick={() => {
                if (entry.disabled === undefined) setTimeout(() => entry.run(), AFTER_FOCUS_MS);
              }}
            >
              <span
                className={`${css['action'] ?? ''} ${
                  entry.disabled === undefined ? '' : (css['disabled'] ?? '')
                }`}
              >
                <span className={css['label']}>
                  {entry.isQuery === true ? (
                    <QueryCode query={entry.title} max={160} />
                  ) : (
                    entry.title
                  )}
                </span>
                {(entry.disabled ?? entry.detail) !== undefined && (
                  <span className={css['faint']}>{entry.disabled ?? entry.detail}</span>
                )}
                {entry.hotkey !== undefined && (
                  <span className={css['keys']}>
                    <Keys hotkey={entry.hotkey} />
                  </span>
                )}
              </span>
            </Spotlight.Action>
          ))}
        </Spotlight.ActionsGroup>
      ))}
      {groups.length === 0 && <Spotlight.Empty>Nothing matches</Spotlight.Empty>}
    </Spotlight.ActionsList>
  );
}

function useEntries(): readonly Entry[] {
  const workspace = useWorkspace();
  const pivots = usePivots();
  const folder = useSession((session) => session.openCase?.case);
  const commands = useStore(workspace.commands.store, (state) => state.commands);
  const of = folder === undefined ? undefined : { case: folder };
  const past = useAnswer('query.history', of && { ...of, limit: PAST }, { live: false }).data;
  const fields = useAnswer('field.list', of, { live: false }).data;
  return useMemo(
    () => [
      ...commands.filter(({ id }) => id !== 'palette.open'),
      ...(past?.queries ?? [])
        .filter(({ query }) => query.trim() !== '')
        .map(({ query }, at): Entry => ({
          id: `past ${query}`,
          group: 'Past queries',
          title: query,
          isQuery: true,
          onSearch: at >= PAST_AT_FIRST,
          run: () => workspace.views.show({ query }),
        })),
      ...(fields?.fields ?? []).map(({ field, events, kinds }): Entry => ({
        id: `field ${field}`,
        group: 'Fields',
        title: `Top values of ${visibleText(field, 80)}`,
        also: `${field} ${kinds.join(' ')}`,
        detail: counted(events, 'event'),
        onSearch: true,
        run: () => pivots.topValues(field),
      })),
    ],
    [commands, past, fields, workspace, pivots],
  );
}
