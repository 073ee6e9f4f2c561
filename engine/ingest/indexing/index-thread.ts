/**
 * The indexing thread: takes rows of parts as they are imported and writes the side file of each part's segment. A
 * failure here costs speed, never an event: the segment is then scanned.
 */
import { messageOfError } from '../../contract/errors.ts';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { Kind } from '../../contract/event.ts';
import { SegmentIndexBuilder } from '../../index/builders.ts';
import type { IndexRows } from '../../index/rows.ts';
import { writeSideFile } from '../../index/side-file.ts';
import type { BuiltIndex, FromIndexer, RowsMessage, ToIndexer } from './index-protocol.ts';
import { RowKeys } from './row-keys.ts';

interface IndexerPort {
  post(message: FromIndexer): void;
  onMessage(handler: (message: ToIndexer) => void): void;
}

/** Writes the side file of one segment as its rows arrive. */
export class IndexWriter {
  private readonly builder: SegmentIndexBuilder;
  private readonly keys = new RowKeys();

  constructor(kind: Kind) {
    this.builder = new SegmentIndexBuilder(kind);
  }

  get rows(): number {
    return this.keys.length;
  }

  add(rows: IndexRows): void {
    this.keys.add(rows);
    this.builder.add(rows);
  }

  /** @param sorted rows arrived in the segment's order */
  finish(path: string, sorted: boolean): BuiltIndex {
    const order = sorted ? undefined : this.keys.order(this.builder.times);
    const sections = this.builder.finish(order);
    const bytes = writeSideFile(path, this.rows, sections);
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    return { path, bytes, sha256 };
  }
}

/** Runs an indexing thread on `port` until it is terminated. */
export function runIndexer(port: IndexerPort): void {
  const open = new Map<string, IndexWriter | Error>();
  port.onMessage((message) => {
    const { part } = message;
    const rows = open.get(part);
    switch (message.type) {
      case 'rows':
        try {
          if (rows instanceof Error) break;
          const writer = rows ?? new IndexWriter(message.kind);
          open.set(part, writer);
          writer.add(rowsFrom(message.kind, message.rows));
        } catch (error) {
          open.set(part, error instanceof Error ? error : new Error(String(error)));
        } finally {
          port.post({ type: 'taken' });
        }
        break;
      case 'finish':
        open.delete(part);
        try {
          if (rows === undefined) throw new Error('the part has no rows');
          if (rows instanceof Error) throw rows;
          const index = rows.finish(`${part}.idx`, message.sorted);
          port.post({ type: 'built', part, index });
        } catch (error) {
          rmSync(`${part}.idx`, { force: true });
          const why = messageOfError(error);
          port.post({ type: 'failed', part, message: why });
        }
        break;
      case 'drop':
        open.delete(part);
        break;
    }
  });
}

function rowsFrom(kind: Kind, { length, texts, numbers, ip6, cut }: RowsMessage): IndexRows {
  return {
    kind,
    length,
    texts: new Map(texts),
    numbers: new Map(numbers),
    ip6: new Map(ip6),
    cut,
  };
}
