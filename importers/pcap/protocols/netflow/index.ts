/**
 * NetFlow v5 and v9 (RFC 3954) and IPFIX (RFC 7011): each record that an exporter sends is an event. Records of v9
 * and IPFIX need their template, which may arrive later: until then they are buffered.
 *
 * Invariant: templates, and records waiting for one, are bounded in number and memory; dropped records are counted.
 */
import { AgedMap } from '../../../shared/aged-map.ts';
import { ip4Text, ip6Text } from '../../decode/tunnel-notes.ts';
import { u16, u32 } from '../../bytes.ts';
import type { Packet } from '../../decode/packet.ts';
import type { MessageSink } from '../messages.ts';
import { type ExportContext, RecordReader } from './record.ts';
import { unsignedAt, V9_SCOPE } from './values.ts';

interface Field {
  readonly id: number;
  readonly enterprise: number;
  /** VARIABLE: the size precedes each value. */
  readonly size: number;
}
interface Template {
  readonly fields: readonly Field[];
  /** Bytes of a record at least. */
  readonly size: number;
  readonly isOptions: boolean;
}
interface Waiting {
  readonly bytes: Uint8Array;
  readonly context: ExportContext;
  readonly flow: number;
  readonly vlan: number;
}

const VARIABLE = 65_535;
const V5_HEADER = 24;
const V5_RECORD = 48;
const V5_MOST = 30;
const V9_HEADER = 20;
const IPFIX_HEADER = 16;
const SET_HEADER = 4;
const FIRST_DATA_SET = 256;
const ENTERPRISE_BIT = 0x8000;
const SYSTEM_INIT_TIME = 160;
const MAX_TEMPLATES = 16_384;
const MAX_FIELDS = 1024;
const MAX_WAITING_BYTES = 16 << 20;
/** Approximate overhead of a waiting record. */
const WAITING_BYTES = 256;

/** Fields of a record of v5: element, place and size. */
const V5_FIELDS: readonly (readonly [id: number, at: number, size: number])[] = [
  ...([
    [8, 0, 4],
    [12, 4, 4],
    [15, 8, 4],
    [10, 12, 2],
    [14, 14, 2],
  ] as const),
  ...([
    [2, 16, 4],
    [1, 20, 4],
    [22, 24, 4],
    [21, 28, 4],
    [7, 32, 2],
    [11, 34, 2],
  ] as const),
  ...([
    [6, 37, 1],
    [4, 38, 1],
    [5, 39, 1],
    [16, 40, 2],
    [17, 42, 2],
    [9, 44, 1],
    [13, 45, 1],
  ] as const),
];

/** A message of an exporter, `bytes[start, end)`, and its sender. */
interface ExportMessage {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly exporter: string;
  readonly flow: number;
  readonly vlan: number;
}

/** The exports of all datagrams, or of one connection: templates of one do not apply to another. */
export class NetFlowExports {
  private readonly sink: MessageSink;
  private readonly templates = new AgedMap<string, Template>();
  private readonly waiting = new Map<string, Waiting[]>();
  /** Memory of records without a template. */
  waitingBytes = 0;
  /** By exporter and domain, from its options. */
  private readonly booted = new Map<string, number>();

  constructor(sink: MessageSink) {
    this.sink = sink;
  }

  /** @returns whether the bytes `p.bytes[start, end)` are such a message */
  datagram(p: Packet, flow: number, start: number, end: number): boolean {
    const { bytes, vlan } = p;
    if (end - start < IPFIX_HEADER) return false;
    const version = u16(bytes, start);
    if (version !== 5 && version !== 9 && version !== 10) return false;
    const exporter = p.ipVersion === 4 ? ip4Text(p.src4) : ip6Text(bytes, p.src6);
    return this.take({ bytes, start, end, exporter, flow, vlan });
  }

  /** @returns whether it is such a message */
  take(message: ExportMessage): boolean {
    const { bytes, start, end, exporter, flow, vlan } = message;
    const version = u16(bytes, start);
    if (version === 5) return this.version5(message);
    if (version !== 9 && version !== 10) return false;
    const header = version === 9 ? V9_HEADER : IPFIX_HEADER;
    if (!isExport(bytes, start, end, version)) return false;
    const exported = u32(bytes, start + (version === 9 ? 8 : 4)) * 1e6;
    const domain = u32(bytes, start + (version === 9 ? 16 : 12));
    const place = `${exporter} ${version} ${domain}`;
    const booted = version === 9 ? exported - u32(bytes, start + 4) * 1000 : NaN;
    const context: ExportContext = { version, exporter, domain, exported, booted };
    for (let at = start + header; at + SET_HEADER <= end;) {
      const id = u16(bytes, at);
      const next = at + u16(bytes, at + 2);
      const from = at + SET_HEADER;
      if (id < FIRST_DATA_SET) this.define(bytes, from, next, version, id, place);
      else this.data(bytes, from, next, context, `${place} ${id}`, flow, vlan);
      at = next;
    }
    return true;
  }

  finish(): void {
    for (const list of this.waiting.values())
      for (const { bytes } of list) this.unread(bytes.length);
    this.waiting.clear();
    this.waitingBytes = 0;
  }

  private unread(bytes: number): void {
    this.sink.unreadExports?.(bytes);
  }

  private version5({ bytes, start, end, exporter, flow, vlan }: ExportMessage): boolean {
    const count = u16(bytes, start + 2);
    if (count < 1 || count > V5_MOST || end - start !== V5_HEADER + count * V5_RECORD) return false;
    const seconds = u32(bytes, start + 8);
    // Flows are dated in milliseconds.
    const exported = seconds * 1e6 + Math.floor(u32(bytes, start + 12) / 1e6) * 1000;
    const booted = exported - u32(bytes, start + 4) * 1000;
    const domain = u16(bytes, start + 20);
    const context: ExportContext = { version: 5, exporter, domain, exported, booted };
    const sampling = u16(bytes, start + 22) & 0x3fff;
    for (let i = 0; i < count; i++) {
      const at = start + V5_HEADER + i * V5_RECORD;
      const record = new RecordReader(context);
      for (const [id, place, size] of V5_FIELDS)
        record.field(id, 0, bytes, at + place, at + place + size);
      if (sampling > 1) record.field(34, 0, Uint8Array.of(sampling >> 8, sampling & 255), 0, 2);
      const { ends, message } = record.message(flow, vlan, false);
      this.sink.message(ends, message);
    }
    return true;
  }

  /** Templates of a set. */
  private define(
    bytes: Uint8Array,
    start: number,
    end: number,
    version: number,
    set: number,
    place: string,
  ): void {
    const [plain, options] = version === 9 ? [0, 1] : [2, 3];
    if (set !== plain && set !== options) return;
    const isOptions = set === options;
    for (let at = start; at + 4 <= end;) {
      const id = u16(bytes, at);
      if (id < FIRST_DATA_SET) return;
      let count = u16(bytes, at + 2);
      at += 4;
      if (isOptions && version === 9) {
        // Bytes of the fields of the scope, and of the others.
        count = (count + u16(bytes, at)) / 4;
        at += 2;
      } else if (isOptions && count > 0) at += 2;
      if (count === 0) {
        // RFC 7011, 8.1: withdrawn.
        this.templates.delete(`${place} ${id}`);
        continue;
      }
      const read = readFields(bytes, at, end, count, version);
      if (read === undefined) return;
      at = read.end;
      const size = read.fields.reduce(
        (sum, one) => sum + (one.size === VARIABLE ? 1 : one.size),
        0,
      );
      if (size === 0) continue;
      // Scopes of v9 have their own numbers.
      const scopes = isOptions && version === 9 ? u16(bytes, at - count * 4 - 4) / 4 : 0;
      const fields = read.fields.map((one, i) =>
        i < scopes ? { ...one, enterprise: V9_SCOPE } : one,
      );
      this.learn(`${place} ${id}`, { fields, size, isOptions });
    }
  }

  private learn(key: string, template: Template): void {
    const { templates, waiting } = this;
    templates.delete(key);
    if (templates.size >= MAX_TEMPLATES) templates.delete(templates.oldest()![0]);
    templates.set(key, template);
    const list = waiting.get(key);
    if (list === undefined) return;
    waiting.delete(key);
    for (const { bytes, context, flow, vlan } of list) {
      this.waitingBytes -= bytes.length + WAITING_BYTES;
      this.records(bytes, 0, bytes.length, context, template, flow, vlan);
    }
  }

  private data(
    bytes: Uint8Array,
    start: number,
    end: number,
    context: ExportContext,
    key: string,
    flow: number,
    vlan: number,
  ): void {
    const template = this.templates.get(key);
    if (template !== undefined) {
      this.records(bytes, start, end, context, template, flow, vlan);
      return;
    }
    const size = end - start + WAITING_BYTES;
    if (this.waitingBytes + size > MAX_WAITING_BYTES) {
      this.unread(end - start);
      return;
    }
    this.waitingBytes += size;
    const one: Waiting = {
      bytes: Uint8Array.from(bytes.subarray(start, end)),
      context,
      flow,
      vlan,
    };
    const list = this.waiting.get(key);
    if (list === undefined) this.waiting.set(key, [one]);
    else list.push(one);
  }

  private records(
    bytes: Uint8Array,
    start: number,
    end: number,
    context: ExportContext,
    template: Template,
    flow: number,
    vlan: number,
  ): void {
    const { fields, size, isOptions } = template;
    // A remainder smaller than a record is padding.
    for (let at = start; at + size <= end;) {
      const record = new RecordReader(this.dated(context));
      for (const { id, enterprise, size: stated } of fields) {
        let length = stated;
        if (stated === VARIABLE) {
          length = at < end ? bytes[at]! : 0;
          at += 1;
          if (length === 255) {
            length = at + 2 <= end ? u16(bytes, at) : 0;
            at += 2;
          }
        }
        if (at + length > end) {
          this.unread(end - start);
          return;
        }
        record.field(id, enterprise, bytes, at, at + length);
        if (isOptions && id === SYSTEM_INIT_TIME && enterprise === 0)
          this.hasBooted(context, unsignedAt(bytes, at, at + length));
        at += length;
      }
      const { ends, message } = record.message(flow, vlan, isOptions);
      this.sink.message(ends, message);
    }
  }

  private hasBooted(context: ExportContext, millis: number | undefined): void {
    if (millis === undefined || this.booted.size >= MAX_TEMPLATES) return;
    this.booted.set(`${context.exporter} ${context.domain}`, millis * 1000);
  }

  /** IPFIX: the exporter's options state when it started. */
  private dated(context: ExportContext): ExportContext {
    if (context.version !== 10) return context;
    const booted = this.booted.get(`${context.exporter} ${context.domain}`);
    return booted === undefined ? context : { ...context, booted };
  }
}

function readFields(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
  version: number,
): { readonly fields: Field[]; readonly end: number } | undefined {
  if (!Number.isInteger(count) || count > MAX_FIELDS) return undefined;
  const fields: Field[] = [];
  let at = start;
  for (let i = 0; i < count; i++) {
    if (at + 4 > end) return undefined;
    const id = u16(bytes, at);
    const size = u16(bytes, at + 2);
    at += 4;
    const isOwn = version === 10 && id >= ENTERPRISE_BIT;
    if (isOwn && at + 4 > end) return undefined;
    fields.push({
      id: isOwn ? id - ENTERPRISE_BIT : id,
      enterprise: isOwn ? u32(bytes, at) : 0,
      size,
    });
    if (isOwn) at += 4;
  }
  return { fields, end: at };
}

/** Whether the sets of a message fill it to its last byte: nothing else does so by chance. */
export function isExport(bytes: Uint8Array, start: number, end: number, version: number): boolean {
  if (version === 10 && u16(bytes, start + 2) !== end - start) return false;
  let at = start + (version === 9 ? V9_HEADER : IPFIX_HEADER);
  if (at + SET_HEADER > end) return false;
  while (at + SET_HEADER <= end) {
    const id = u16(bytes, at);
    const size = u16(bytes, at + 2);
    const isTemplate = version === 9 ? id <= 1 : id === 2 || id === 3;
    if (size < SET_HEADER || (!isTemplate && id < FIRST_DATA_SET)) return false;
    at += size;
  }
  return at === end;
}
