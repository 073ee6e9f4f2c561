/** One record of NetFlow or IPFIX: an exporter's statement on an observed flow, or on itself. */
import type { Endpoints, ProtocolMessage, Stamp } from '../messages.ts';
import { elementOf, icmpAt, timeAt, unsignedAt, valueText } from './values.ts';

/** The sender of a record and the base of its relative times. */
export interface ExportContext {
  readonly version: 5 | 9 | 10;
  /** Address of the exporter. */
  readonly exporter: string;
  /** Observation domain of IPFIX, source of NetFlow v9, engine of v5. */
  readonly domain: number;
  /** UTC microseconds since 1970. */
  readonly exported: number;
  /** When the exporter started, in the same; NaN: not known. */
  readonly booted: number;
}

type Numbers = NonNullable<ProtocolMessage['numbers']>;

const REVERSE = 29_305;
const NO_ADDRESS = new Uint8Array(0);
const [ICMP, ICMP6] = [1, 58];
const PADDING = 210;
/** The clock of an exporter counts milliseconds in 32 bits. */
const UPTIME_WRAP = 2 ** 32 * 1000;
const CLOCK_SLACK = 60e6;
const FIREWALL_EVENTS: Readonly<Record<number, string>> = {
  ...{ 1: 'created', 2: 'deleted', 3: 'denied', 4: 'alert', 5: 'updated' },
};
/** By element; values beyond 2^53 stay attributes. */
const COUNTERS: Readonly<Record<number, 'bytes' | 'packets' | 'bytes_rev' | 'packets_rev'>> = {
  ...{ 1: 'bytes', 85: 'bytes', 231: 'bytes', 2: 'packets', 86: 'packets', 298: 'packets' },
  ...{ 232: 'bytes_rev', 299: 'packets_rev' },
};
const REVERSED = new Map<keyof Numbers | undefined, keyof Numbers>([
  ['bytes', 'bytes_rev'],
  ['packets', 'packets_rev'],
]);
const SOURCE_PORTS = new Set([7, 180, 182]);
const TARGET_PORTS = new Set([11, 181, 183]);
/** Elements for the start and end of a flow, and the time of an event. */
const STARTS = new Set([150, 152, 154, 156]);
const ENDS = new Set([151, 153, 155, 157]);
const EVENT_TIMES = new Set([322, 323, 324, 325]);
const [FIRST_SWITCHED, LAST_SWITCHED] = [22, 21];
const [START_DELTA, END_DELTA] = [158, 159];
const [DURATION_MILLIS, DURATION_MICROS] = [161, 162];

export class RecordReader {
  private readonly context: ExportContext;
  private source: Uint8Array = NO_ADDRESS;
  private target: Uint8Array = NO_ADDRESS;
  private sourcePort = -1;
  private targetPort = -1;
  private proto = -1;
  private vlan = -1;
  private icmp: { type: number; code: number } | undefined;
  private start = NaN;
  private end = NaN;
  private at = NaN;
  private digits = 3;
  private seconds = NaN;
  private readonly numbers: { -readonly [name in keyof Numbers]: Numbers[name] } = {};
  private readonly columns: Record<string, string> = {};
  private readonly attributes: Record<string, string | string[]> = {};

  constructor(context: ExportContext) {
    this.context = context;
  }

  /** Takes a field, which is `bytes[start, end)`. */
  field(id: number, enterprise: number, bytes: Uint8Array, start: number, end: number): void {
    if (end <= start || (id === PADDING && enterprise === 0)) return;
    const isTaken =
      enterprise === 0
        ? this.known(id, bytes, start, end)
        : enterprise === REVERSE && this.counter(REVERSED.get(COUNTERS[id]), bytes, start, end);
    if (isTaken) return;
    const { name, type } = elementOf(id, enterprise);
    const text = valueText(bytes, start, end, type);
    if (text === undefined) return;
    const { [name]: had } = this.attributes;
    // A record may have an element more than once.
    this.attributes[name] = had === undefined ? text : [had, text].flat();
  }

  /** @returns whether a column represents it completely */
  private known(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const size = end - start;
    if (COUNTERS[id] !== undefined) return this.counter(COUNTERS[id], bytes, start, end);
    if (this.time(id, bytes, start, end)) return true;
    const value = unsignedAt(bytes, start, end) ?? -1;
    if (SOURCE_PORTS.has(id)) return this.port('sourcePort', value);
    if (TARGET_PORTS.has(id)) return this.port('targetPort', value);
    switch (id) {
      case 8:
      case 27:
        return this.address('source', bytes, start, id === 8 ? 4 : 16, size);
      case 12:
      case 28:
        return this.address('target', bytes, start, id === 12 ? 4 : 16, size);
      case 4:
        if (value < 0 || value > 255) return false;
        this.proto = value;
        return true;
      case 6:
        if (value < 0 || value > 511) return false;
        this.numbers.tcp_flags = value;
        return true;
      case 32:
      case 139:
        if (size === 2) this.icmp = icmpAt(bytes, start);
        return size === 2;
      case 176:
      case 178:
        this.icmp = { type: value, code: this.icmp?.code ?? 0 };
        return value >= 0 && value < 256;
      case 177:
      case 179:
        this.icmp = { type: this.icmp?.type ?? 0, code: value };
        return value >= 0 && value < 256;
      case 58:
      case 243:
        if (value < 1 || value > 4094 || this.vlan >= 0) return value === 0;
        this.vlan = value;
        return true;
      default:
        this.text(id, bytes, start, end, value);
        return false;
    }
  }

  /** Texts that have columns; their attributes stay. */
  private text(id: number, bytes: Uint8Array, start: number, end: number, value: number): void {
    const { columns } = this;
    const set = (name: string, shown: string | undefined): void => {
      if (shown !== undefined) columns[name] ??= shown;
    };
    if (id === 371 || id === 40_000) set('user', valueText(bytes, start, end, 's'));
    else if (id === 10) set('iface_in', String(value));
    else if (id === 14) set('iface_out', String(value));
    else if (id === 233) set('action', FIREWALL_EVENTS[value]);
  }

  private counter(
    name: keyof Numbers | undefined,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    const value = name === undefined ? undefined : unsignedAt(bytes, start, end);
    if (value === undefined || this.numbers[name!] !== undefined) return false;
    this.numbers[name!] = value;
    return true;
  }

  private port(side: 'sourcePort' | 'targetPort', value: number): boolean {
    // Elements of UDP and TCP may both be present, one of them 0.
    if (value < 0 || value > 65_535 || this[side] > 0) return value === 0;
    this[side] = value;
    return true;
  }

  private address(
    side: 'source' | 'target',
    bytes: Uint8Array,
    start: number,
    length: 4 | 16,
    size: number,
  ): boolean {
    if (size !== length) return false;
    const isSet = bytes.subarray(start, start + size).some((byte) => byte !== 0);
    // A template for both families has the other address as zeros.
    if (this[side].length > 0 && (!isSet || this[side].some((byte) => byte !== 0))) return !isSet;
    this[side] = Uint8Array.from(bytes.subarray(start, start + size));
    return true;
  }

  private time(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { context } = this;
    const { type } = elementOf(id, 0);
    if (STARTS.has(id) || ENDS.has(id) || EVENT_TIMES.has(id)) {
      const micros = timeAt(bytes, start, end, type);
      if (Number.isNaN(micros)) return false;
      // Nothing began in 1970: the exporter omits the time.
      if (micros <= 0) return false;
      this.digits = type === 'ts' ? 0 : type === 'tm' ? 3 : 6;
      if (STARTS.has(id)) this.start = micros;
      else if (ENDS.has(id)) this.end = micros;
      else this.at = micros;
      return true;
    }
    const value = unsignedAt(bytes, start, end);
    if (value === undefined) return false;
    if (id === FIRST_SWITCHED || id === LAST_SWITCHED) {
      let micros = context.booted + value * 1000;
      if (Number.isNaN(micros)) return false;
      // An exported flow has begun: the clock has restarted since.
      if (micros - context.exported > CLOCK_SLACK) micros -= UPTIME_WRAP;
      if (id === FIRST_SWITCHED) this.start = micros;
      else this.end = micros;
      return true;
    }
    if (id === START_DELTA || id === END_DELTA) {
      if (id === START_DELTA) this.start = context.exported - value;
      else this.end = context.exported - value;
      this.digits = 6;
      return true;
    }
    if (id === DURATION_MILLIS) this.seconds = value / 1e3;
    else if (id === DURATION_MICROS) this.seconds = value / 1e6;
    else return false;
    return true;
  }

  /**
   * The event.
   * @param flow number of the flow that carried it
   * @param isOptions whether the exporter describes itself
   */
  message(
    flow: number,
    vlan: number,
    isOptions: boolean,
  ): { ends: Endpoints; message: ProtocolMessage } {
    const { context, numbers, source, target } = this;
    const isIcmp = this.proto === ICMP || this.proto === ICMP6;
    if (isIcmp && this.icmp === undefined && this.sourcePort <= 0 && this.targetPort >= 0)
      this.icmp = { type: this.targetPort >>> 8, code: this.targetPort & 255 };
    if (isIcmp && this.icmp !== undefined) {
      this.sourcePort = this.icmp.type;
      this.targetPort = this.icmp.code;
    }
    const duration = Number.isNaN(this.seconds) ? (this.end - this.start) / 1e6 : this.seconds;
    if (duration >= 0) numbers.duration = duration;
    const stated = [this.start, this.at, this.end].find((time) => !Number.isNaN(time));
    const at: Stamp =
      stated === undefined
        ? { micros: context.exported, nanos: 0, digits: 0 }
        : { micros: stated, nanos: 0, digits: this.digits };
    const ends: Endpoints = {
      ...{ flow, proto: this.proto, vlan: this.vlan >= 0 ? this.vlan : vlan },
      ...{ client: source, server: target },
      ...{ clientPort: this.sourcePort, serverPort: this.targetPort },
    };
    const counts = [
      numbers.packets === undefined ? undefined : `${numbers.packets} packets`,
      numbers.bytes === undefined ? undefined : `${numbers.bytes} bytes`,
    ];
    // Lists show the ends next to it.
    const parts = [...counts, this.columns['action'], `reported by ${context.exporter}`];
    const name = isOptions ? 'options' : context.version === 10 ? 'ipfix' : `v${context.version}`;
    const domain = context.version === 5 ? 'engine' : 'observationDomainId';
    return {
      ends,
      message: {
        ...{ kind: 'netflow', type: name, at, numbers },
        text: [isOptions ? 'options' : undefined, ...parts]
          .filter((part) => part !== undefined)
          .join(', '),
        columns: this.columns,
        attributes: {
          exporter: context.exporter,
          [domain]: String(context.domain),
          exported: new Date(context.exported / 1000).toISOString(),
          ...this.attributes,
        },
      },
    };
  }
}
