/**
 * Questions that a process asks itself while nobody asks any: the first ones take several times as long as those
 * after them, because what answers them runs for the first time. They are about one segment of the case that was
 * opened, once in a process.
 *
 * Holds always: nothing is written, not into the log of operations either; the session that people's questions use is
 * not touched, so what it keeps in memory is what they asked for; it stops as soon as anything is asked, and goes on
 * when nothing is.
 */
import { cell, type ColumnBatch } from '../contract/column-batch.ts';
import type { StoreOptions } from '../store/ready-instance.ts';
import { CaseSession, type Snapshot } from './case-session.ts';
import type { Client } from './handler.ts';
import { openList } from './open-results.ts';
import { timeline } from './timeline.ts';

/** For so long nobody asks anything before it begins. */
const QUIET_MS = 150;
/** Enough for the code to be compiled that looks up rows and reads them. */
const MOST_WORDS = 12;
/** Who asks again and again has the code run anyway. */
const MOST_TRIES = 5;
const FIRST = 200;
const BARS = 30;
/** The smallest segment that is cut into pieces as large ones are. */
const LARGE = 100_000;

export class Rehearsal {
  private readonly options: () => StoreOptions;
  private isOver = false;
  private tries = 0;
  private waiting: NodeJS.Timeout | undefined;
  /** The case to begin with once what was stopped has ended. */
  private next: string | undefined;
  private running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(options: () => StoreOptions) {
    this.options = options;
  }

  /** Something is asked. */
  pause(): void {
    clearTimeout(this.waiting);
    this.next = undefined;
    this.running?.stop.abort();
  }

  /** Nothing is asked any more; what was last was about the case in `folder`. */
  mayBegin(folder: string): void {
    if (this.isOver) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.begin(folder), QUIET_MS).unref();
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    this.isOver = true;
    this.pause();
    await this.running?.ended;
  }

  private begin(folder: string): void {
    if (this.isOver) return;
    if (this.running !== undefined) {
      this.next = folder;
      return;
    }
    this.next = undefined;
    this.tries += 1;
    const stop = new AbortController();
    const work = async (): Promise<void> => {
      // A case that cannot be read is told of to who asks about it.
      const isDone = await rehearse(folder, this.options(), stop.signal).catch(() => true);
      this.isOver ||= (isDone && !stop.signal.aborted) || this.tries === MOST_TRIES;
      this.running = undefined;
      if (this.next !== undefined) this.begin(this.next);
    };
    this.running = { stop, ended: work() };
  }
}

/** Resolves to whether there was something to ask about. */
async function rehearse(
  folder: string,
  options: StoreOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const session = CaseSession.open(folder, options, undefined, 'keeps no records');
  try {
    const segment = rehearsed(session.snapshot());
    if (segment === undefined) return false;
    const client: Client = { kept: new Map() };
    const range = { from: segment.minTs, to: segment.maxTs, zone: 'UTC' };
    /** As a window asks: a list's first rows, and bars. */
    const look = async (query: string): Promise<ColumnBatch | undefined> => {
      let batch: ColumnBatch | undefined;
      const asked = { ...range, query: `kind:${segment.kind} ${query}` };
      const fields = ['ts', 'host', 'program', 'summary'];
      const both = [
        openList(
          session,
          folder,
          { ...asked, fields, first: FIRST },
          client,
          signal,
          async (one) => {
            batch ??= one;
          },
        ),
        timeline(session, { ...asked, buckets: BARS, most: 1 }, signal),
      ];
      // Where one fails or is stopped, the other still reads: it is not to be closed below it.
      await Promise.allSettled(both);
      await Promise.all(both);
      for (const kept of client.kept.values()) kept.dispose();
      client.kept.clear();
      return batch;
    };
    const first = await look('');
    const words = first === undefined ? [] : wordsIn(first);
    for (const [i, word] of words.entries()) {
      await look(word);
      await look(`${word} ${words[words.length - 1 - i]!}`);
      await look(i % 2 === 0 ? `${word.slice(0, -1)}*` : `*${word.slice(1)}`);
    }
    return true;
  } finally {
    await session.close();
  }
}

/** The smallest of the large segments, else the largest. */
function rehearsed({ segments }: Snapshot): Snapshot['segments'][number] | undefined {
  const some = segments.filter(({ mapped, minTs }) => mapped && minTs !== undefined);
  const bySize = some.toSorted((a, b) => a.rows - b.rows);
  return bySize.find(({ rows }) => rows >= LARGE) ?? bySize.at(-1);
}

/** Words of the last column of some rows, no two alike. */
function wordsIn(batch: ColumnBatch): string[] {
  const column = batch.columns.at(-1);
  const words = new Set<string>();
  if (column === undefined) return [];
  for (let row = 0; row < batch.rows && words.size < MOST_WORDS; row++) {
    const text = cell(column, row);
    if (typeof text !== 'string') continue;
    // One of each row, another each time.
    const all = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
    const own = all.filter((word) => /^[a-z]{4,}$/u.test(word) && !words.has(word));
    if (own.length > 0) words.add(own[row % own.length]!);
  }
  return [...words];
}
