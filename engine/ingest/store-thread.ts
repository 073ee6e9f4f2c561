/**
 * The storing thread of an import worker: takes batches, stores them in the parts of a chunk, and has them indexed.
 * What fails here fails the import.
 */
import { diskError } from '../base/files.ts';
import { DaybookError } from '../contract/errors.ts';
import { DayParts } from './day-parts.ts';
import { IndexFeed, type IndexerHandle } from './index-feed.ts';
import { borrowed, memoryOf } from './lent-batch.ts';
import { Loan } from './shared-memory.ts';
import type { FromStorer, ToStorer } from './store-protocol.ts';

export interface StorerPort {
  post(message: FromStorer): void;
  onMessage(handler: (message: ToStorer) => void): void;
}

/**
 * Runs a storing thread on `port`: for one import after the other, each from `start` to `end`.
 * @param startIndexer starts a thread that builds indexes; it may be to give way to other work
 */
export function runStorer(
  port: StorerPort,
  startIndexer: (background: boolean) => IndexerHandle,
): void {
  let storer: Storer | undefined;
  port.onMessage((message) => {
    try {
      if (message.type === 'start') storer = new Storer(port, message, startIndexer);
      else storer?.heard(message);
    } catch (error) {
      storer?.abandon();
      storer = undefined;
      const known = error instanceof DaybookError ? error : diskError(error);
      port.post({
        type: 'failed',
        code: known?.code ?? 'internal',
        message: known?.message ?? (error instanceof Error ? error.message : String(error)),
        hint: known?.hint,
      });
    }
  });
}

class Storer {
  private readonly port: StorerPort;
  private readonly feed: IndexFeed;
  private readonly parts: DayParts;

  constructor(
    port: StorerPort,
    start: Extract<ToStorer, { type: 'start' }>,
    startIndexer: (background: boolean) => IndexerHandle,
  ) {
    this.port = port;
    const { staging, prefix, indexRows, indexers, background } = start;
    this.feed = new IndexFeed(
      () => startIndexer(background),
      indexers,
      indexRows,
      (part, index) => port.post({ type: 'indexed', part, index }),
    );
    this.parts = new DayParts(staging, prefix, start, this.feed);
  }

  heard(message: Exclude<ToStorer, { type: 'start' }>): void {
    switch (message.type) {
      case 'rows':
        this.take(message);
        break;
      case 'finish':
        this.port.post({ type: 'parts', parts: this.parts.finish() });
        break;
      case 'abandon':
        this.parts.abandon();
        break;
      case 'end':
        void this.feed.release().then(() => this.port.post({ type: 'ended' }));
        break;
    }
  }

  abandon(): void {
    this.parts.abandon();
  }

  private take({ id, batch, source, days }: Extract<ToStorer, { type: 'rows' }>): void {
    const loan = new Loan(memoryOf(batch), () => this.port.post({ type: 'taken', id }));
    this.parts.add(borrowed(batch), source, days, loan);
    loan.letGo();
  }
}
