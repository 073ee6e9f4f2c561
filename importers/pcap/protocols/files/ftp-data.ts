/** A connection that carries a file of FTP, as agreed on in the control connection. */
import { CarriedFile } from './carried-file.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser } from '../messages.ts';

/** The latest state of the control connection. */
export interface Transfers {
  command: { readonly name: string; readonly argument: string } | undefined;
  user: string | undefined;
  /** Size of the file, if the server has stated it. */
  total: number | undefined;
  /** Place in the file from which on it is transferred. */
  from?: number;
}

const UPLOADS: ReadonlySet<string> = new Set(['STOR', 'STOU', 'APPE']);

export class FtpData implements StreamParser {
  readonly service = 'ftp-data';
  isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly transfers: Transfers;
  private readonly isFromStart: boolean;
  private file: CarriedFile | undefined;
  private name = '';
  private from = 0;
  private isUpload = false;
  private isAppended = false;

  /** @param isFromStart whether no byte preceded the first one that is passed */
  constructor(ends: Endpoints, sink: MessageSink, transfers: Transfers, isFromStart: boolean) {
    this.isFromStart = isFromStart;
    this.ends = ends;
    this.sink = sink;
    this.transfers = transfers;
  }

  get heldBytes(): number {
    return this.file?.heldBytes ?? 0;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    if (this.isDone) return;
    if (this.file === undefined) {
      const { command, from = 0 } = this.transfers;
      if (command === undefined) {
        this.isDone = true;
        return;
      }
      this.isUpload = UPLOADS.has(command.name);
      this.isAppended = command.name === 'APPE';
      this.transfers.command = undefined;
      this.name = command.argument;
      this.from = from;
      this.transfers.from = 0;
      this.file = new CarriedFile(this.ends, this.sink, at, this.isUpload);
    }
    if (isClient === this.isUpload) this.file.add(bytes.subarray(start, end));
  }

  gap(isClient: boolean, size: number): void {
    if (isClient === this.isUpload) this.file?.skip(size);
  }

  end(isClient: boolean): void {
    if (isClient === this.isUpload) this.close(true);
  }

  finish(): void {
    this.close(false);
  }

  private close(isWhole: boolean): void {
    const { file, from, name, transfers, isFromStart, isAppended } = this;
    this.file = undefined;
    this.isDone = true;
    file?.end({
      ...{ service: 'ftp', name, isWhole, isPart: from > 0 || isAppended || !isFromStart },
      total: this.isUpload || from > 0 ? undefined : transfers.total,
      problem: !isFromStart
        ? 'its beginning may be missing'
        : from > 0
          ? `the part of the file from byte ${from} on`
          : isAppended
            ? 'the part that is appended to the file'
            : undefined,
      columns: { user: transfers.user },
    });
  }
}
