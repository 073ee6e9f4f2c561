/**
 * The view in the window's address, so that it can be shared and survives a reload:
 * `#case=PATH` and beside it what engine/contract/view-string.ts writes. A fragment never leaves the
 * window, not even to the shell.
 */
import { useEffect, useRef } from 'react';
import { useSession, useView, useWorkspace } from '../state/context.ts';
import { viewFromString, viewToString } from '../state/shared-view.ts';

function address(): URLSearchParams {
  return new URLSearchParams(window.location.hash.slice(1));
}

/** The case that the window was opened with. */
export function addressedCase(): string | undefined {
  const path = address().get('case');
  return path === null || path === '' ? undefined : path;
}

export function useViewAddress(): void {
  const workspace = useWorkspace();
  const view = useView();
  const path = useSession((session) => session.openCase?.case);
  const zone = useSession((session) => session.zone);
  const restored = useRef(false);
  useEffect(() => {
    if (path === undefined) return;
    if (!restored.current) {
      restored.current = true;
      const search = address();
      if (search.get('case') === path && search.has('q')) {
        search.delete('case');
        const { zone: shared, ...change } = viewFromString(`?${search.toString()}`);
        if (search.has('tz')) workspace.setZone(shared);
        workspace.views.show(change);
        return;
      }
    }
    const text = new URLSearchParams(viewToString(view, zone));
    text.set('case', path);
    window.history.replaceState(null, '', `#${text.toString()}`);
  }, [workspace, view, path, zone]);
}
