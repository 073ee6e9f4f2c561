/**
 * Columns of logs in the W3C extended format: `#Fields:` names the columns of the following lines. Their `date` and
 * `time` are UTC, unless `#Time Format: Local` says otherwise: then their zone is decided as for other logs.
 *
 * https://www.w3.org/TR/WD-logfile.html; IIS, HTTP.sys, Windows Firewall, CloudFront and Exchange write it, with
 * blanks, TABs or commas between columns.
 *
 * Invariants: a line with more or fewer columns than named states none of them, and `-` is not a value.
 */
import type { TextColumn } from '../../engine/columns/columns.ts';
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { CutText } from '../../engine/contract/event.ts';
import {
  ADDRESS,
  addressEnd,
  isStatus,
  isText,
  numberOf,
  protocolOf,
} from '../../engine/fields/cutting/values.ts';
import type { Header } from './header/header.ts';

const MOST_COLUMNS = 256;
const [SPACE, TAB, LF, COMMA, QUOTE, COLON, MINUS, BACKSLASH] = [32, 9, 10, 44, 34, 58, 45, 92];
/** The target of a request, the best first: proxies may name several. */
const URLS = ['cs-uri', 'cs-uri-stem', 'cs-uri-path', 'urlstem'];
const FIELDS = '#Fields:';
const LOCAL_TIMES = '#Time Format: Local';

type Target =
  | { readonly to: 'src_ip' | 'dst_ip' | 'src_endpoint' | 'dst_endpoint' | 'proto' }
  | { readonly to: 'src_port' | 'dst_port' | 'bytes' | 'bytes_rev' }
  | { readonly to: 'host' }
  | { readonly to: 'text'; readonly name: CutText }
  | { readonly to: 'attribute'; readonly name: string };

/** Names in lower case, and their meanings. Other names become attributes. */
const NAMES: Readonly<Record<string, Exclude<Target['to'], 'text' | 'attribute'> | CutText>> = {
  ...{
    'c-ip': 'src_ip',
    'src-ip': 'src_ip',
    'client-ip': 'src_ip',
    'original-client-ip': 'src_ip',
  },
  ...{ 's-ip': 'dst_ip', 'dst-ip': 'dst_ip', 'server-ip': 'dst_ip' },
  ...{ 'c-port': 'src_port', 'src-port': 'src_port', 's-port': 'dst_port', 'dst-port': 'dst_port' },
  ...{ 'remote-endpoint': 'src_endpoint', 'local-endpoint': 'dst_endpoint' },
  ...{ cip: 'src_endpoint', sip: 'dst_endpoint', protocol: 'proto' },
  ...{ 's-computername': 'host', 'x-bluecoat-appliance-name': 'host' },
  ...{ 'cs-username': 'user', 'cs-userdn': 'user', user: 'user' },
  ...{ 'cs-method': 'http_method', 'cs-host': 'dst_domain' },
  ...{ 'cs(host)': 'dst_domain', 'cs(user-agent)': 'user_agent', 'cs(referer)': 'referrer' },
  ...{ 'sc-status': 'http_status', 'sc-bytes': 'bytes', action: 'action', 's-action': 'action' },
  ...{ 's-reason': 'reason', 'event-id': 'action', 'server-hostname': 'host' },
  // Exchange's logs of its web services (HttpProxy).
  ...{ clientipaddress: 'src_ip', serverhostname: 'host', authenticateduser: 'user' },
  ...{ urlhost: 'dst_domain', httpstatus: 'http_status', method: 'http_method' },
  ...{ useragent: 'user_agent' },
  // Exchange's tracking of messages.
  ...{ 'sender-address': 'email_from', 'recipient-address': 'email_to' },
  'message-subject': 'email_subject',
};

/** The same where an event of Exchange's tracking is that this server sends: then the client is the server itself. */
const NAMES_OF_SENDING: typeof NAMES = {
  ...NAMES,
  ...{ 'client-hostname': 'host', 'server-hostname': 'dst_domain' },
};
const SEND = new TextEncoder().encode('send');

const URL: Target = { to: 'text', name: 'url' };

export class W3cColumns {
  private readonly batch: EventBatch;
  private targets: readonly Target[] = [];
  /** Number of Exchange's column that says what happened, or -1; and the targets if this server sends. */
  private event = -1;
  private targetsOfSending: readonly Target[] = [];
  /** Numbers of the columns with the target of a request, the best first; as targets they are attributes. */
  private urls: readonly number[] = [];
  /** Number of columns that form the time of a line. */
  private timeColumns = 0;
  private isCommas = false;
  private isLocal = false;
  private readonly starts = new Int32Array(MOST_COLUMNS);
  private readonly ends = new Int32Array(MOST_COLUMNS);

  constructor(batch: EventBatch) {
    this.batch = batch;
  }

  /** Reads a heading, which describes the following lines. */
  heading(b: Uint8Array, start: number, end: number): void {
    const heading = new TextDecoder().decode(b.subarray(start, end)).trim();
    if (heading.startsWith('#Version:')) this.isLocal = false;
    else if (heading === LOCAL_TIMES) this.isLocal = true;
    if (!heading.startsWith(FIELDS)) return;
    const text = heading.slice(FIELDS.length).trim();
    this.isCommas = text.includes(',');
    const names = text.split(this.isCommas ? /\s*,\s*/ : /\s+/).filter((name) => name !== '');
    const lower = names.map((name) => name.toLowerCase());
    this.timeColumns = 0;
    if (lower[0] === 'date' && lower[1] === 'time') this.timeColumns = 2;
    else if (lower[0] === 'date-time' || lower[0] === 'datetime') this.timeColumns = 1;
    this.urls = URLS.map((name) => lower.indexOf(name)).filter((column) => column >= 0);
    const isWide = names.length > MOST_COLUMNS;
    this.targets = isWide ? [] : lower.map((name, i) => targetOf(name, names[i]!));
    this.event = lower.indexOf('event-id');
    this.targetsOfSending = isWide
      ? []
      : lower.map((name, i) =>
          // The client of the message that is sent on is not an end of this connection.
          name === 'original-client-ip'
            ? { to: 'attribute', name: names[i]! }
            : targetOf(name, names[i]!, NAMES_OF_SENDING),
        );
  }

  /**
   * Aligns a header with the columns of a line: its message is everything after its time, and it has no other
   * header.
   */
  align(h: Header): void {
    if (this.targets.length === 0) return;
    h.hostStart = -1;
    h.programStart = -1;
    h.procidStart = -1;
    h.severity = -1;
    h.pid = -1;
    if (!h.leading || this.timeColumns === 0) return;
    if (h.stamp.end < h.messageEnd) h.messageStart = h.stamp.end + 1;
    if (this.timeColumns === 2 && !this.isLocal) h.stamp.zoned = true;
  }

  /** Sets the values that the message of a line states, in the row being filled. */
  fill(h: Header, b: Uint8Array, valid: boolean): void {
    const { starts, ends } = this;
    let { targets } = this;
    if (targets.length === 0) return;
    const first = h.leading ? this.timeColumns : 0;
    if (this.cut(b, h.messageStart, h.messageEnd) !== targets.length - first) return;
    if (this.event >= 0 && isText(b, starts[this.event - first]!, ends[this.event - first]!, SEND))
      targets = this.targetsOfSending;
    const url = this.urls.find((i) => this.hasValue(b, i - first)) ?? -1;
    for (let i = first; i < targets.length; i++)
      if (this.hasValue(b, i - first))
        this.set(i === url ? URL : targets[i]!, b, starts[i - first]!, ends[i - first]!, valid);
  }

  private hasValue(b: Uint8Array, column: number): boolean {
    const start = this.starts[column]!;
    const end = this.ends[column]!;
    return end > start && !(end === start + 1 && b[start] === MINUS);
  }

  /** Records the positions of a line's columns. @returns their number; -1: too many */
  private cut(b: Uint8Array, from: number, to: number): number {
    const lineEnd = b.subarray(from, to).indexOf(LF);
    const end = lineEnd < 0 ? to : from + lineEnd;
    const tab = b.subarray(from, end).indexOf(TAB) >= 0;
    const separator = this.isCommas ? COMMA : tab ? TAB : SPACE;
    let n = 0;
    for (let p = from; p <= end; p++) {
      if (n === MOST_COLUMNS) return -1;
      let start = p;
      let stop: number;
      if (p < end && b[p] === QUOTE) {
        start = ++p;
        p = this.quoteEnd(b, p, end, separator);
        stop = p++;
      } else {
        while (p < end && b[p] !== separator) p += 1;
        stop = p;
      }
      // Several blanks are as one, and one at the end is nothing.
      if (separator === SPACE && start === stop && b[start - 1] !== QUOTE) continue;
      this.starts[n] = start;
      this.ends[n++] = stop;
    }
    return n;
  }

  /** The place of the quote that ends a cell: between commas, a quote within it is doubled. */
  private quoteEnd(b: Uint8Array, from: number, end: number, separator: number): number {
    let p = from;
    while (p < end) {
      if (b[p] !== QUOTE) p += 1;
      else if (this.isCommas && b[p + 1] === QUOTE && p + 1 < end) p += 2;
      else if (p + 1 === end || b[p + 1] === separator) return p;
      else p += 1;
    }
    return end;
  }

  private set(target: Target, b: Uint8Array, start: number, end: number, valid: boolean): void {
    const { batch } = this;
    const row = batch.length;
    switch (target.to) {
      case 'src_ip':
      case 'dst_ip':
        this.setAddress(target.to, b, start, end);
        break;
      case 'src_endpoint':
      case 'dst_endpoint':
        this.setEndpoint(target.to, b, start, end);
        break;
      case 'src_port':
      case 'dst_port': {
        const port = numberOf(b, start, end, 65_535);
        if (port >= 0) batch[target.to].set(row, port);
        break;
      }
      case 'proto': {
        const proto = protocolOf(b, start, end);
        if (proto >= 0) batch.proto.set(row, proto);
        break;
      }
      case 'bytes':
      case 'bytes_rev': {
        const bytes = numberOf(b, start, end, Number.MAX_SAFE_INTEGER);
        if (bytes >= 0) batch[target.to].set(row, bytes);
        break;
      }
      default: {
        if (target.to === 'text' && target.name === 'http_status' && !isStatus(b, start, end))
          return;
        const column =
          target.to === 'host'
            ? batch.host
            : target.to === 'text'
              ? batch.cutText(target.name)
              : batch.attributeColumn(target.name);
        if (column === undefined || column.present[row] === 1) return;
        const isUser = target.to === 'text' && target.name === 'user';
        const from = isUser ? this.setDomain(b, start, end, valid) : start;
        const isQuoted = this.isCommas && b[start - 1] === QUOTE;
        if (isQuoted && b.subarray(from, end).indexOf(QUOTE) >= 0)
          setUnquoted(column, row, b, from, end, valid);
        else column.setBytes(row, b, from, end, valid);
      }
    }
  }

  /** The domain of an account, `EXAMPLE\\alice`. @returns the place of its name */
  private setDomain(b: Uint8Array, start: number, end: number, valid: boolean): number {
    const cut = b.subarray(start, end).indexOf(BACKSLASH);
    if (cut < 0 || start + cut + 1 === end) return start;
    const { batch } = this;
    if (cut > 0) batch.cutText('user_domain').setBytes(batch.length, b, start, start + cut, valid);
    return start + cut + 1;
  }

  private setAddress(name: 'src_ip' | 'dst_ip', b: Uint8Array, start: number, end: number): void {
    if (addressEnd(b, start, end) !== end) return;
    const { batch } = this;
    if (name === 'src_ip') batch.setSource6(batch.length, ADDRESS, 0);
    else batch.setTarget6(batch.length, ADDRESS, 0);
  }

  /** `192.0.2.1:25` or `[2001:db8::1]:25`. */
  private setEndpoint(
    name: 'src_endpoint' | 'dst_endpoint',
    b: Uint8Array,
    start: number,
    end: number,
  ): void {
    let colon = end - 1;
    while (colon > start && b[colon] !== COLON) colon -= 1;
    const isBracketed = b[start] === 91 && b[colon - 1] === 93;
    const source = name === 'src_endpoint';
    const [from, to] = isBracketed ? [start + 1, colon - 1] : [start, colon];
    const port = numberOf(b, colon + 1, end, 65_535);
    if (addressEnd(b, from, to) !== to || port < 0) return;
    this.setAddress(source ? 'src_ip' : 'dst_ip', b, from, to);
    this.batch[source ? 'src_port' : 'dst_port'].set(this.batch.length, port);
  }
}

/** Sets the text of a cell in which a quote is doubled. */
function setUnquoted(
  column: TextColumn,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
  valid: boolean,
): void {
  const text = new Uint8Array(end - start);
  let size = 0;
  for (let p = start; p < end; p++) {
    text[size++] = b[p]!;
    if (b[p] === QUOTE && b[p + 1] === QUOTE && p + 1 < end) p += 1;
  }
  column.setBytes(row, text, 0, size, valid);
}

function targetOf(name: string, written: string, names = NAMES): Target {
  const to = names[name];
  switch (to) {
    case undefined:
      return { to: 'attribute', name: written };
    case 'src_ip':
    case 'dst_ip':
    case 'src_endpoint':
    case 'dst_endpoint':
    case 'proto':
    case 'host':
    case 'src_port':
    case 'dst_port':
    case 'bytes':
    case 'bytes_rev':
      return { to };
    default:
      return { to: 'text', name: to };
  }
}
