/**
 * Progress of an import for people: at most ten times a second, with the rates of the last seconds
 * and the time that is left if they hold.
 */
import type { Part } from '../../contract/operations.ts';

export type MeteredProgress = Extract<Part<'import.start'>, { progress: unknown }>['progress'];
/** Counts that the import itself reports. */
export type Counted = Omit<
  MeteredProgress,
  'elapsedMs' | 'bytesPerSecond' | 'rowsPerSecond' | 'etaMs'
>;

const INTERVAL_MS = 100;
/** Rates are the mean over this time. */
const WINDOW_MS = 5_000;
/** No remaining time is estimated before this. */
const WARM_UP_MS = 1_000;

interface Sample {
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
}

export class ProgressMeter {
  /** The progress reported last. */
  last: MeteredProgress | undefined;
  private readonly tell: (progress: MeteredProgress) => void;
  private readonly now: () => number;
  private readonly startedAt: number;
  private readonly samples: Sample[] = [];
  private waiting: Counted | undefined;
  private timer: NodeJS.Timeout | undefined;
  private toldAt = -Infinity;

  constructor(
    tell: (progress: MeteredProgress) => void,
    now: () => number = () => performance.now(),
  ) {
    this.tell = tell;
    this.now = now;
    this.startedAt = now();
    this.samples.push({ at: this.startedAt, bytes: 0, rows: 0 });
  }

  /** Takes the newest state; it is reported immediately, or when the last report is old enough. */
  update(progress: Counted): void {
    this.waiting = progress;
    const wait = this.toldAt + INTERVAL_MS - this.now();
    // Another phase is reported immediately: its next report may take long.
    if (wait <= 0 || progress.phase !== this.last?.phase) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), wait);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = undefined;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const progress = this.waiting;
    if (progress === undefined) return;
    this.waiting = undefined;
    const at = this.now();
    this.toldAt = at;
    const { bytes, rows } = progress;
    this.samples.push({ at, bytes, rows });
    while (this.samples.length > 2 && this.samples[1]!.at <= at - WINDOW_MS) this.samples.shift();
    const first = this.samples[0]!;
    const seconds = Math.max((at - first.at) / 1000, 1e-3);
    const bytesPerSecond = Math.max(0, bytes - first.bytes) / seconds;
    const rowsPerSecond = Math.max(0, rows - first.rows) / seconds;
    const elapsedMs = at - this.startedAt;
    const hasRate =
      progress.phase === 'reading' && elapsedMs >= WARM_UP_MS && bytesPerSecond > 0 && bytes > 0;
    this.last = {
      ...progress,
      elapsedMs,
      bytesPerSecond,
      rowsPerSecond,
      ...(hasRate
        ? { etaMs: (Math.max(0, progress.totalBytes - bytes) / bytesPerSecond) * 1000 }
        : {}),
    };
    this.tell(this.last);
  }
}
