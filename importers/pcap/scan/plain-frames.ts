/**
 * Fills the columns of plain frames many at a time, each in its own loop. Other frames are left to `decode.ts`, and
 * columns are what it would have written.
 */
import type { CodedColumn } from '../../../engine/columns/columns.ts';
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import { u16 } from '../bytes.ts';
import { codedNumber, codedType, codeOfLink } from '../packets/dictionary-columns.ts';
import type { Circuit, Writes } from '../packets/packet-writes.ts';
import { FRAME_RELAY, LINK_ONLY, SUN_ATM, dlciOf, shortAddress } from './plain-links.ts';
import type { FoundRecords } from '../formats/records.ts';
import type { ClassifiedFrames } from './fast-path-classify.ts';

export class PlainFrames {
  private readonly writes: Writes;
  private readonly batch: EventBatch;
  private readonly type: CodedColumn | undefined;
  private readonly circuits: Record<Circuit, CodedColumn | undefined>;
  private readonly wanted: Readonly<Record<Circuit, boolean>>;
  private readonly classified: ClassifiedFrames;

  constructor(writes: Writes, batch: EventBatch, classified: ClassifiedFrames) {
    this.writes = writes;
    this.batch = batch;
    this.classified = classified;
    this.type = writes.type ? codedType(batch) : undefined;
    const [dlci, vpi, vci] = (['dlci', 'vpi', 'vci'] as const).map((name) => writes.wants(name));
    this.wanted = { dlci: dlci === true, vpi: vpi === true, vci: vci === true };
    this.circuits = { dlci: undefined, vpi: undefined, vci: undefined };
  }

  /** The column for a circuit's number if it is requested; made at the first one. */
  private circuit(name: Circuit): CodedColumn | undefined {
    const known = this.circuits[name];
    if (known !== undefined || !this.wanted[name]) return known;
    return (this.circuits[name] = codedNumber(this.batch, name));
  }

  /**
   * Circuits, if nothing else of the frames is requested. False, without writing, if the general decoder is needed.
   */
  links(
    linkType: number,
    bytes: Uint8Array,
    { frames, ends }: FoundRecords,
    n: number,
    row: number,
  ): boolean {
    if (!this.writes.linkOnly) return false;
    switch (linkType) {
      case SUN_ATM:
        for (let i = 0; i < n; i++) if (ends[i]! - frames[i]! < 4) return false;
        this.atmCircuits(bytes, frames, n, row);
        return true;
      case FRAME_RELAY:
        for (let i = 0; i < n; i++) {
          const at = frames[i]!;
          if (ends[i]! - at < 4 || !shortAddress(bytes, at)) return false;
        }
        this.relayCircuits(bytes, frames, n, row);
        return true;
      default:
        return false;
    }
  }

  private atmCircuits(bytes: Uint8Array, frames: Int32Array, n: number, row: number): void {
    const vpi = this.circuit('vpi');
    if (vpi !== undefined) {
      const { values } = vpi;
      for (let i = 0; i < n; i++) values[row + i] = bytes[frames[i]! + 1]!;
      vpi.present.fill(1, row, row + n);
    }
    const vci = this.circuit('vci');
    if (vci !== undefined) {
      const { values } = vci;
      for (let i = 0; i < n; i++) values[row + i] = u16(bytes, frames[i]! + 2);
      vci.present.fill(1, row, row + n);
    }
  }

  private relayCircuits(bytes: Uint8Array, frames: Int32Array, n: number, row: number): void {
    const dlci = this.circuit('dlci');
    if (dlci === undefined) return;
    const { values } = dlci;
    for (let i = 0; i < n; i++) values[row + i] = dlciOf(bytes, frames[i]!);
    dlci.present.fill(1, row, row + n);
  }

  /** Writes the columns of the plain ones of the `n` frames that were classified, frame i into row `row + i`. */
  take(
    linkType: number,
    bytes: Uint8Array,
    n: number,
    { frames }: FoundRecords,
    row: number,
  ): void {
    const { owned, links } = this.classified;
    this.columns(bytes, n, row);
    this.words(links, row);
    if (linkType === FRAME_RELAY)
      this.circuitOf('dlci', owned, links, row, (i) => dlciOf(bytes, frames[i]!));
    else if (linkType === SUN_ATM) {
      this.circuitOf('vpi', owned, links, row, (i) => bytes[frames[i]! + 1]!);
      this.circuitOf('vci', owned, links, row, (i) => u16(bytes, frames[i]! + 2));
    }
  }

  /** The columns of the frames with plain IP among the first `n`, as classified. */
  private columns(bytes: Uint8Array, n: number, row: number): void {
    const { writes, batch, type, classified } = this;
    const { protocols, plainRows, owned, owned4, hasIp, hasIp4, hasPorts, hasTcp } = classified;
    if (owned === 0) return;
    if (writes.sources) put(batch.src_ip4, row, n, classified.sources, hasIp4);
    if (writes.targets) put(batch.dst_ip4, row, n, classified.targets, hasIp4);
    if (owned4 < owned) this.longAddresses(bytes, row);
    if (writes.proto) put(batch.proto, row, n, protocols, hasIp);
    if (type !== undefined) {
      for (let j = 0; j < owned; j++) type.set(row + plainRows[j]!, protocols[plainRows[j]!]!);
    }
    if (writes.sourcePort) put(batch.src_port, row, n, classified.sourcePorts, hasPorts);
    if (writes.targetPort) put(batch.dst_port, row, n, classified.targetPorts, hasPorts);
    if (writes.tcpFlags) put(batch.tcp_flags, row, n, classified.tcpFlags, hasTcp);
  }

  private longAddresses(bytes: Uint8Array, row: number): void {
    const { batch, writes } = this;
    const { networks, plainRows, owned, hasIp4 } = this.classified;
    for (let j = 0; j < owned; j++) {
      const i = plainRows[j]!;
      if (hasIp4[i] === 1) continue;
      const at = networks[i]!;
      if (writes.sources) batch.setSource6(row + i, bytes, at + 8);
      if (writes.targets) batch.setTarget6(row + i, bytes, at + 24);
    }
  }

  /** The words of frames that end with their link layer. */
  private words(links: number, row: number): void {
    const { type } = this;
    const { linked, networks } = this.classified;
    if (type === undefined) return;
    for (let j = 0; j < links; j++) {
      const i = linked[j]!;
      type.set(row + i, codeOfLink(LINK_ONLY - networks[i]!));
    }
  }

  /** The number of a circuit of the frames that are not left. */
  private circuitOf(
    name: Circuit,
    plain: number,
    links: number,
    row: number,
    numberOf: (i: number) => number,
  ): void {
    if (plain + links === 0) return;
    const column = this.circuit(name);
    if (column === undefined) return;
    const { values, present } = column;
    const { plainRows, linked } = this.classified;
    for (let j = 0; j < plain; j++) {
      const i = plainRows[j]!;
      values[row + i] = numberOf(i);
      present[row + i] = 1;
    }
    for (let j = 0; j < links; j++) {
      const i = linked[j]!;
      values[row + i] = numberOf(i);
      present[row + i] = 1;
    }
  }
}

/** Sets the `n` rows from `row` on, which are still empty, to the first `n` of `values` where `has` is 1. */
function put<T extends Uint8Array | Uint16Array | Uint32Array>(
  column: { readonly values: T; readonly present: Uint8Array },
  row: number,
  n: number,
  values: T,
  has: Uint8Array,
): void {
  const isAll = n === values.length;
  column.values.set(isAll ? values : values.subarray(0, n), row);
  column.present.set(isAll ? has : has.subarray(0, n), row);
}
