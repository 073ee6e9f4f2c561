/**
 * The view in the window's address, so that it can be shared and survives a reload: `#case=PATH` and the text that
 * engine/contract/view-string.ts writes. A fragment is never sent anywhere, not even to the shell.
 *
 * Every entry of the views' history is an entry of the browser's history, which alone determines the current one:
 * the browser's Back, a mouse button and the arrows next to the query bar all do the same.
 */
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { useSession, useWorkspace } from '../state/context.ts';
import { viewFromString, viewToString } from '../state/view/shared-view.ts';
import type { Workspace } from '../state/case/workspace.ts';

/** State of an entry of the browser's history. */
interface Entry {
  /** The run of the views' history that the entry belongs to. */
  readonly run: string;
  /** Entries of this window that are before it. */
  readonly depth: number;
}

function entryOf(state: unknown): Entry | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  if (!('run' in state) || !('depth' in state)) return undefined;
  const { run, depth } = state;
  return typeof run === 'string' && typeof depth === 'number' ? { run, depth } : undefined;
}

function address(): URLSearchParams {
  return new URLSearchParams(window.location.hash.slice(1));
}

/** The case that the address names. */
export function addressedCase(): string | undefined {
  const path = address().get('case');
  return path === null || path === '' ? undefined : path;
}

/** Shows the view of the address, in the entry that has this address. */
function restore(workspace: Workspace): void {
  const search = address();
  search.delete('case');
  if (!search.has('q')) return;
  const { zone, ...change } = viewFromString(`?${search.toString()}`);
  if (search.has('tz')) workspace.setZone(zone);
  workspace.views.replace(change);
}

export function useViewAddress(): void {
  const workspace = useWorkspace();
  const { views, session } = workspace;
  const view = useStore(views.store, (state) => state.view);
  const steps = useStore(views.store, (state) => state.steps);
  const path = useSession((state) => state.openCase?.case);
  const zone = useSession((state) => state.zone);
  const written = useRef<{ readonly path: string | undefined; readonly steps: number }>(undefined);
  const shown = useRef<Entry>({ run: '', depth: entryOf(window.history.state)?.depth ?? 0 });
  const deepest = useRef(shown.current.depth);

  useEffect(() => {
    const before = written.current;
    const isOther = before?.path !== path;
    written.current = { path, steps };
    // Before a case has been opened there is nothing to write.
    if (before?.path === undefined && path === undefined) return;
    // The address names the case already: of a link, a reload, an entry that was walked to.
    const isAddressed = isOther && addressedCase() === path;
    if (isAddressed && path !== undefined) restore(workspace);
    const { view: now, resets } = views.store.getState();
    const isNew = !isAddressed && (isOther || before?.steps !== steps);
    const entry: Entry = {
      run: `${performance.timeOrigin}/${resets}`,
      depth: shown.current.depth + (isNew ? 1 : 0),
    };
    const text = new URLSearchParams(path === undefined ? '' : viewToString(now, zone));
    if (path !== undefined) text.set('case', path);
    if (isNew) window.history.pushState(entry, '', `#${text.toString()}`);
    else window.history.replaceState(entry, '', `#${text.toString()}`);
    if (isNew) deepest.current = entry.depth;
    shown.current = entry;
    session.setState({
      canGoBack: entry.depth > 0,
      canGoForward: entry.depth < deepest.current,
    });
  }, [workspace, views, session, view, steps, path, zone]);

  useEffect(() => {
    const onWalk = ({ state }: PopStateEvent): void => {
      const last = shown.current;
      // A link that was pasted into the address is an entry after the last one.
      const entry = entryOf(state) ?? { run: '', depth: last.depth + 1 };
      shown.current = entry;
      deepest.current = Math.max(deepest.current, entry.depth);
      const wanted = addressedCase();
      if (wanted !== session.getState().openCase?.case) {
        if (wanted === undefined) workspace.closeCase();
        else void workspace.openCase(wanted);
        return;
      }
      const isKnown = entry.run === last.run && views.walk(entry.depth - last.depth);
      if (!isKnown) restore(workspace);
      session.setState({
        canGoBack: entry.depth > 0,
        canGoForward: entry.depth < deepest.current,
      });
    };
    window.addEventListener('popstate', onWalk);
    return () => window.removeEventListener('popstate', onWalk);
  }, [workspace, views, session]);
}
