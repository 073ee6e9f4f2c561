/** State of a window besides its view: the engine, the open case, the selected event. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EngineState } from '../../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import type { Result } from '../../../engine/contract/operations.ts';

export type CaseInfo = Result<'case.open'>;
type EngineInfo = Result<'engine.info'>;

export interface Session {
  readonly engine: EngineState;
  readonly info: EngineInfo | undefined;
  /** Undefined: the start page. */
  readonly openCase: CaseInfo | undefined;
  /** Set while the open case's folder is missing: a drive was removed, a folder was moved. */
  readonly lost: ErrorInfo | undefined;
  /** The path of a case that is being opened. */
  readonly opening: string | undefined;
  /** The reason why a case could not be opened. */
  readonly problem: ErrorInfo | undefined;
  /** Raised whenever answers about the case may have changed. */
  readonly revision: number;
  /** The zone in which every time is shown. */
  readonly zone: string;
  /** Small values that the window keeps between starts, by name. */
  readonly preferences: Readonly<Record<string, unknown>>;
  /** The columns that the table of events shows now; undefined until it shows any. */
  readonly shownColumns?: readonly string[] | undefined;
  /** The event shown in the details. */
  readonly selected: string | undefined;
  /** Whether the history of views has an entry before, and after, the one that is shown. */
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** The query in the bar was run and is wrong: the results belong to the previous one. */
  readonly unanswered: boolean;
}

export function createSession(engine: EngineState): StoreApi<Session> {
  return createStore<Session>(() => ({
    engine,
    info: undefined,
    openCase: undefined,
    lost: undefined,
    opening: undefined,
    problem: undefined,
    revision: 0,
    zone: 'UTC',
    preferences: {},
    selected: undefined,
    canGoBack: false,
    canGoForward: false,
    unanswered: false,
  }));
}
