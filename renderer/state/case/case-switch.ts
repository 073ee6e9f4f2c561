/** Opens and closes the case of a window, and raises the session's revision while others change the case. */
import type { StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../../engine/contract/wire/bridge.ts';
import { OperationError, type Engine } from '../../../engine/contract/wire/client.ts';
import type { ResultLists } from '../view/result-list.ts';
import type { CaseInfo, Session } from './session.ts';
import type { Views } from '../view/views.ts';

/** Answers are requested again at most this often while a case is changing. */
const REVISION_MS = 1500;

interface CaseSwitch {
  open(path: string): Promise<void>;
  close(): void;
}

interface Parts {
  readonly connection: Engine;
  readonly shell: Bridge | undefined;
  readonly session: StoreApi<Session>;
  readonly views: Views;
  readonly results: ResultLists;
  /** Updates what the engine says about itself and the cases that it knows. */
  refreshInfo(): Promise<void>;
}

export function createCaseSwitch(parts: Parts): CaseSwitch {
  const { connection, shell, session, views, results } = parts;
  let watching: AbortController | undefined;
  let revising: ReturnType<typeof setTimeout> | undefined;

  async function open(path: string): Promise<void> {
    let opened: CaseInfo;
    session.setState({ opening: path, problem: undefined });
    try {
      opened = await connection.call('case.open', { case: path });
    } catch (error) {
      session.setState({ opening: undefined });
      if (!(error instanceof OperationError)) throw error;
      // The banner about the lost case says so already.
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
      opening: undefined,
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
          onPart: ({ change, info }) => {
            session.setState({ openCase: info });
            if (change === undefined) return;
            revising ??= setTimeout(() => {
              revising = undefined;
              session.setState((state) => ({ revision: state.revision + 1 }));
            }, REVISION_MS);
          },
        },
      )
      // It ends when cancelled or with the engine; both are reported elsewhere.
      .catch(() => undefined);
  }

  function close(): void {
    watching?.abort();
    watching = undefined;
    views.reset();
    results.close();
    session.setState({
      ...{ openCase: undefined, selected: undefined, problem: undefined, lost: undefined },
    });
    document.title = 'Daybook';
    shell?.setTitle('Daybook');
    void parts.refreshInfo();
  }

  return { open, close };
}

/** Notes an error that says that the open case's folder no longer holds a case. */
export function noteLost(session: StoreApi<Session>, params: object, error: unknown): void {
  const path = session.getState().openCase?.case;
  if (path === undefined || !('case' in params) || params.case !== path) return;
  if (error instanceof OperationError && error.info.code === 'not-a-case') {
    session.setState({ lost: error.info });
  }
}
