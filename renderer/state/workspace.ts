/**
 * Everything a window knows, in one object that the tree of components gets through a context: the
 * connection, the open case, the view that is looked at, the selected event. Components read it
 * through `panel-api.ts`.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  OperationError,
  type Connection,
  type Engine,
  type EngineState,
} from '../../engine/contract/client.ts';
import type { Bridge } from '../../engine/contract/bridge.ts';
import type { ErrorInfo } from '../../engine/contract/frame.ts';
import type { Result } from '../../engine/contract/operations.ts';
import { createAsking, type Asking } from './asking.ts';
import { createCommands, type CommandList } from './commands.ts';
import { createDialogs, type Dialogs } from './dialogs.ts';
import { createLists, type Lists } from './lists.ts';
import { createParsedQueries, type ParsedQueries } from './parsed-queries.ts';
import { createResultLists, type ResultLists } from './result-list.ts';
import { createViews, type Views } from './views.ts';

export type CaseInfo = Result<'case.open'>;
type EngineInfo = Result<'engine.info'>;

export interface Session {
  readonly engine: EngineState;
  readonly info: EngineInfo | undefined;
  /** Undefined: the start page. */
  readonly openCase: CaseInfo | undefined;
  /** Set while the open case's folder is not there: a drive was taken out, a folder was moved. */
  readonly lost: ErrorInfo | undefined;
  /** What keeps a case from being opened. */
  readonly problem: ErrorInfo | undefined;
  /** Raised whenever answers about the case may have changed. */
  readonly revision: number;
  /** The zone in which every time is shown. */
  readonly zone: string;
  /** Small things the window keeps between starts, by name. */
  readonly preferences: Readonly<Record<string, unknown>>;
  /** The columns that the table of events shows now; undefined until it shows any. */
  readonly shownColumns?: readonly string[] | undefined;
  /** The event shown in the details. */
  readonly selected: string | undefined;
  /** Whether the history of views has an entry before, and after, the one that is shown. */
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** The query in the bar was run and is wrong: what is shown belongs to the one before. */
  readonly unanswered: boolean;
}

export interface Workspace {
  readonly connection: Engine;
  readonly shell: Bridge | undefined;
  /** Starts an engine that was given up. */
  startEngine(): void;
  readonly session: StoreApi<Session>;
  readonly views: Views;
  /** The events of the current view. */
  readonly results: ResultLists;
  readonly parsed: ParsedQueries;
  readonly lists: Lists;
  /** What is being asked about the view. */
  readonly asking: Asking;
  readonly commands: CommandList;
  readonly dialogs: Dialogs;
  openCase(path: string): Promise<void>;
  closeCase(): void;
  refreshInfo(): Promise<void>;
  setZone(zone: string): void;
  setPreference(name: string, value: unknown): void;
  select(event: string | undefined): void;
  /** To the view before, or after; the browser's history says which that is. */
  goBack(): void;
  goForward(): void;
}

/** Answers are requested again at most this often while a case is changing. */
const REVISION_MS = 1500;
const SAVE_MS = 400;

export function createWorkspace(pipe: Connection, shell: Bridge | undefined): Workspace {
  const lists = createLists(pipe);
  const connection: Engine = {
    async call(operation, params, options) {
      try {
        return await lists.engine.call(operation, params, options);
      } catch (error) {
        noteLost(params, error);
        throw error;
      }
    },
  };
  const session = createStore<Session>(() => ({
    engine: pipe.state,
    info: undefined,
    openCase: undefined,
    lost: undefined,
    problem: undefined,
    revision: 0,
    zone: 'UTC',
    preferences: {},
    selected: undefined,
    canGoBack: false,
    canGoForward: false,
    unanswered: false,
  }));
  const views = createViews();
  const asking = createAsking();
  const results = createResultLists(connection, asking);
  let watching: AbortController | undefined;
  let saving: ReturnType<typeof setTimeout> | undefined;
  let revising: ReturnType<typeof setTimeout> | undefined;
  let restarts = pipe.state.restarts;

  pipe.onState((engine) => {
    session.setState({ engine });
    if (engine.state !== 'ready') return;
    // A new engine knows nothing of this window: it is told again.
    const again = engine.restarts !== restarts;
    restarts = engine.restarts;
    if (!again) return;
    void refreshInfo();
    const { openCase: current } = session.getState();
    if (current !== undefined) void openCase(current.case);
  });

  /** Whether a question about the open case failed because there is no case in its folder any more. */
  function noteLost(params: object, error: unknown): void {
    const path = session.getState().openCase?.case;
    if (path === undefined || !('case' in params) || params.case !== path) return;
    if (error instanceof OperationError && error.info.code === 'not-a-case') {
      session.setState({ lost: error.info });
    }
  }

  async function refreshInfo(): Promise<void> {
    const info = await connection.call('engine.info', {});
    const kept = info.settings.window;
    const zone = kept['zone'];
    session.setState({
      info,
      preferences: kept,
      ...(typeof zone === 'string' ? { zone } : {}),
    });
  }

  async function openCase(path: string): Promise<void> {
    let opened: CaseInfo;
    try {
      opened = await connection.call('case.open', { case: path });
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      // The banner over the lost case says it already.
      const { lost, openCase: now } = session.getState();
      if (lost !== undefined && now?.case === path && error.info.code === 'not-a-case') return;
      session.setState({ problem: error.info });
      return;
    }
    const before = session.getState().openCase;
    const same = before?.case === opened.case;
    if (!same) views.reset();
    session.setState((state) => ({
      openCase: opened,
      lost: undefined,
      problem: undefined,
      revision: state.revision + 1,
      ...(same ? {} : { selected: undefined }),
    }));
    shell?.setTitle(`${opened.name} · Daybook`);
    document.title = `${opened.name} · Daybook`;
    watch(opened.case);
  }

  function watch(path: string): void {
    watching?.abort();
    const controller = new AbortController();
    watching = controller;
    connection
      .call(
        'case.watch',
        { case: path },
        {
          signal: controller.signal,
          onPart: ({ info }) => {
            session.setState({ openCase: info });
            revising ??= setTimeout(() => {
              revising = undefined;
              session.setState((state) => ({ revision: state.revision + 1 }));
            }, REVISION_MS);
          },
        },
      )
      // It ends by being cancelled or with the engine; both are told elsewhere.
      .catch(() => undefined);
  }

  return {
    connection,
    shell,
    session,
    views,
    results,
    parsed: createParsedQueries(connection),
    lists,
    asking,
    commands: createCommands(),
    dialogs: createDialogs(),
    startEngine: () => pipe.start(),
    refreshInfo,
    openCase,
    closeCase() {
      watching?.abort();
      watching = undefined;
      views.reset();
      results.close();
      session.setState({
        ...{ openCase: undefined, selected: undefined, problem: undefined, lost: undefined },
      });
      document.title = 'Daybook';
      shell?.setTitle('Daybook');
      void refreshInfo();
    },
    setZone(zone) {
      session.setState({ zone });
      this.setPreference('zone', zone);
    },
    setPreference(name, value) {
      session.setState((state) => ({ preferences: { ...state.preferences, [name]: value } }));
      clearTimeout(saving);
      saving = setTimeout(() => {
        connection
          .call('settings.set', { window: { ...session.getState().preferences } })
          // A preference that is not kept is no reason to disturb anyone.
          .catch(() => undefined);
      }, SAVE_MS);
    },
    select(event) {
      session.setState({ selected: event });
    },
    goBack() {
      if (session.getState().canGoBack) window.history.back();
    },
    goForward() {
      if (session.getState().canGoForward) window.history.forward();
    },
  };
}
