/** An open case: header, side, timeline, tabs, details, status line. */
import {
  ActionIcon,
  Button,
  Loader,
  Menu,
  Splitter,
  Tabs,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useMediaQuery, type UseSplitterReturnValue } from '@mantine/hooks';
import {
  IconArrowLeft,
  IconArrowRight,
  IconChevronsRight,
  IconFolderOff,
  IconLayoutSidebar,
} from '@tabler/icons-react';
import {
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { useStore } from 'zustand';
import { usePreference, useSession, useView, useWorkspace } from '../state/context.ts';
import { useResultList } from '../state/hooks.ts';
import { useQuestion } from '../state/view/question.ts';
import { useParsedQuery } from '../state/parsed-query.ts';
import { formatCount } from '../state/view/time.ts';
import { showsResults, TABS, type Tab } from '../state/view/views.ts';
import { Empty } from '../widgets/empty.tsx';
import { EventText, visibleText } from '../widgets/texts/event-text.tsx';
import { FailureBoundary } from './failure-boundary.tsx';
import {
  BookmarksPanel,
  CaseMenu,
  DetailsPanel,
  EventTools,
  FieldsPanel,
  QueryBar,
  RangePicker,
  SearchesPanel,
  SourcesList,
  TAB_PANELS,
  TimelinePanel,
  ZonePicker,
} from './panels.ts';
import { focusPart } from './parts.ts';
import { StatusLine } from './status-line.tsx';
import css from './window.module.css';

/** At this width, as at 200 % zoom on a laptop, the sidebar and the details cover the events. */
const NARROW = '(max-width: 900px)';
const AT_ONCE = { getInitialValueInEffect: false };
/** Of the one pane whose size is not in pixels. */
const REST = 100;

/** Until a person moves them: small windows leave the events more. They follow a window that is made smaller or larger. */
function useUsualSizes(): string[] {
  const isSmall = useMediaQuery('(max-width: 1149.98px)', false, AT_ONCE);
  const isLaptop = useMediaQuery('(max-width: 1399.98px)', false, AT_ONCE);
  const isDesk = useMediaQuery('(max-width: 1799.98px)', false, AT_ONCE);
  if (isSmall) return ['172px', '1fr', '312px'];
  if (isLaptop) return ['200px', '1fr', '344px'];
  if (isDesk) return ['212px', '1fr', '376px'];
  // Sixteen bytes of a packet fit in a row.
  return ['236px', '1fr', '560px'];
}

const isSizes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'string');
const isTab = (value: string | null): value is Tab => TABS.some((tab) => tab === value);

export function CaseWindow() {
  const workspace = useWorkspace();
  const name = useSession((session) => session.openCase?.name ?? '');
  useResults();
  const lost = useSession((session) => session.lost !== undefined);
  const narrow = useMediaQuery(NARROW, false, AT_ONCE);
  const [sideOpen, setSideOpen] = useState(false);
  const table = useAnswerTab();
  /** One step back: from a pane over or next to the events to them; then the details close. */
  const leadBack = (body: Element, { target, defaultPrevented }: KeyboardEvent): boolean => {
    // Menus and dialogs of a panel are not part of the body.
    if (defaultPrevented || !(target instanceof Element) || !body.contains(target)) return false;
    if (target.getAttribute('aria-expanded') === 'true') return false;
    if (narrow && sideOpen) setSideOpen(false);
    else if (narrow && workspace.session.getState().selected !== undefined)
      workspace.select(undefined);
    else if (target.closest('[data-part="results"]') !== null) {
      // A search that runs is stopped first.
      if (!target.matches('[role="grid"]') || workspace.asking.running()) return false;
      workspace.select(undefined);
    }
    focusPart('results');
    return true;
  };
  return (
    <div className={css['window']}>
      <VisuallyHidden component="h1">Case {visibleText(name, 200)}</VisuallyHidden>
      <Header narrow={narrow} sideOpen={sideOpen} onSideOpen={setSideOpen} />
      <div id="beneath-header" />
      {lost ? (
        <LostCase />
      ) : (
        <div
          className={css['body']}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && leadBack(event.currentTarget, event))
              event.preventDefault();
          }}
        >
          {narrow ? <NarrowPanes table={table} sideOpen={sideOpen} /> : <WidePanes table={table} />}
        </div>
      )}
      {!lost && <StatusLine />}
    </div>
  );
}

/**
 * Whether the query answers with a table. Entering such a query switches to the tab with its table; undoing it
 * switches back.
 */
function useAnswerTab(): boolean {
  const { views } = useWorkspace();
  const { query } = useView();
  const runs = useStore(views.store, (state) => state.runs);
  const parsed = useParsedQuery(query);
  const table = parsed?.shape !== undefined && parsed.shape !== 'rows';
  const entered = useRef({ runs, query });
  useEffect(() => {
    const { tab } = views.store.getState().view;
    const last = entered.current;
    const isNew = last.runs !== runs || last.query !== query;
    if (table && (isNew || tab === 'events')) {
      entered.current = { runs, query };
      if (tab !== 'answer') views.replace({ tab: 'answer' });
    }
    if (!table && tab === 'answer' && parsed !== undefined) views.replace({ tab: 'events' });
  }, [views, table, parsed, runs, query]);
  return table;
}

function Header({
  narrow,
  sideOpen,
  onSideOpen,
}: {
  readonly narrow: boolean;
  readonly sideOpen: boolean;
  readonly onSideOpen: (open: boolean) => void;
}) {
  const { commands } = useWorkspace();
  return (
    <header className={css['header']}>
      <div className={css['caseMenu']}>
        <Guarded name="The menu">
          <CaseMenu />
        </Guarded>
      </div>
      {narrow && (
        <Tooltip label="Fields, bookmarks, searches, sources">
          <ActionIcon
            size={28}
            aria-label="Fields, bookmarks, searches, sources"
            aria-expanded={sideOpen}
            onClick={() => onSideOpen(!sideOpen)}
          >
            <IconLayoutSidebar size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Steps />
      <div className={css['query']} role="search" data-part="query">
        <Guarded name="The query bar">
          <QueryBar />
        </Guarded>
      </div>
      <Guarded name="Range and zone">
        <RangePicker />
        <ZonePicker />
      </Guarded>
      <Button
        size="xs"
        h={30}
        onClick={() => commands.run('query.run')}
        rightSection={<span aria-hidden>⏎</span>}
      >
        Run
      </Button>
    </header>
  );
}

/** The sidebar and the details cover the results. */
function NarrowPanes({ table, sideOpen }: { readonly table: boolean; readonly sideOpen: boolean }) {
  const selected = useSession((session) => session.selected !== undefined);
  return (
    <>
      <Center table={table} />
      {sideOpen && (
        <div className={css['overSide']}>
          <Side />
        </div>
      )}
      {selected && (
        <div className={css['overDetails']}>
          <Details />
        </div>
      )}
    </>
  );
}

function WidePanes({ table }: { readonly table: boolean }) {
  const [sizes, setSizes] = usePreference('panes', useUsualSizes(), isSizes);
  const [side, , details] = sizes as `${number}px`[];
  const splitter = useRef<UseSplitterReturnValue>(null);
  const selected = useSession((session) => session.selected !== undefined);
  // The details take room from the events only while an event is selected.
  useEffect(() => {
    splitter.current?.setSizes([side ?? 0, REST, selected ? (details ?? 0) : '0px']);
  }, [selected, side, details]);
  const keep = (next: readonly (string | number)[]): void => {
    // A collapsed pane keeps its previous width.
    const kept = next.map((size, at) => (parseFloat(String(size)) < 8 ? sizes[at] : size));
    if (kept[0] !== side || kept[2] !== details) setSizes(kept.map(String));
  };
  return (
    <Splitter
      h="100%"
      lineSize={1}
      withHandle={false}
      splitterRef={splitter}
      onResizeEnd={(_, next) => keep(next)}
      // The splitter reports no end of a resize by its keys.
      onKeyUp={() => splitter.current !== null && keep(splitter.current.sizes)}
    >
      <Splitter.Pane defaultSize={side ?? 0} min="150px" max="480px">
        <Side />
      </Splitter.Pane>
      <Splitter.Pane defaultSize={REST}>
        <Center table={table} />
      </Splitter.Pane>
      <Splitter.Pane defaultSize={details ?? 0} min="0px" max="720px" collapsible>
        <Details />
      </Splitter.Pane>
    </Splitter>
  );
}

function Side() {
  return (
    <nav className={css['side']} data-part="side" aria-label="Fields, bookmarks, searches, sources">
      <Guarded name="The sidebar">
        <FieldsPanel />
        <BookmarksPanel />
        <SearchesPanel />
        <SourcesList />
      </Guarded>
    </nav>
  );
}

function Details() {
  return (
    <aside
      className={css['details']}
      data-part="details"
      aria-label="Details of the selected event"
    >
      <Guarded name="The details">
        <DetailsPanel />
      </Guarded>
    </aside>
  );
}

/** `table`: whether the query answers with a table, which has its own tab. */
function Center({ table }: { readonly table: boolean }) {
  const workspace = useWorkspace();
  const view = useView();
  const list = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const overflows = useOverflows(list, menu, table);
  // Diagnostics are opened from the settings, and stay until another tab is chosen.
  const tabs = TABS.filter(
    (tab) => (tab !== 'answer' || table) && (tab !== 'latency' || tab === view.tab),
  );
  const unanswered = useSession((session) => session.unanswered) && showsResults(view.tab);
  return (
    <main className={css['center']}>
      <section className={css['timeline']} data-part="timeline" aria-label="Timeline">
        <Guarded name="The timeline">
          <TimelinePanel />
        </Guarded>
      </section>
      <Tabs
        className={css['tabs']}
        value={view.tab}
        onChange={(tab) => isTab(tab) && workspace.views.show({ tab })}
        keepMounted={false}
      >
        <div className={css['tabRow']}>
          <Tabs.List ref={list} className={css['tabList']} data-cut={overflows || undefined}>
            {tabs.map((tab) => (
              <Tabs.Tab key={tab} value={tab}>
                {TAB_PANELS[tab].title}
                {tab === 'events' && <EventCount />}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <div ref={menu} className={css['tabMenu']}>
            {overflows && <TabMenu tabs={tabs} />}
          </div>
          <div className={css['tabTools']}>
            <EventTools />
          </div>
        </div>
        {unanswered && (
          <div className={css['unanswered']} role="note">
            The query in the bar has an error and was not run. This is the answer to the previous
            one.
          </div>
        )}
        {TABS.map((tab) => {
          const Panel = TAB_PANELS[tab].panel;
          return (
            <Tabs.Panel
              key={tab}
              value={tab}
              className={css['tabPanel']}
              data-part={tab === view.tab ? 'results' : undefined}
            >
              <Guarded name={TAB_PANELS[tab].title}>
                <Panel />
              </Guarded>
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </main>
  );
}

/** Lists every tab, where there is no room for all names. */
function TabMenu({ tabs }: { readonly tabs: readonly Tab[] }) {
  const workspace = useWorkspace();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label="All tabs">
          <ActionIcon size={28} aria-label="All tabs">
            <IconChevronsRight size={15} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {tabs.map((tab) => (
          <Menu.Item key={tab} onClick={() => workspace.views.show({ tab })}>
            {TAB_PANELS[tab].title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/**
 * Whether an element's content is wider than the element together with the menu next to it, which is shown only
 * then. `what` changes with the content.
 */
function useOverflows(
  element: RefObject<HTMLElement | null>,
  menu: RefObject<HTMLElement | null>,
  dependency: unknown,
): boolean {
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const measure = (): void => {
      const room = current.clientWidth + (menu.current?.offsetWidth ?? 0);
      setOverflows(current.scrollWidth > room + 1);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    for (const child of current.children) observer.observe(child);
    return () => observer.disconnect();
  }, [element, menu, dependency]);
  return overflows;
}

/** Shown instead of answers when their case is gone. */
function LostCase() {
  const workspace = useWorkspace();
  const path = useSession((session) => session.openCase?.case ?? '');
  return (
    <div className={css['lost']} role="alert">
      <Empty
        icon={<IconFolderOff size={34} stroke={1.4} aria-hidden />}
        title="The case folder is no longer there"
        text={<EventText text={path} max={1000} />}
        actions={
          <>
            <Button onClick={() => void workspace.openCase(path)}>Try again</Button>
            <Button
              variant="default"
              onClick={() => workspace.dialogs.open({ dialog: 'open-case' })}
            >
              Open another case…
            </Button>
            <Button variant="subtle" onClick={() => workspace.closeCase()}>
              Close the case
            </Button>
          </>
        }
      />
    </div>
  );
}

/** Steps through the history of views. */
function Steps() {
  const workspace = useWorkspace();
  const canGoBack = useSession((session) => session.canGoBack);
  const canGoForward = useSession((session) => session.canGoForward);
  return (
    <div className={css['steps']} role="group" aria-label="History of views">
      <Tooltip label="Back (Alt+←)">
        <ActionIcon
          size={28}
          aria-label="Back"
          aria-disabled={!canGoBack}
          data-disabled={!canGoBack}
          onClick={() => workspace.goBack()}
        >
          <IconArrowLeft size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Forward (Alt+→)">
        <ActionIcon
          size={28}
          aria-label="Forward"
          aria-disabled={!canGoForward}
          data-disabled={!canGoForward}
          onClick={() => workspace.goForward()}
        >
          <IconArrowRight size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

function Guarded({ name, children }: { name: string; children: ReactNode }) {
  return (
    <FailureBoundary name={name}>
      <Suspense fallback={<Loader m="md" size="xs" />}>{children}</Suspense>
    </FailureBoundary>
  );
}

function EventCount() {
  const { opened } = useResultList();
  if (opened === undefined) return null;
  return (
    <span style={{ marginLeft: 6, color: 'var(--db-faint)', fontSize: 11.5 }}>
      {formatCount(opened.total)}
    </span>
  );
}

/** Keeps the list of events that of the view. */
function useResults(): void {
  const workspace = useWorkspace();
  const { sort } = useView();
  const question = useQuestion();
  const revision = useSession((session) => session.revision);
  const runs = useStore(workspace.views.store, (state) => state.runs);
  // Before the requests that panels send from effects of their own: rows come first.
  useLayoutEffect(() => {
    workspace.results.open({ ...question, sort });
  }, [workspace, question, sort, revision, runs]);
}
