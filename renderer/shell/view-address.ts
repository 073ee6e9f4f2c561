/**
 * The view in the window's address, so that it can be shared, kept as a bookmark and survives a
 * reload. `?case=PATH` beside what engine/contract/view-string.ts writes.
 */
import { useEffect, useRef } from 'react';
import { useSession, useView, useWorkspace } from '../state/context.ts';
import { viewFromString, viewToString } from '../state/shared-view.ts';

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
      const search = new URLSearchParams(window.location.search);
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
    window.history.replaceState(null, '', `?${text.toString()}`);
  }, [workspace, view, path, zone]);
}
