/**
 * Verifying in a separate thread: hashing, SQLite's check and importers would block the engine for other windows.
 */
import {
  CancelledError,
  DaybookError,
  type ErrorCode,
  messageOfError,
} from '../../contract/errors.ts';
import type { VerifyProgress, VerifyReport } from '../../contract/verify-report.ts';
import type { ThreadHandle } from '../../ingest/index.ts';
import type { BuilderOptions } from '../../store/index.ts';
import { CaseSession } from '../../search/index.ts';
import type { EvidenceTools } from './check-evidence.ts';
import type { SampleSize } from './read-back.ts';
import { verifyCase } from './verify-case.ts';

/** Interval at which a thread reports its progress. */
const PROGRESS_MS = 100;
/** A thread that does not stop on request is terminated after this: its read gets no answer. */
const PATIENCE_MS = 2_000;

interface VerifyTask {
  readonly folder: string;
  readonly repair: boolean;
  readonly sample: SampleSize | undefined;
  /** DuckDB's limit for reading. */
  readonly memoryLimit: number;
  readonly threads: number;
  /** DuckDB's settings for repairing. */
  readonly builder: BuilderOptions;
}

export type ToVerify = { type: 'begin'; task: VerifyTask } | { type: 'stop' };

export type FromVerify =
  | { type: 'progress'; progress: VerifyProgress }
  | { type: 'done'; report: VerifyReport }
  | { type: 'failed'; code: string; message: string; hint: string | undefined };

interface VerifyPort {
  post(message: FromVerify): void;
  onMessage(handler: (message: ToVerify) => void): void;
}

/** Runs the thread's side: one task. */
export function runVerify(port: VerifyPort, tools: EvidenceTools): void {
  const stopping = new AbortController();
  port.onMessage((message) => {
    if (message.type === 'stop') {
      stopping.abort();
      return;
    }
    verifyFolder(message.task, tools, stopping.signal, (progress) =>
      port.post({ type: 'progress', progress }),
    ).then(
      (report) => port.post({ type: 'done', report }),
      (error: unknown) => {
        const known = error instanceof DaybookError ? error : undefined;
        port.post({
          type: 'failed',
          code: known?.code ?? 'internal',
          message: messageOfError(error),
          hint: known?.hint,
        });
      },
    );
  });
}

async function verifyFolder(
  { folder, repair, sample, memoryLimit, threads, builder }: VerifyTask,
  tools: EvidenceTools,
  signal: AbortSignal,
  tell: (progress: VerifyProgress) => void,
): Promise<VerifyReport> {
  const session = CaseSession.openDamaged(folder, { memoryLimit, threads });
  let reportedAt = -Infinity;
  let phase = '';
  try {
    return await verifyCase(session, {
      ...{ repair, sample, builder, tools, signal },
      onProgress: (progress) => {
        const now = performance.now();
        if (progress.phase === phase && now - reportedAt < PROGRESS_MS) return;
        reportedAt = now;
        phase = progress.phase;
        tell(progress);
      },
    });
  } finally {
    await session.close();
  }
}

/**
 * Has `thread` verify a case, and ends it.
 * @throws DaybookError cancelled; whatever opening the case throws
 */
export async function verifyOn(
  thread: ThreadHandle<ToVerify, FromVerify>,
  task: VerifyTask,
  signal: AbortSignal | undefined,
  onProgress: (progress: VerifyProgress) => void,
): Promise<VerifyReport> {
  const { promise, resolve, reject } = Promise.withResolvers<VerifyReport>();
  thread.onExit((error) =>
    reject(
      signal?.aborted === true
        ? new CancelledError()
        : new DaybookError('internal', `verify: ${error?.message ?? 'its thread has ended'}`),
    ),
  );
  thread.onMessage((message) => {
    switch (message.type) {
      case 'progress':
        onProgress(message.progress);
        break;
      case 'done':
        resolve(message.report);
        break;
      case 'failed':
        reject(
          message.code === 'cancelled'
            ? new CancelledError()
            : new DaybookError(message.code as ErrorCode, message.message, message.hint),
        );
        break;
    }
  });
  let ending: NodeJS.Timeout | undefined;
  const stop = (): void => {
    thread.post({ type: 'stop' });
    ending = setTimeout(() => thread.stop(), PATIENCE_MS);
  };
  thread.post({ type: 'begin', task });
  if (signal?.aborted === true) stop();
  signal?.addEventListener('abort', stop);
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', stop);
    clearTimeout(ending);
    thread.release();
  }
}
