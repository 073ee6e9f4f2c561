/** Hooks that give components access to the window's state. */
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { CaseInfo, Session } from './case/session.ts';
import type { Workspace } from './case/workspace.ts';
import type { View } from './view/views.ts';

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (workspace === undefined) throw new Error('a component stands outside of the window');
  return workspace;
}

export function useSession<T>(select: (session: Session) => T): T {
  return useStore(useWorkspace().session, select);
}

/** The open case. Only for components that are shown when there is one. */
export function useCase(): CaseInfo {
  const found = useSession((session) => session.openCase);
  if (found === undefined) throw new Error('no case is open');
  return found;
}

export function useView(): View {
  return useStore(useWorkspace().views.store, (state) => state.view);
}

export function useZone(): string {
  return useSession((session) => session.zone);
}

/** A value that is kept between starts of Daybook, and a function that sets it. */
export function usePreference<T>(
  name: string,
  fallback: T,
  is: (value: unknown) => value is T,
): [T, (value: T) => void] {
  const workspace = useWorkspace();
  const kept = useSession((session) => session.preferences[name]);
  return [is(kept) ? kept : fallback, (value) => workspace.setPreference(name, value)];
}
