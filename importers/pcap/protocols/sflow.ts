/**
 * sFlow version 5 (https://sflow.org/sflow_version_5.txt): each sampled packet is an event of kind `netflow`. Its
 * fields come from the header in the sample, or from the addresses that the exporter states; if neither is IP, the
 * event has no addresses.
 *
 * Counters of interfaces are neither flows nor events. A datagram is one of sFlow only if its samples fill it
 * exactly.
 */
import { u32 } from '../bytes.ts';
import { decode } from '../decode/decode.ts';
import { Cursor } from '../decode/layers.ts';
import { Packet } from '../decode/packet.ts';
import { ip4Text, ip6Text, TunnelNotes } from '../decode/tunnel-notes.ts';
import type { Endpoints, MessageSink, ProtocolMessage, Stamp } from './messages.ts';
import { endpointsOf } from './streams/tcp-streams.ts';

const VERSION = 5;
const MAX_SAMPLES = 1024;
/** Of a sample and a record: its format and its length. */
const ITEM_HEADER = 8;
const [FLOW_SAMPLE, EXPANDED_FLOW_SAMPLE] = [1, 3];
const [RAW_HEADER, IP4_DATA, IP6_DATA] = [1, 3, 4];
/** Link types by sFlow's numbers of header protocols. */
const LINK_TYPES: ReadonlyMap<number, number> = new Map([
  ...([
    [1, 1],
    [7, 9],
    [11, 228],
    [12, 229],
  ] as const),
]);
/** The numbers of an unknown interface, and of the exporter itself. */
const NO_INTERFACE: ReadonlySet<number> = new Set([0, 0x3fff_ffff]);

interface Sample {
  readonly rate: number;
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** Why it was thrown away. */
  readonly dropped: string | undefined;
}

export class SflowSamples {
  private readonly sink: MessageSink;
  private readonly packet = new Packet();
  private readonly cursor = new Cursor();
  private readonly notes = new TunnelNotes();

  constructor(sink: MessageSink) {
    this.sink = sink;
  }

  /** @returns whether the payload `bytes[start, end)` is such a datagram */
  take(bytes: Uint8Array, start: number, end: number, flow: number, at: Stamp): boolean {
    if (end - start < 28 || u32(bytes, start) !== VERSION) return false;
    const isIp6 = u32(bytes, start + 4) === 2;
    if (!isIp6 && u32(bytes, start + 4) !== 1) return false;
    const agent = start + 8;
    // After the agent's address: its sub-agent, the datagram's number, its uptime, the number of samples.
    const counts = agent + (isIp6 ? 16 : 4);
    const first = counts + 16;
    if (first > end) return false;
    const samples = itemsIn(bytes, first, end, u32(bytes, counts + 12), MAX_SAMPLES);
    if (samples === undefined) return false;
    const exporter = isIp6 ? ip6Text(bytes, agent) : ip4Text(u32(bytes, agent));
    for (const { format, from, to } of samples)
      if (format === FLOW_SAMPLE || format === EXPANDED_FLOW_SAMPLE)
        this.sample(bytes, from, to, format === EXPANDED_FLOW_SAMPLE, exporter, flow, at);
    return true;
  }

  private sample(
    bytes: Uint8Array,
    start: number,
    end: number,
    isExpanded: boolean,
    exporter: string,
    flow: number,
    at: Stamp,
  ): void {
    // Number of the sample, source, rate, pool, drops, input, output, how many records; an interface has two words if expanded.
    const rate = start + (isExpanded ? 12 : 8);
    const records = rate + (isExpanded ? 28 : 20) + 4;
    if (records > end) return;
    const sample = {
      rate: u32(bytes, rate),
      ...(isExpanded
        ? interfaces(rate + 12, (place) => [u32(bytes, place), u32(bytes, place + 4)], 8)
        : interfaces(
            rate + 12,
            (place) => [bytes[place]! >>> 6, u32(bytes, place) & 0x3fff_ffff],
            4,
          )),
    };
    const found = itemsIn(bytes, records, end, u32(bytes, records - 4), MAX_SAMPLES) ?? [];
    let said: Said = { ends: unknownEnds(flow), bytes: undefined, flags: undefined };
    for (const { format, from, to } of found) {
      if (format === RAW_HEADER) said = this.rawHeader(bytes, from, to, flow) ?? said;
      else if (format === IP4_DATA || format === IP6_DATA)
        said = statedFlow(bytes, from, to, format === IP6_DATA, said.ends) ?? said;
      // Another record of the sample describes the same in another form.
      if (said.ends.client.length > 0) break;
    }
    this.sink.message(said.ends, messageOf(said, sample, exporter, at));
  }

  private rawHeader(bytes: Uint8Array, start: number, end: number, flow: number): Said | undefined {
    if (start + 16 > end) return undefined;
    const linkType = LINK_TYPES.get(u32(bytes, start));
    const size = u32(bytes, start + 12);
    const from = start + 16;
    const wire = u32(bytes, start + 4);
    const unknown = { ends: unknownEnds(flow), bytes: wire, flags: undefined };
    if (linkType === undefined || from + size > end) return unknown;
    const { packet: p } = this;
    Object.assign(p, { bytes, start: from, end: from + size, wire, linkType });
    decode(p, this.cursor, this.notes);
    if (p.ipVersion === 0) return { ...unknown, ends: unknownEnds(flow, p.vlan) };
    const ends = endpointsOf(p, flow, true);
    return { ends, bytes: wire, flags: p.tcpFlags >= 0 ? p.tcpFlags & 0x1ff : undefined };
  }
}

interface Said {
  readonly ends: Endpoints;
  /** Size of the frame; undefined if no record states it. */
  readonly bytes: number | undefined;
  readonly flags: number | undefined;
}

/** The ends of a packet that is not IP, or whose header has an unsupported form. */
function unknownEnds(flow: number, vlan = -1): Endpoints {
  const nothing = new Uint8Array(0);
  return {
    flow,
    proto: -1,
    vlan,
    client: nothing,
    server: nothing,
    clientPort: -1,
    serverPort: -1,
  };
}

/** Length, protocol, addresses, ports, TCP flags. The VLAN was stated by a previous record. */
function statedFlow(
  bytes: Uint8Array,
  start: number,
  end: number,
  isIp6: boolean,
  { flow, vlan }: Endpoints,
): Said | undefined {
  const size = isIp6 ? 16 : 4;
  const ports = start + 8 + 2 * size;
  if (ports + 12 > end) return undefined;
  const proto = u32(bytes, start + 4);
  const hasPorts = proto === 6 || proto === 17;
  return {
    bytes: u32(bytes, start),
    flags: proto === 6 ? u32(bytes, ports + 8) & 0x1ff : undefined,
    ends: {
      ...{ flow, proto: proto <= 255 ? proto : -1, vlan },
      client: Uint8Array.from(bytes.subarray(start + 8, start + 8 + size)),
      server: Uint8Array.from(bytes.subarray(start + 8 + size, ports)),
      clientPort: hasPorts ? u32(bytes, ports) & 0xffff : -1,
      serverPort: hasPorts ? u32(bytes, ports + 4) & 0xffff : -1,
    },
  };
}

function interfaces(
  at: number,
  read: (place: number) => readonly [format: number, value: number],
  size: number,
): Omit<Sample, 'rate'> {
  const name = ([format, value]: readonly [number, number]): string | undefined =>
    format === 0 && !NO_INTERFACE.has(value) ? String(value) : undefined;
  const output = read(at + size);
  return {
    input: name(read(at)),
    output: name(output),
    dropped: output[0] === 1 ? String(output[1]) : undefined,
  };
}

function messageOf(
  { bytes, flags }: Said,
  { rate, input, output, dropped }: Sample,
  exporter: string,
  at: Stamp,
): ProtocolMessage {
  return {
    ...{ kind: 'netflow', type: 'sflow', at },
    text: `1 packet, ${bytes === undefined ? '' : `${bytes} bytes, `}one of ${rate}, reported by ${exporter}`,
    numbers: { packets: 1, bytes, tcp_flags: flags },
    columns: { iface_in: input, iface_out: output },
    attributes: { exporter, samplingInterval: String(rate), discarded: dropped },
  };
}

interface Item {
  readonly format: number;
  readonly from: number;
  readonly to: number;
}

/** Items that exactly fill a range, each after its format and length; undefined if they do not. */
function itemsIn(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
  most: number,
): Item[] | undefined {
  if (count < 1 || count > most) return undefined;
  const items: Item[] = [];
  let at = start;
  for (let n = 0; n < count; n++) {
    if (at + ITEM_HEADER > end) return undefined;
    const size = u32(bytes, at + 4);
    const from = at + ITEM_HEADER;
    if (size % 4 !== 0 || from + size > end) return undefined;
    items.push({ format: u32(bytes, at), from, to: from + size });
    at = from + size;
  }
  return at === end ? items : undefined;
}
