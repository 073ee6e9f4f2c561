/**
 * Writes shell commands into a batch.
 *
 * Invariant: every record is one row; `ts_basis` says what a record does not state about its time.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import { type ByteOffset, type CutText, TS_BASIS } from '../../engine/contract/event.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';

/** A piece of the content. */
export interface Place {
  readonly offset: ByteOffset;
  readonly end: ByteOffset;
}

export interface CommandTime {
  /** Seconds since 1970. */
  readonly seconds: number;
  /** For a time without a zone: seconds that were subtracted from it. */
  readonly offset?: number;
}

export interface Command {
  readonly place: Place;
  readonly time: CommandTime | undefined;
  /** The time is that of a record before it. */
  readonly isInherited: boolean;
  readonly message: string;
  readonly command?: string | undefined;
  readonly user?: string | undefined;
  readonly domain?: string | undefined;
  readonly process?: string | undefined;
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
}

/** Reads the lines of one kind of content. */
export interface CommandReader {
  /** @param bytes a line without its end, valid during the call */
  line(bytes: Buffer, place: Place): void;
  /** No line follows. */
  end(): void;
}

export class Commands {
  readonly sink: EventSink;
  private readonly batch: EventBatch;
  private seq = 0;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.batch = sink.batch('log');
  }

  add({ place, time, isInherited, message, ...said }: Command): void {
    const { batch } = this;
    const row = batch.length;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, place.offset);
    batch.record_length.set(row, place.end - place.offset);
    if (time !== undefined) {
      const { offset } = time;
      batch.ts.set(row, time.seconds * 1e6);
      batch.ts_digits.set(row, 0);
      const decided = offset === undefined ? 0 : TS_BASIS.zoneDecided;
      batch.ts_basis.set(row, decided | (isInherited ? TS_BASIS.inherited : 0));
      if (offset !== undefined) batch.tz_offset.set(row, offset);
    }
    batch.message.setString(row, message);
    batch.cutText('category').setString(row, 'process');
    const { command, user, domain: user_domain, process } = said;
    for (const [name, value] of Object.entries({ command, user, user_domain, process }))
      if (value) batch.cutText(name as CutText).setString(row, value);
    if (said.host) batch.host.setString(row, said.host);
    if (said.pid !== undefined) batch.pid.set(row, said.pid);
    for (const [name, value] of Object.entries(said.attributes ?? {}))
      if (value !== undefined) batch.setAttribute(name, value);
    batch.endRow();
    this.sink.record(1);
  }
}
