/** Hooks over the window's stores that more than one panel needs. */
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { Command } from './commands.ts';
import { useWorkspace } from './context.ts';
import type { DialogName, DialogState } from './dialogs.ts';
import { pivotsOf, type Pivots } from './view/pivots.ts';
import type { ResultList } from './view/result-list.ts';

export function usePivots(): Pivots {
  const workspace = useWorkspace();
  return useMemo(() => pivotsOf(workspace), [workspace]);
}

/** The events of the current view. */
export function useResultList(): ResultList {
  return useStore(useWorkspace().results.store);
}

/** The parameters of the dialog with that name; undefined while it is closed. */
export function useDialog<N extends DialogName>(
  name: N,
): Extract<DialogState, { dialog: N }> | undefined {
  const open = useStore(useWorkspace().dialogs.store, (state) => state.open);
  return open?.dialog === name ? (open as Extract<DialogState, { dialog: N }>) : undefined;
}

/** Offers commands while the component is shown. `commands` must be memoised. */
export function useCommands(commands: readonly Command[]): void {
  const workspace = useWorkspace();
  useEffect(() => workspace.commands.add(commands), [workspace, commands]);
}
