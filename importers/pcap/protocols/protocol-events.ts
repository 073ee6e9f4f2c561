/** Writes protocol events, derived from the packets of a capture. */
import { PROTOCOL_SEQ, type CutText } from '../../../engine/contract/event.ts';
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { FileReceiver, FileTaker } from '../../../engine/evidence/carried-files.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import type { Endpoints, MessageSink, ProtocolKind, ProtocolMessage } from './messages.ts';

/** Increment it when the same packets would give other events. */
const VERSION = 11;

export class ProtocolEvents implements MessageSink {
  private readonly sink: EventSink;
  private readonly files: FileTaker | undefined;
  private readonly batches = new Map<ProtocolKind, EventBatch>();
  private count = 0;
  /** Bytes of exported flows whose template never arrived. */
  unreadExportBytes = 0;

  constructor(sink: EventSink, files: FileTaker | undefined) {
    this.sink = sink;
    this.files = files;
  }

  file(ends: Endpoints, isFromClient: boolean): FileReceiver | undefined {
    return this.files?.begin(ends.flow, isFromClient);
  }

  unreadExports(bytes: number): void {
    this.unreadExportBytes += bytes;
  }

  message(ends: Endpoints, message: ProtocolMessage): number {
    const batch = this.batch(message.kind);
    const row = batch.length;
    this.count += 1;
    const seq = -(PROTOCOL_SEQ + this.count);
    batch.seq.set(row, seq);
    const { micros, nanos, digits } = message.at;
    if (micros === micros) {
      batch.ts.set(row, micros);
      batch.ts_ns.set(row, nanos);
      batch.ts_digits.set(row, digits);
    }
    this.ends(batch, row, ends);
    batch.service.setString(row, message.service ?? message.kind);
    batch.event_type.setString(row, message.type);
    batch.message.setString(row, message.text);
    const { numbers = {} } = message;
    for (const [name, value] of Object.entries(numbers))
      if (value !== undefined) batch[name as keyof typeof numbers].set(row, value);
    let size = message.text.length;
    const { columns, attributes } = message;
    for (const name in columns) {
      const value = columns[name];
      if (value === undefined) continue;
      size += value.length;
      batch.cutText(name as CutText).setString(row, value);
    }
    batch.cutText('extractor').setString(row, `${message.kind}/${VERSION}`);
    for (const name in attributes) {
      const value = attributes[name];
      if (value === undefined) continue;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      size += text.length;
      batch.setAttribute(name, text);
    }
    batch.endRow(size);
    return seq;
  }

  private ends(batch: EventBatch, row: number, ends: Endpoints): void {
    const { client, server } = ends;
    if (client.length === 4) batch.src_ip4.set(row, number4(client));
    else if (client.length === 16) batch.setSource6(row, client, 0);
    if (server.length === 4) batch.dst_ip4.set(row, number4(server));
    else if (server.length === 16) batch.setTarget6(row, server, 0);
    if (ends.clientPort >= 0) batch.src_port.set(row, ends.clientPort);
    if (ends.serverPort >= 0) batch.dst_port.set(row, ends.serverPort);
    if (ends.proto >= 0) batch.proto.set(row, ends.proto);
    if (ends.vlan >= 0) batch.vlan.set(row, ends.vlan);
    if (ends.flow > 0) batch.flow_id.set(row, ends.flow);
  }

  private batch(kind: ProtocolKind): EventBatch {
    let batch = this.batches.get(kind);
    if (batch === undefined) {
      batch = this.sink.batch(kind);
      batch.isDerived = true;
      this.batches.set(kind, batch);
    }
    return batch;
  }
}

function number4(bytes: Uint8Array): number {
  return ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> 0;
}
