/** A window's view as a string that can be shared, and back. */
import { formatView, parseView } from '../../../engine/contract/view-string.ts';
import { TABS, type Tab, type View } from './views.ts';

/** The view in a shared string; defaults for whatever it leaves open. */
export function viewFromString(text: string): Partial<View> & { readonly zone: string } {
  const view = parseView(text);
  const tab: Tab | undefined = TABS.find((one) => one === view.tab);
  return {
    query: view.query,
    from: view.from,
    to: view.to,
    list: undefined,
    zone: view.zone,
    sort: view.sort,
    ...(tab === undefined ? {} : { tab }),
    ...(view.by === undefined || view.by.length === 0 ? {} : { by: view.by }),
  };
}

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
