/**
 * The view in the window's address, so that it can be shared, kept as a bookmark and survives a
 * reload. `?case=PATH` beside what engine/contract/view-string.ts writes.
 */
import { useEffect, useRef } from 'react';
import { parseView, formatView } from '../../engine/contract/view-string.ts';
import { useSession, useView, useWorkspace } from '../state/context.ts';
import { TABS, type Tab, type View } from '../state/views.ts';

/** What a shared string says of a view. */
export function viewFromString(text: string): Partial<View> & { readonly zone: string } {
  const view = parseView(text);
  const tab: Tab | undefined = TABS.find((one) => one === view.tab);
  return {
    query: view.query,
    from: view.from,
    to: view.to,
    zone: view.zone,
    sort: view.sort,
    ...(tab === undefined ? {} : { tab }),
    ...(view.by === undefined || view.by.length === 0 ? {} : { by: view.by }),
  };
}

/** A view as a shared string. */
export function viewToString(view: View, zone: string): string {
  return formatView({
    query: view.query,
    from: view.from,
    to: view.to,
    zone,
    tab: view.tab,
    sort: view.sort,
    by: view.by,
  });
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
