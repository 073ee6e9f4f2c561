/**
 * The list of events of the current view, opened once for everything that shows it (table, status bar, timeline's
 * heading). The previous list stays until the new one has its first rows.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { OperationError, type Engine } from '../../../engine/contract/wire/client.ts';
import type { ColumnBatch } from '../../../engine/contract/wire/column-batch.ts';
import type { ErrorInfo } from '../../../engine/contract/wire/frame.ts';
import type { Params, Result } from '../../../engine/contract/operations.ts';
import { STOPPED, type Asking } from '../asking.ts';

export interface ResultList {
  /** Changes with each list. */
  readonly key: number;
  /** The parameters of the request. */
  readonly params: Params<'result.open'> | undefined;
  /** The first rows, as soon as they have arrived. */
  readonly first: ColumnBatch | undefined;
  /** Undefined until the engine has counted. */
  readonly opened: Result<'result.open'> | undefined;
  readonly error: ErrorInfo | undefined;
  readonly loading: boolean;
  /** From the request to the first rows, and to the whole answer, as measured in this window. */
  readonly firstMs: number | undefined;
  readonly elapsedMs: number | undefined;
}

const EMPTY: ResultList = {
  key: 0,
  params: undefined,
  first: undefined,
  opened: undefined,
  error: undefined,
  loading: false,
  firstMs: undefined,
  elapsedMs: undefined,
};

export interface ResultLists {
  readonly store: StoreApi<ResultList>;
  /** Opens the list of these parameters; the one before is closed when this one is there. */
  open(params: Omit<Params<'result.open'>, 'fields'>): void;
  /** Sets the fields that the first rows of lists opened from now on are read with. */
  readWith(fields: readonly string[]): void;
  close(): void;
}

/** The default columns of the table of events. */
const USUAL_FIELDS: readonly string[] = [
  'src_ip',
  'src_port',
  'dst_ip',
  'dst_port',
  'proto',
  'host',
  'program',
  'summary',
];

export function createResultLists(connection: Engine, asking: Asking): ResultLists {
  const store = createStore<ResultList>(() => EMPTY);
  let running: AbortController | undefined;
  let last: { case: string; result: number } | undefined;
  let key = 0;
  let fields = USUAL_FIELDS;

  function release(list: typeof last): void {
    // An engine that is gone has closed it.
    if (list !== undefined) connection.call('result.close', list).catch(() => undefined);
  }

  return {
    store,
    readWith(next) {
      fields = next;
    },
    open(asked) {
      const params = { ...asked, fields: [...fields] };
      running?.abort();
      const controller = new AbortController();
      running = controller;
      const started = performance.now();
      key += 1;
      const questionKey = key;
      let first: ColumnBatch | undefined;
      let firstMs: number | undefined;
      const show = (found: Partial<ResultList>): void =>
        store.setState({ ...EMPTY, key: questionKey, params, ...found });
      store.setState({ loading: true });
      // Rows that are there stay.
      const ended = asking.begin(() => {
        controller.abort();
        store.setState({ loading: false, error: STOPPED });
      });
      connection
        .call('result.open', params, {
          signal: controller.signal,
          onPart: ({ batch }) => {
            if (controller.signal.aborted) return;
            first = batch;
            firstMs = performance.now() - started;
            show({ first, firstMs, loading: true });
          },
        })
        .then(
          (opened) => {
            const list = { case: params.case, result: opened.result };
            if (controller.signal.aborted) {
              release(list);
              return;
            }
            release(last);
            last = list;
            show({ first, opened, firstMs, elapsedMs: performance.now() - started });
          },
          (error: unknown) => {
            if (controller.signal.aborted) return;
            if (!(error instanceof OperationError)) throw error;
            // Whoever opened this opens it again on a new engine.
            if (error.info.code === 'engine-down') return;
            show({ error: error.info });
          },
        )
        .finally(ended);
    },
    close() {
      running?.abort();
      release(last);
      last = undefined;
      store.setState(EMPTY);
    },
  };
}
