/**
 * The columns of plain frames, many at a time: each is filled in a loop of its own. Whatever else is met is
 * left to `decode.ts`, and columns are what it would have written.
 */
import type { CodedColumn, EventBatch } from '../../engine/contract/event-batch.ts';
import { u16 } from './bytes.ts';
import { codedNumber, codedType, codeOfLink } from './coded.ts';
import type { Circuit, Writes } from './packet-events.ts';
import { FRAME_RELAY, LINK_ONLY, SUN_ATM, dlciOf, shortAddress } from './plain-links.ts';
import type { FoundRecords } from './records.ts';
import type { SortedFrames } from './sorted-frames.ts';

const TCP = 6;
const UDP = 17;

export class PlainFrames {
  private readonly writes: Writes;
  private readonly batch: EventBatch;
  private readonly type: CodedColumn | undefined;
  private readonly circuits: Record<Circuit, CodedColumn | undefined>;
  private readonly wanted: Readonly<Record<Circuit, boolean>>;
  private readonly sorted: SortedFrames;
  private readonly coded: boolean;

  /** @param coded whether texts are written, as codes; else the caller writes them */
  constructor(writes: Writes, batch: EventBatch, sorted: SortedFrames, coded: boolean) {
    this.writes = writes;
    this.batch = batch;
    this.sorted = sorted;
    this.coded = coded;
    this.type = writes.type && coded ? codedType(batch) : undefined;
    const [dlci, vpi, vci] = (['dlci', 'vpi', 'vci'] as const).map((name) => writes.wants(name));
    this.wanted = { dlci: dlci === true, vpi: vpi === true, vci: vci === true };
    this.circuits = { dlci: undefined, vpi: undefined, vci: undefined };
  }

  /** The column of a circuit's number if it is wanted; made when there is a first one. */
  private circuit(name: Circuit): CodedColumn | undefined {
    const known = this.circuits[name];
    if (known !== undefined || !this.wanted[name]) return known;
    return (this.circuits[name] = codedNumber(this.batch, name));
  }

  /**
   * Circuits, where nothing else of the frames is wanted. False, and nothing is written, when it takes
   * more to tell them.
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

  /** Writes the columns of the plain ones of the frames that were sorted, frame i into row `row + i`. */
  take(
    linkType: number,
    bytes: Uint8Array,
    view: DataView,
    { frames }: FoundRecords,
    row: number,
  ): void {
    const { owned, links } = this.sorted;
    this.columns(bytes, view, owned, row);
    if (!this.coded) return;
    this.words(links, row);
    if (linkType === FRAME_RELAY)
      this.circuitOf('dlci', owned, links, row, (i) => dlciOf(bytes, frames[i]!));
    else if (linkType === SUN_ATM) {
      this.circuitOf('vpi', owned, links, row, (i) => bytes[frames[i]! + 1]!);
      this.circuitOf('vci', owned, links, row, (i) => u16(bytes, frames[i]! + 2));
    }
  }

  /** The columns of frames with plain IP. */
  private columns(bytes: Uint8Array, view: DataView, plain: number, row: number): void {
    const { writes, batch, type } = this;
    const { transports, protocols, own } = this.sorted;
    if (writes.sources) this.addresses(bytes, view, plain, row, 'src', 12, 8);
    if (writes.targets) this.addresses(bytes, view, plain, row, 'dst', 16, 24);
    if (writes.proto) {
      const { values, present } = batch.proto;
      for (let j = 0; j < plain; j++) {
        const i = own[j]!;
        values[row + i] = protocols[i]!;
        present[row + i] = 1;
      }
    }
    if (type !== undefined) {
      for (let j = 0; j < plain; j++) type.set(row + own[j]!, protocols[own[j]!]!);
    }
    if (writes.sourcePort) this.ports(view, plain, row, 'src_port', 0);
    if (writes.targetPort) this.ports(view, plain, row, 'dst_port', 2);
    if (writes.tcpFlags) {
      const { values, present } = batch.tcp_flags;
      for (let j = 0; j < plain; j++) {
        const i = own[j]!;
        if (protocols[i] !== TCP) continue;
        values[row + i] = view.getUint16(transports[i]! + 12) & 0x1ff;
        present[row + i] = 1;
      }
    }
  }

  private addresses(
    bytes: Uint8Array,
    view: DataView,
    plain: number,
    row: number,
    side: 'src' | 'dst',
    at4: number,
    at6: number,
  ): void {
    const { batch } = this;
    const { networks, own } = this.sorted;
    const { values, present } = batch[`${side}_ip4`];
    const long = batch[`${side}_ip6`];
    for (let j = 0; j < plain; j++) {
      const i = own[j]!;
      const at = networks[i]!;
      if (view.getUint8(at) >>> 4 === 4) {
        values[row + i] = view.getUint32(at + at4);
        present[row + i] = 1;
      } else long.set(row + i, bytes, at + at6);
    }
  }

  private ports(
    view: DataView,
    plain: number,
    row: number,
    name: 'src_port' | 'dst_port',
    offset: number,
  ): void {
    const { transports, protocols, own } = this.sorted;
    const { values, present } = this.batch[name];
    for (let j = 0; j < plain; j++) {
      const i = own[j]!;
      if (protocols[i] !== TCP && protocols[i] !== UDP) continue;
      values[row + i] = view.getUint16(transports[i]! + offset);
      present[row + i] = 1;
    }
  }

  /** What the frames that end with their link have. */
  private words(links: number, row: number): void {
    const { type } = this;
    const { linked, networks } = this.sorted;
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
    const { own, linked } = this.sorted;
    for (let j = 0; j < plain; j++) {
      const i = own[j]!;
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
