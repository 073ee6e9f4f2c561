/**
 * Everything a window knows, in one object that the tree of components gets through a context: the
 * connection, the open case, the view that is looked at, the selected event. Components read it
 * through `panel-api.ts`.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { Connection, Engine } from '../../../engine/contract/wire/client.ts';
import type { Bridge } from '../../../engine/contract/wire/bridge.ts';
import { createAsking, type Asking } from '../asking.ts';
import { createCaseSwitch, noteLost } from './case-switch.ts';
import { createCommands, type CommandList } from '../commands.ts';
import { createDialogs, type Dialogs } from '../dialogs.ts';
import { createLists, type Lists } from '../view/lists.ts';
import { createParsedQueries, type ParsedQueries } from '../parsed-queries.ts';
import { createResultLists, type ResultLists } from '../view/result-list.ts';
import { createSession, type Session } from './session.ts';
import { createViews, type Views } from '../view/views.ts';

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
  /** Running calls about the view. */
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

const SAVE_MS = 400;

export function createWorkspace(pipe: Connection, shell: Bridge | undefined): Workspace {
  const lists = createLists(pipe);
  const connection: Engine = {
    async call(operation, params, options) {
      try {
        return await lists.engine.call(operation, params, options);
      } catch (error) {
        noteLost(session, params, error);
        throw error;
      }
    },
  };
  const session = createSession(pipe.state);
  const views = createViews();
  const asking = createAsking();
  const results = createResultLists(connection, asking);
  const cases = createCaseSwitch({
    ...{ connection, shell, session, views, results },
    refreshInfo,
  });
  const preferences = createPreferences(connection, session);
  let restarts = pipe.state.restarts;

  pipe.onState((engine) => {
    session.setState({ engine });
    if (engine.state !== 'ready') return;
    // A new engine knows nothing of this window: it gets everything again.
    const again = engine.restarts !== restarts;
    restarts = engine.restarts;
    if (!again) return;
    void refreshInfo();
    const { openCase: current } = session.getState();
    if (current !== undefined) void cases.open(current.case);
  });

  async function refreshInfo(): Promise<void> {
    const info = await connection.call('engine.info', {});
    const kept = preferences.since(info.settings.window);
    const zone = kept['zone'];
    session.setState({
      info,
      preferences: kept,
      ...(typeof zone === 'string' ? { zone } : {}),
    });
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
    openCase: cases.open,
    closeCase: cases.close,
    setZone(zone) {
      session.setState({ zone });
      preferences.set('zone', zone);
    },
    setPreference: preferences.set,
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

interface Preferences {
  /** Sets one at once, and has the engine keep all of them a moment later. */
  readonly set: Workspace['setPreference'];
  /** The engine's settings, with changes that it has not received yet. */
  since(kept: Session['preferences']): Session['preferences'];
}

function createPreferences(connection: Engine, session: StoreApi<Session>): Preferences {
  let saving: ReturnType<typeof setTimeout> | undefined;
  const unsaved = new Map<string, unknown>();
  const save = async (): Promise<void> => {
    const saved = new Map(unsaved);
    await connection.call('settings.set', { window: { ...session.getState().preferences } });
    for (const [name, value] of saved) if (unsaved.get(name) === value) unsaved.delete(name);
  };
  const saveSoon = (): void => {
    clearTimeout(saving);
    // A preference that is not kept is no reason to disturb anyone.
    saving = setTimeout(() => void save().catch(() => undefined), SAVE_MS);
  };
  return {
    set(name, value) {
      session.setState((state) => ({ preferences: { ...state.preferences, [name]: value } }));
      unsaved.set(name, value);
      saveSoon();
    },
    since(kept) {
      // The engine that was to keep them may be gone.
      if (unsaved.size > 0) saveSoon();
      return { ...kept, ...Object.fromEntries(unsaved) };
    },
  };
}
