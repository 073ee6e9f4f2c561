/**
 * DNS messages (RFC 1035), multicast DNS (RFC 6762), LLMNR (RFC 4795) and NetBIOS names (RFC 1002): questions and
 * answers. Over TCP a length precedes each message.
 *
 * A query and its answer are one event, at the time of the query; unsolicited answers and queries without an answer
 * are events, too. For a message with several questions the columns have the first; attributes of the same names
 * list all of them.
 *
 * Invariant: only a message that is valid to its last byte counts as DNS.
 */
import { counted } from '../../../engine/contract/words/counted.ts';
import { u16, u32 } from '../bytes.ts';
import { ip6Text } from '../decode/tunnel-notes.ts';
import { CLASSES, nameAt, netbiosName, typeName } from './dns-name.ts';
import {
  type Datagram,
  type Endpoints,
  type MessageSink,
  secondsBetween,
  type Stamp,
  type StreamParser,
  type StreamProtocol,
  textOf,
} from './messages.ts';

const HEADER_BYTES = 12;
const MAX_RECORDS = 512;
/** Queries of one connection that wait for their answers. */
const MAX_WAITING = 256;
const MAX_MESSAGE_BYTES = 65_535;

const CODES: Readonly<Record<number, string>> = {
  ...{ 0: 'NOERROR', 1: 'FORMERR', 2: 'SERVFAIL', 3: 'NXDOMAIN', 4: 'NOTIMP', 5: 'REFUSED' },
  ...{ 6: 'YXDOMAIN', 7: 'YXRRSET', 8: 'NXRRSET', 9: 'NOTAUTH', 10: 'NOTZONE' },
};
const OPCODES: Readonly<Record<number, string>> = {
  ...{ 0: 'query', 1: 'iquery', 2: 'status', 4: 'notify', 5: 'update' },
};
/** NetBIOS has its own operations. */
const NETBIOS_OPCODES: Readonly<Record<number, string>> = {
  ...{ 0: 'query', 5: 'registration', 6: 'release', 7: 'wack', 8: 'refresh', 15: 'multihomed' },
};
export const NETBIOS_PORT = 137;
const DNS_PORT = 53;

const DNS_PORTS: ReadonlySet<number> = new Set([DNS_PORT, 5353, 5355, NETBIOS_PORT]);

interface Question {
  readonly name: string;
  readonly type: number;
  readonly kind: number;
}
interface Answer {
  readonly text: string;
  readonly ttl: number;
}
export interface DnsMessage {
  /** Bytes of the message. */
  readonly size: number;
  readonly id: number;
  readonly isResponse: boolean;
  readonly opcode: number;
  readonly flags: number;
  readonly code: number;
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
  /** Why the part after its questions is incomplete. */
  readonly problem?: string;
}

class Reader {
  at: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly isNetbios: boolean;
  /** Whether it is invalid: nothing after the error counts. */
  failed = false;

  constructor(bytes: Uint8Array, start: number, end: number, isNetbios: boolean) {
    this.bytes = bytes;
    this.start = start;
    this.at = start;
    this.end = end;
    this.isNetbios = isNetbios;
  }

  u16(): number {
    if (this.at + 2 > this.end) return this.fail();
    const value = u16(this.bytes, this.at);
    this.at += 2;
    return value;
  }

  u32(): number {
    if (this.at + 4 > this.end) return this.fail();
    const value = u32(this.bytes, this.at);
    this.at += 4;
    return value;
  }

  fail(): 0 {
    this.failed = true;
    this.at = this.end;
    return 0;
  }

  /** A name with dots, `.` for the root. */
  name(): string {
    const { text, next, problem } = nameAt(this.bytes, this.start, this.at, this.end);
    if (problem !== undefined) {
      this.fail();
      return '';
    }
    this.at = next;
    if (text === '') return '.';
    return this.isNetbios ? netbiosName(text) : text;
  }
}

/**
 * The message in `bytes[start, end)`; undefined if it is not one.
 * @param isKnown a message that is not valid to its last byte has a problem instead, if its questions can be read
 */
function readDns(
  bytes: Uint8Array,
  start: number,
  end: number,
  isNetbios: boolean,
  isKnown = false,
): DnsMessage | undefined {
  if (end - start < HEADER_BYTES) return undefined;
  const r = new Reader(bytes, start, end, isNetbios);
  const id = r.u16();
  const flags = r.u16();
  const opcode = (flags >>> 11) & 15;
  const counts = [r.u16(), r.u16(), r.u16(), r.u16()] as const;
  if (counts.some((count) => count > MAX_RECORDS)) return undefined;
  if (counts[0] + counts[1] + counts[2] + counts[3] === 0) return undefined;
  if ((isNetbios ? NETBIOS_OPCODES : OPCODES)[opcode] === undefined) return undefined;
  const questions: Question[] = [];
  for (let i = 0; i < counts[0] && !r.failed; i++) {
    const name = r.name();
    const type = r.u16();
    const kind = r.u16();
    // The highest bit asks for an answer to this host alone (RFC 6762, 5.4).
    if (CLASSES[kind & 0x7fff] === undefined) r.fail();
    questions.push({ name, type, kind: kind & 0x7fff });
  }
  const isAsked = !r.failed && questions.some(({ name }) => /^[\x21-\x7e]+$/.test(name));
  const answers: Answer[] = [];
  for (let i = 0; i < counts[1] && !r.failed; i++) {
    const answer = record(r);
    if (!r.failed) answers.push(answer);
  }
  let code = flags & 15;
  for (let i = 0; i < counts[2] + counts[3] && !r.failed; i++) {
    const { extended } = record(r);
    if (extended !== undefined) code |= extended << 4;
  }
  const isWhole = !r.failed && r.at === end;
  if (!isWhole && !(isKnown && isAsked)) return undefined;
  return {
    ...(isWhole ? {} : { problem: 'the message cannot be read to its end' }),
    size: end - start,
    ...{ id, isResponse: (flags & 0x8000) !== 0, opcode, flags, code, questions, answers },
  };
}

/**
 * The message in a UDP datagram on any port. On other ports than DNS's it must have one question and be complete:
 * much else begins with the same few bytes. In a truncated one on these ports, questions were mostly captured.
 */
export function dnsInDatagram({
  bytes,
  start,
  end,
  srcPort,
  dstPort,
}: Omit<Datagram, 'at'>): DnsMessage | undefined {
  if (end - start < HEADER_BYTES) return undefined;
  const isKnown = DNS_PORTS.has(srcPort) || DNS_PORTS.has(dstPort);
  const isLikely = (bytes[start + 2]! & 0x78) === 0 && u16(bytes, start + 4) === 1;
  if (!isKnown && !isLikely) return undefined;
  const isNetbios = srcPort === NETBIOS_PORT || dstPort === NETBIOS_PORT;
  return readDns(bytes, start, end, isNetbios, isKnown);
}

/** One resource record; of OPT the high bits of the response's code. */
function record(r: Reader): Answer & { extended?: number } {
  r.name();
  const type = r.u16();
  r.u16();
  const ttl = r.u32();
  const size = r.u16();
  const end = r.at + size;
  if (end > r.end) r.fail();
  if (r.failed) return { text: '', ttl };
  const text = dataOf(r, type, end);
  r.at = end;
  return type === 41 ? { text, ttl, extended: ttl >>> 24 } : { text, ttl };
}

/** The content of a record, as Zeek writes it. */
function dataOf(r: Reader, type: number, end: number): string {
  const { bytes, at } = r;
  const size = end - at;
  const name = (from: number): string => {
    const inner = new Reader(bytes, r.start, r.end, r.isNetbios);
    inner.at = from;
    const text = inner.name();
    return inner.failed || inner.at > end ? '' : text;
  };
  if (r.isNetbios && type === 32) {
    const addresses: string[] = [];
    for (let i = at; i + 6 <= end; i += 6)
      addresses.push([...bytes.subarray(i + 2, i + 6)].join('.'));
    return addresses.join(',');
  }
  switch (type) {
    case 1:
      return size === 4 ? [...bytes.subarray(at, end)].join('.') : '';
    case 28:
      return size === 16 ? ip6Text(bytes, at) : '';
    case 2:
    case 5:
    case 12:
    case 39:
      return name(at);
    case 6:
      return name(at);
    case 15:
      return size > 2 ? name(at + 2) : '';
    case 33:
      return size > 6 ? name(at + 6) : '';
    case 16:
    case 99:
      return `TXT ${texts(bytes, at, end)}`;
    default:
      return `<${typeName(type, r.isNetbios)}, ${size} bytes>`;
  }
}

function texts(bytes: Uint8Array, start: number, end: number): string {
  const parts: string[] = [];
  for (let at = start; at < end; at += 1 + bytes[at]!) {
    const size = bytes[at]!;
    parts.push(`${size} ${textOf(bytes, at + 1, Math.min(at + 1 + size, end))}`);
  }
  return parts.join(' ');
}

interface Waiting {
  readonly message: DnsMessage;
  readonly at: Stamp;
}

/** Queries and answers of one connection. */
export class DnsConversation {
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly waiting = new Map<number, Waiting>();
  /** Approximate memory of the queries that wait for answers. */
  heldBytes = 0;

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  take(message: DnsMessage, at: Stamp): void {
    if (!message.isResponse) {
      const before = this.waiting.get(message.id);
      if (before !== undefined) this.give(message.id, before, undefined, undefined);
      else if (this.waiting.size >= MAX_WAITING) this.giveUpOldest();
      this.waiting.set(message.id, { message, at });
      this.heldBytes += costOf(message);
      return;
    }
    const query = this.waiting.get(message.id);
    const isAnswered =
      query !== undefined && isSameQuestion(query.message.questions[0], message.questions[0]);
    if (isAnswered) this.give(message.id, query, message, at);
    else this.write(message, message, at, undefined);
  }

  finish(): void {
    while (this.waiting.size > 0) this.giveUpOldest();
  }

  private giveUpOldest(): void {
    for (const [id, query] of this.waiting) {
      this.give(id, query, undefined, undefined);
      return;
    }
  }

  private give(
    id: number,
    { message, at }: Waiting,
    answer: DnsMessage | undefined,
    answered: Stamp | undefined,
  ): void {
    this.waiting.delete(id);
    this.heldBytes -= costOf(message);
    this.write(message, answer, at, answered);
  }

  private write(
    asked: DnsMessage,
    answer: DnsMessage | undefined,
    at: Stamp,
    answered: Stamp | undefined,
  ): void {
    const isNetbios = this.ends.serverPort === NETBIOS_PORT;
    const opcodes = isNetbios ? NETBIOS_OPCODES : OPCODES;
    const questions = asked.questions.length > 0 ? asked.questions : (answer?.questions ?? []);
    const [first] = questions;
    const names = questions.map(({ name }) => name);
    const types = questions.map(({ type }) => typeName(type, isNetbios));
    const [type] = types;
    const isSeveral = questions.length > 1;
    const code = answer === undefined ? undefined : (CODES[answer.code] ?? `RCODE${answer.code}`);
    const answers = answer?.answers.map(({ text }) => text) ?? [];
    const flags = answer?.flags ?? asked.flags;
    const isSet = (bit: number): string => ((flags & bit) === 0 ? 'F' : 'T');
    const said = code === undefined ? '' : code === 'NOERROR' ? answers.join(', ') : code;
    this.sink.message(this.ends, {
      kind: 'dns',
      type: opcodes[asked.opcode] ?? 'query',
      at,
      text: [
        ...[type, first?.name],
        isSeveral ? `and ${counted(questions.length - 1, 'more question')}` : undefined,
        said === '' ? undefined : `→ ${said}`,
      ]
        .filter((part) => part !== undefined)
        .join(' '),
      columns: {
        query: first?.name,
        query_type: type,
        outcome: code === undefined ? undefined : code === 'NOERROR' ? 'success' : 'failure',
      },
      attributes: {
        trans_id: String(asked.id),
        qclass_name: first === undefined ? undefined : CLASSES[first.kind],
        query: isSeveral ? names : undefined,
        query_type: isSeveral ? types : undefined,
        rcode: answer === undefined ? undefined : String(answer.code),
        rcode_name: code,
        answers: answers.length > 0 ? answers : undefined,
        TTLs: answers.length > 0 ? answer!.answers.map(({ ttl }) => String(ttl)) : undefined,
        rtt: answered === undefined ? undefined : secondsBetween(at, answered),
        AA: answer === undefined ? undefined : isSet(0x0400),
        TC: isSet(0x0200),
        RD: isSet(0x0100),
        RA: isSet(0x0080),
        Z: String((flags >>> 4) & 7),
        problem: answer?.problem ?? asked.problem,
      },
    });
  }
}

/** Names are strings of twice their bytes, and each record an object. */
function costOf({ size }: DnsMessage): number {
  return 256 + 8 * size;
}

function isSameQuestion(a: Question | undefined, b: Question | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  return a.type === b.type && a.name.toLowerCase() === b.name.toLowerCase();
}

/** DNS over TCP: messages with their length before them. */
class DnsStream implements StreamParser {
  readonly service = 'dns';
  isDone = false;
  private readonly conversation: DnsConversation;
  private readonly held = [new Uint8Array(0), new Uint8Array(0)];

  constructor(ends: Endpoints, sink: MessageSink) {
    this.conversation = new DnsConversation(ends, sink);
  }

  get heldBytes(): number {
    return this.held[0]!.length + this.held[1]!.length + this.conversation.heldBytes;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = isClient ? 0 : 1;
    const before = this.held[side]!;
    let all = bytes.subarray(start, end);
    if (before.length > 0) all = Buffer.concat([before, all]);
    let from = 0;
    while (all.length - from >= 2) {
      const size = u16(all, from);
      if (all.length - from - 2 < size) break;
      const message = readDns(all, from + 2, from + 2 + size, false);
      if (message === undefined) {
        this.isDone = true;
        return;
      }
      this.conversation.take(message, at);
      from += 2 + size;
    }
    this.held[side] = Uint8Array.from(all.subarray(from, from + MAX_MESSAGE_BYTES + 2));
  }

  gap(): void {
    this.isDone = true;
  }

  end(): void {
    // An incomplete message does not count.
  }

  finish(): void {
    this.conversation.finish();
  }
}

export const DNS_STREAM: StreamProtocol = {
  /** The length of a following DNS message, on the port of DNS: the first bytes of much else could be one. */
  recognise(bytes, start, end, { clientPort, serverPort }) {
    if (clientPort !== DNS_PORT && serverPort !== DNS_PORT) return undefined;
    const size = end - start < 2 ? 0 : u16(bytes, start);
    if (end - start < 2 + Math.max(size, HEADER_BYTES)) return 'more';
    if (readDns(bytes, start + 2, start + 2 + size, false) === undefined) return undefined;
    return (bytes[start + 4]! & 0x80) === 0 ? 'client' : 'server';
  },
  parser: (ends, sink) => new DnsStream(ends, sink),
};
