/** A progress line on the terminal; silent when standard error is not one. */
import { counted } from '../../engine/contract/words/counted.ts';
import { count, size, visible, type Streams } from './output.ts';

interface Progress {
  bytes: number;
  totalBytes: number;
  rows?: number;
  source: string;
  phase: string;
  /** The unit of `bytes`, if it is not bytes. */
  unit?: string;
}

const INTERVAL_MS = 100;

export class ProgressLine {
  private readonly streams: Streams;
  private readonly started = performance.now();
  private last = 0;
  private shown = false;

  constructor(streams: Streams) {
    this.streams = streams;
  }

  update(progress: Progress): void {
    if (this.streams.err.isTTY !== true) return;
    const now = performance.now();
    if (now - this.last < INTERVAL_MS) return;
    this.last = now;
    const seconds = Math.max((now - this.started) / 1000, 0.001);
    const rate = progress.bytes / seconds;
    const share = progress.totalBytes > 0 ? Math.min(1, progress.bytes / progress.totalBytes) : 0;
    const left = rate > 0 ? Math.max(0, (progress.totalBytes - progress.bytes) / rate) : 0;
    const parts = [
      progress.phase,
      `${Math.round(share * 100)} %`,
      progress.rows === undefined ? '' : counted(progress.rows, 'row'),
      `${progress.unit === undefined ? size(rate) : `${count(Math.round(rate))} ${progress.unit}s`}/s`,
      share > 0 && share < 1 ? `${Math.ceil(left)} s left` : '',
      visible(progress.source),
    ];
    const width = (this.streams.err.columns ?? 80) - 1;
    const text = parts.filter((part) => part !== '').join(' · ');
    this.streams.err.write(`\r\u001b[K${text.slice(0, width)}`);
    this.shown = true;
  }

  clear(): void {
    if (this.shown) this.streams.err.write('\r\u001b[K');
    this.shown = false;
  }
}
