/** The panels of the window by position. Panels that are not visible at the start are loaded when first shown. */
import { lazy, type ComponentType } from 'react';
import type { Tab } from '../state/view/views.ts';

/** A component that is loaded when first rendered. */
function later<P>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => ({ default: await load() }));
}

export { QueryBar } from '../panels/query-bar/index.tsx';
export { RangePicker, ZonePicker } from '../panels/time-range/index.tsx';
export { CaseMenu } from '../panels/case-menu/index.tsx';
export { TimelinePanel } from '../panels/timeline/index.tsx';
export { FieldsPanel } from '../panels/fields/index.tsx';
export { SourcesList } from '../panels/sources-list/index.tsx';
export { SearchesPanel } from '../panels/searches/index.tsx';
export { BookmarksPanel } from '../panels/bookmarks/index.tsx';
export { ImportStatus } from '../panels/import-status/index.tsx';
export { EventTools } from '../panels/event-tools/index.tsx';
export { DropTarget } from '../panels/drop-target/index.tsx';
// Its shortcut works from the start.
export { Palette } from '../panels/palette/index.tsx';

export const StartPage = later(async () => (await import('../panels/start/index.tsx')).StartPage);
export const DetailsPanel = later(
  async () => (await import('../panels/details/index.tsx')).DetailsPanel,
);
export const Dialogs = later(async () => (await import('./dialogs.tsx')).Dialogs);

export const TAB_PANELS: Readonly<Record<Tab, { title: string; panel: ComponentType }>> = {
  events: {
    title: 'Events',
    panel: later(async () => (await import('../panels/events/index.tsx')).EventsPanel),
  },
  talkers: {
    title: 'Top talkers',
    panel: later(async () => (await import('../panels/talkers/index.tsx')).TalkersPanel),
  },
  conversations: {
    title: 'Conversations',
    panel: later(
      async () => (await import('../panels/conversations/index.tsx')).ConversationsPanel,
    ),
  },
  hosts: {
    title: 'Hosts',
    panel: later(async () => (await import('../panels/hosts/index.tsx')).HostsPanel),
  },
  answer: {
    title: 'Answer',
    panel: later(async () => (await import('../panels/answer/index.tsx')).AnswerPanel),
  },
  sources: {
    title: 'Sources & imports',
    panel: later(async () => (await import('../panels/sources/index.tsx')).SourcesPanel),
  },
  findings: {
    title: 'Findings',
    panel: later(async () => (await import('../panels/findings/index.tsx')).FindingsPanel),
  },
  latency: {
    title: 'Diagnostics',
    panel: later(async () => (await import('../panels/latency/index.tsx')).LatencyPanel),
  },
};
