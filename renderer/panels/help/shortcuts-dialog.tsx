/** Every shortcut: those of commands, and those that belong to a place. */
import { Modal } from '@mantine/core';
import { useStore } from 'zustand';
import { useWorkspace, type Command } from '../../panel-api.ts';
import { Keys } from '../../widgets/query/query-keys.tsx';
import css from './help.module.css';

/** Keys that mean something in one place only. */
const PLACES: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'In the query bar',
    [
      ['/', 'Go to the query bar (from anywhere)'],
      ['Enter', 'Run the query'],
      ['shift+Enter', 'New line'],
      ['ctrl+Space', 'Suggestions'],
      ['Tab', 'Take the suggestion'],
      ['ArrowUp', 'Previous query'],
      ['ArrowDown', 'Next query; after the newest, to the results'],
      ['Escape', 'Stop searching; then to the results'],
    ],
  ],
  [
    'In the events',
    [
      ['ArrowDown', 'The event below, with its details'],
      ['ArrowUp', 'The event above, then the headings'],
      ['ArrowLeft', 'The value to the left'],
      ['ArrowRight', 'The value to the right'],
      ['PageDown', 'A page down'],
      ['PageUp', 'A page up'],
      ['Home', 'The first event'],
      ['End', 'The last event'],
      ['Enter', 'Show the details; on a heading, sort by it'],
      ['shift+F10', 'Menu of a value; also the Menu key'],
      ['shift+ArrowDown', 'Mark events'],
      ['Space', 'Bookmark the event'],
      ['t', 'Tag the event'],
      ['Escape', 'Unmark events; then close the details'],
    ],
  ],
  [
    'In the timeline',
    [
      ['ArrowLeft', 'Previous bar'],
      ['ArrowRight', 'Next bar'],
      ['shift+ArrowRight', 'Mark a range'],
      ['Enter', 'Zoom in'],
      ['Escape', 'Zoom out; then to the results'],
    ],
  ],
];

export function ShortcutsDialog() {
  const { commands, dialogs } = useWorkspace();
  const all = useStore(commands.store, (state) => state.commands);
  const groups = groupsOf(all);
  return (
    <Modal opened onClose={() => dialogs.close()} title="Keyboard shortcuts" size={760}>
      <div className={css['columns']}>
        {groups.map(([group, list]) => (
          <section key={group} className={css['group']}>
            <h3>{group}</h3>
            {list.map(({ id, title, hotkey }) => (
              <Line key={id} title={title} hotkey={hotkey ?? ''} />
            ))}
          </section>
        ))}
        {PLACES.map(([place, keys]) => (
          <section key={place} className={css['group']}>
            <h3>{place}</h3>
            {keys.map(([hotkey, title]) => (
              <Line key={title} title={title} hotkey={hotkey} />
            ))}
          </section>
        ))}
      </div>
    </Modal>
  );
}

function Line({ title, hotkey }: { readonly title: string; readonly hotkey: string }) {
  return (
    <div className={css['line']}>
      <span>{title.replace(/…$/, '')}</span>
      <Keys hotkey={hotkey} />
    </div>
  );
}

function groupsOf(commands: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>();
  const seen = new Set<string>();
  for (const command of commands) {
    if (command.hotkey === undefined || seen.has(command.id)) continue;
    seen.add(command.id);
    groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
