/** Runs the window's commands: by name, by shortcut, and as the shell's menus and the system ask. */
import { useMantineColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { useSession, useWorkspace } from '../state/context.ts';
import { useCommands } from '../state/hooks.ts';
import type { Workspace } from '../state/case/workspace.ts';
import {
  caseCommands,
  themeCommands,
  viewCommands,
  windowCommands,
  type Scheme,
} from './command-list.ts';

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
  const openCase = useSession((session) => session.openCase);
  const refused = openCase?.refused;
  const hasCase = openCase !== undefined;
  const hasEvent = useSession((session) => session.selected !== undefined);
  const setScheme = useScheme();
  useCommands(
    useMemo(
      () => [
        ...(hasCase
          ? [...viewCommands(workspace), ...caseCommands(workspace, hasEvent, { refused })]
          : []),
        ...windowCommands(workspace),
        ...themeCommands(workspace, setScheme),
      ],
      [workspace, hasCase, hasEvent, refused, setScheme],
    ),
  );
  useShortcuts(workspace);
  useShellRequests(workspace);
}

/** Keeps the window in the colours that are preferred. Returns how to change them, always the same function. */
function useScheme(): (scheme: Scheme) => void {
  // Its identity changes with every render of the provider; that of commands must not.
  const { setColorScheme } = useMantineColorScheme();
  const latest = useRef(setColorScheme);
  latest.current = setColorScheme;
  const theme = useSession((session) => session.preferences['theme']);
  useEffect(() => {
    if (theme === 'light' || theme === 'dark' || theme === 'auto') latest.current(theme);
  }, [theme]);
  return useCallback((scheme) => latest.current(scheme), []);
}

/** The shortcuts of all commands that there are. */
function useShortcuts(workspace: Workspace): void {
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
}

/** Handles requests of the shell's menus and of the system. */
function useShellRequests(workspace: Workspace): void {
  const { shell, dialogs } = workspace;
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
