/** Commands of the window itself, and what the shell's menus and the system ask for. */
import { useMantineColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import type { Command } from '../state/commands.ts';
import { useSession, useWorkspace } from '../state/context.ts';
import { useCommands } from '../state/hooks.ts';
import { TABS } from '../state/views.ts';
import { focusNextPart, focusPart } from './parts.ts';

const TITLES = {
  events: 'Show events',
  talkers: 'Show top talkers',
  conversations: 'Show conversations',
  hosts: 'Show hosts',
  answer: 'Show the answer',
  sources: 'Show sources and imports',
  latency: 'Show diagnostics (latency)',
} as const;

/** Whether a shortcut is a character that one may want to write: it has no modifier but Shift. */
function isText(hotkey: string): boolean {
  return !/^(mod|ctrl|alt|meta)\+|^(shift\+)?F\d/i.test(hotkey);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function useShellCommands(): void {
  const workspace = useWorkspace();
  const hasCase = useSession((session) => session.openCase !== undefined);
  const hasEvent = useSession((session) => session.selected !== undefined);
  // Its identity changes with every render of the provider; commands must not.
  const { setColorScheme: setNow } = useMantineColorScheme();
  const setScheme = useRef(setNow);
  setScheme.current = setNow;
  const { shell, dialogs, views } = workspace;

  const commands = useMemo<Command[]>(() => {
    const ofCase: Command[] = hasCase
      ? [
          ...TABS.filter((tab) => tab !== 'answer').map((tab, at) => ({
            id: `tab.${tab}`,
            title: TITLES[tab],
            group: 'View',
            hotkey: `alt+${at + 1}`,
            run: () => {
              views.show({ tab });
              focusPart('results');
            },
          })),
          {
            id: 'view.results',
            title: 'Go to the results',
            group: 'View',
            run: () => focusPart('results'),
          },
          {
            id: 'view.next-part',
            title: 'Next part of the window',
            group: 'View',
            hotkey: 'F6',
            run: () => focusNextPart(1),
          },
          {
            id: 'view.previous-part',
            title: 'Previous part of the window',
            group: 'View',
            hotkey: 'shift+F6',
            run: () => focusNextPart(-1),
          },
          {
            id: 'view.back',
            title: 'Back',
            group: 'View',
            hotkey: 'alt+ArrowLeft',
            run: () => workspace.goBack(),
          },
          {
            id: 'view.forward',
            title: 'Forward',
            group: 'View',
            hotkey: 'alt+ArrowRight',
            run: () => workspace.goForward(),
          },
          {
            id: 'view.all-time',
            title: 'Show all time',
            group: 'View',
            run: () => views.show({ from: undefined, to: undefined }),
          },
          {
            id: 'evidence.add',
            title: 'Add evidence…',
            group: 'Case',
            hotkey: 'mod+I',
            run: () => dialogs.open({ dialog: 'import' }),
          },
          {
            id: 'events.export',
            title: 'Export events…',
            group: 'Case',
            hotkey: 'mod+E',
            run: () => dialogs.open({ dialog: 'export' }),
          },
          {
            id: 'case.payload-search',
            title: 'Search what connections carried…',
            group: 'Case',
            run: () => dialogs.open({ dialog: 'payload-search' }),
          },
          {
            id: 'case.report',
            title: 'Write a report…',
            group: 'Case',
            run: () => dialogs.open({ dialog: 'report' }),
          },
          {
            id: 'case.hand-over',
            title: 'Hand over…',
            group: 'Case',
            run: () => dialogs.open({ dialog: 'hand-over' }),
          },
          {
            id: 'case.verify',
            title: 'Verify the case and its evidence…',
            group: 'Case',
            run: () => dialogs.open({ dialog: 'verify' }),
          },
          {
            id: 'event.make-field',
            title: 'Make a field of the selected event…',
            group: 'Events',
            disabled: !hasEvent ? 'no event is selected' : undefined,
            run: () => {
              const event = workspace.session.getState().selected;
              if (event !== undefined) dialogs.open({ dialog: 'make-field', event });
            },
          },
          {
            id: 'events.tag-all',
            title: 'Tag all events found…',
            group: 'Events',
            run: () => dialogs.open({ dialog: 'tag' }),
          },
          {
            id: 'events.delete-all',
            title: 'Delete all events found…',
            group: 'Events',
            run: () => dialogs.open({ dialog: 'delete' }),
          },
          {
            id: 'search.save',
            title: 'Save this search…',
            group: 'View',
            hotkey: 'mod+S',
            run: () => dialogs.open({ dialog: 'save-search' }),
          },
          {
            id: 'case.details',
            title: 'Case details…',
            group: 'Case',
            run: () => dialogs.open({ dialog: 'case-details' }),
          },
          {
            id: 'case.close',
            title: 'Close the case',
            group: 'Case',
            run: () => workspace.closeCase(),
          },
        ]
      : [];
    return [
      ...ofCase,
      {
        id: 'case.open',
        title: 'Open a case…',
        group: 'Case',
        hotkey: 'mod+O',
        run: () => dialogs.open({ dialog: 'open-case' }),
      },
      {
        id: 'case.new',
        title: 'New case…',
        group: 'Case',
        run: () => dialogs.open({ dialog: 'new-case' }),
      },
      {
        id: 'settings.open',
        title: 'Settings…',
        group: 'Daybook',
        hotkey: 'mod+,',
        run: () => dialogs.open({ dialog: 'settings' }),
      },
      {
        id: 'help.shortcuts',
        title: 'Keyboard shortcuts',
        group: 'Help',
        hotkey: 'shift+?',
        run: () => dialogs.open({ dialog: 'shortcuts' }),
      },
      {
        id: 'help.language',
        title: 'The query language',
        group: 'Help',
        hotkey: 'F1',
        run: () => dialogs.open({ dialog: 'language' }),
      },
      ...(['light', 'dark', 'auto'] as const).map((scheme) => ({
        id: `theme.${scheme}`,
        title: scheme === 'auto' ? 'Theme: system' : `Theme: ${scheme}`,
        group: 'Daybook',
        run: () => {
          setScheme.current(scheme);
          workspace.setPreference('theme', scheme);
          shell?.setTheme(scheme);
        },
      })),
    ];
  }, [workspace, hasCase, hasEvent, views, dialogs, shell]);
  useCommands(commands);

  const theme = useSession((session) => session.preferences['theme']);
  useEffect(() => {
    if (theme === 'light' || theme === 'dark' || theme === 'auto') setScheme.current(theme);
  }, [theme]);

  const all = useStore(workspace.commands.store, (state) => state.commands);
  useHotkeys(
    all.flatMap(({ id, hotkey }) =>
      hotkey === undefined
        ? []
        : [
            [
              hotkey,
              (event: KeyboardEvent) => {
                if (isText(hotkey) && isWriting(event.target)) return;
                if (workspace.commands.run(id)) event.preventDefault();
              },
              { preventDefault: false },
            ] as const,
          ],
    ),
    [],
  );

  useEffect(() => {
    shell?.onCommand((command) => {
      switch (command.command) {
        case 'open-case':
          if (command.path === undefined) dialogs.open({ dialog: 'open-case' });
          else void workspace.openCase(command.path);
          break;
        case 'add-evidence':
          dialogs.open({
            dialog: 'import',
            ...(command.paths === undefined ? {} : { paths: command.paths }),
          });
          break;
        case 'run':
          workspace.commands.run(command.id);
          break;
      }
    });
  }, [workspace, shell, dialogs]);
}
