/**
 * Maintenance in a separate thread: merging and indexing would block the engine for a tenth of a second and more.
 */
import { IdleSlot } from '../../util/idle-slot.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import type { ThreadHandle } from '../../ingest/index.ts';
import { endDuckdb, type IdleDuckdb } from '../../store/index.ts';
import {
  maintainCase,
  type Pause,
  type MaintenanceOptions,
  type MaintenanceTask,
} from './background-maintenance.ts';

/** How long a thread's DuckDB stays available for the next task. */
const KEPT_MS = 60_000;

/** A task as sent to the thread. */
type SentTask = Pick<MaintenanceOptions, 'memoryLimit' | 'threads'> &
  Omit<MaintenanceTask, 'pause' | 'signal'>;

export type ToMaintenance =
  | ({ type: 'begin'; folder: string } & SentTask)
  /** The requested pause has begun. */
  | { type: 'paused' }
  /** To leave the rest undone. */
  | { type: 'stop' };

export type FromMaintenance =
  /** Waits until no import runs, and, if it is to last, none has for a while. */
  | { type: 'pause'; lasting: boolean }
  /** @param made segments, side files and rollups */
  | { type: 'done'; made: number }
  | { type: 'failed'; why: string };

interface MaintenancePort {
  post(message: FromMaintenance): void;
  onMessage(handler: (message: ToMaintenance) => void): void;
}

/** Runs the thread's side: one task after the other. */
export function runMaintenance(port: MaintenancePort): void {
  const kept = new IdleSlot<IdleDuckdb>(KEPT_MS, endDuckdb);
  let paused = Promise.withResolvers<void>();
  let stopping = new AbortController();
  const pause: Pause = async (lasting) => {
    paused = Promise.withResolvers();
    port.post({ type: 'pause', lasting });
    await paused.promise;
  };
  port.onMessage((message) => {
    if (message.type !== 'begin') {
      if (message.type === 'stop') stopping.abort(new CancelledError());
      paused.resolve();
      return;
    }
    const { type: _, folder, ...task } = message;
    stopping = new AbortController();
    maintainCase(folder, { ...task, pause, kept, signal: stopping.signal }).then(
      (made) => port.post({ type: 'done', made }),
      (error: unknown) => port.post({ type: 'failed', why: String(error) }),
    );
  });
}

/**
 * Has `thread` do the deferred work of the case in `folder`, and releases it.
 * @returns how many segments, side files and rollups were made
 */
export function maintainOn(
  thread: ThreadHandle<ToMaintenance, FromMaintenance>,
  folder: string,
  { pause, signal, ...task }: SentTask & Pick<MaintenanceTask, 'pause' | 'signal'>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const failed = (why: string) => reject(new DaybookError('internal', `maintenance: ${why}`));
  // A thread that has done its work sends no more messages.
  thread.onExit((error) => failed(error?.message ?? 'its thread has ended'));
  thread.onMessage((message) => {
    switch (message.type) {
      case 'pause':
        void pause(message.lasting).then(() => thread.post({ type: 'paused' }));
        break;
      case 'done':
        resolve(message.made);
        thread.release();
        break;
      case 'failed':
        failed(message.why);
        thread.release();
        break;
    }
  });
  thread.post({ type: 'begin', folder, ...task });
  const stop = () => thread.post({ type: 'stop' });
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop);
  return promise.finally(() => signal?.removeEventListener('abort', stop));
}
