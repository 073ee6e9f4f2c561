/** Summarises an event in one line, for lists that mix kinds. */
import { counted } from '../../contract/words/counted.ts';
import type { Kind } from '../../contract/event.ts';
import type { ShownValue } from '../../query/index.ts';

/** The most informative attributes of each kind, in display order; names as in Zeek's logs. */
const TELLING: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  dns: ['qtype_name', 'query', 'rcode_name', 'answers', 'dns.rrtype', 'dns.rrname', 'dns.rcode'],
  http: ['method', 'uri', 'status_code', 'user_agent'],
  tls: ['version', 'server_name', 'cipher', 'ja4', 'ja3', 'tls.version', 'tls.sni'],
  file: [
    ...['filename', 'fileinfo.filename', 'source', 'mime_type', 'sha256', 'fileinfo.sha256'],
    ...['sha1', 'md5'],
  ],
  alert: ['note', 'name', 'signature', 'category', 'msg'],
  other: [
    ...['msg_types', 'host_name', 'client_addr', 'assigned_addr', 'mac'],
    ...['certificate.subject', 'name', 'note', 'msg', 'addl'],
  ],
};

/** Sender, receiver and size of a file in Zeek's files.log. */
const SENDER = 'attrs.tx_hosts';
const RECEIVER = 'attrs.rx_hosts';
const SEEN_BYTES = 'attrs.seen_bytes';
const HASHES: ReadonlySet<string> = new Set(['sha256', 'fileinfo.sha256', 'sha1', 'md5']);

/** The name of the summary in lists and exports; no query can name it. */
export const SUMMARY = 'summary';

/** Fields that a summary may need for these kinds. */
export function summaryFields(kinds: ReadonlySet<Kind>): string[] {
  const names = ['message', 'event_type'];
  if (kinds.has('flow'))
    names.push('conn_state', 'proto', 'service', 'packets', 'bytes', 'packets_rev', 'bytes_rev');
  if (kinds.has('packet'))
    names.push('proto', 'src_port', 'dst_port', 'bytes', 'tcp_flags', 'captured');
  for (const kind of kinds) names.push(...(TELLING[kind] ?? []).map((name) => `attrs.${name}`));
  if (kinds.has('http')) names.push('attrs.host', 'host');
  if (kinds.has('file')) names.push(SENDER, RECEIVER, SEEN_BYTES);
  return [...new Set(names)];
}

/** `S0 tcp 1 pkt 44 B → 0 pkts 0 B`; an event with a message is summarised by it. */
export function summaryOf(kind: string, value: (field: string) => ShownValue): string | null {
  const message = text(value('message'));
  if (message !== '' && kind !== 'flow' && kind !== 'packet') return message;
  switch (kind) {
    case 'flow': {
      const head = [value('conn_state'), value('proto'), value('service')].map(text);
      const forth = side(value('packets'), value('bytes'));
      const back = side(value('packets_rev'), value('bytes_rev'));
      const sides = back === '' ? forth : `${forth} → ${back}`;
      return joined([...head, sides, message]);
    }
    case 'packet': {
      const ports = [value('src_port'), value('dst_port')].map(text);
      const between = ports.some((port) => port !== '') ? ports.join(' → ') : '';
      const bytes = value('bytes');
      return joined([
        text(value('proto')),
        between,
        flags(value('tcp_flags')),
        typeof bytes === 'number' ? size(bytes) : '',
        message,
      ]);
    }
    case 'http': {
      const host = text(value('attrs.host')) || text(value('host'));
      const [method = '', uri = '', ...rest] = (TELLING.http ?? []).map((name) =>
        text(value(`attrs.${name}`)),
      );
      return joined([method, `${host}${uri}`, ...rest]);
    }
    case 'file': {
      const ends = [SENDER, RECEIVER].map((name) => text(value(name)));
      const [named = [], hashes = []] = [false, true].map((isHash) =>
        (TELLING.file ?? []).filter((name) => HASHES.has(name) === isHash),
      );
      const bytes = value(SEEN_BYTES);
      // One hash is enough to identify a file.
      const [hash = ''] = hashes.map((name) => text(value(`attrs.${name}`))).filter(Boolean);
      return joined([
        text(value('event_type')),
        ends.every((end) => end !== '') ? ends.join(' → ') : '',
        ...named.map((name) => text(value(`attrs.${name}`))),
        bytes === null || !(Number(bytes) >= 0) ? '' : size(Number(bytes)),
        hash,
      ]);
    }
    default: {
      const names = Object.hasOwn(TELLING, kind) ? (TELLING[kind as Kind] ?? []) : [];
      return joined([
        text(value('event_type')),
        ...names.map((name) => text(value(`attrs.${name}`))),
      ]);
    }
  }
}

function joined(parts: readonly string[]): string | null {
  const kept = parts.filter((part) => part !== '');
  return kept.length === 0 ? null : kept.join(' ');
}

/** Zeek writes `-` for a missing value. */
function text(value: ShownValue): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value !== 'string' || value === '-') return '';
  // Lists of texts are stored as JSON.
  const list = /^\["(.*)"\]$/.exec(value)?.[1];
  return list === undefined ? value : list.replaceAll('","', ', ');
}

function side(packets: ShownValue, bytes: ShownValue): string {
  const parts: string[] = [];
  if (typeof packets === 'number') parts.push(counted(packets, 'pkt'));
  if (typeof bytes === 'number') parts.push(size(bytes));
  return parts.join(' ');
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units; one fractional digit below ten. */
function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

const FLAGS = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG', 'ECE', 'CWR', 'NS'] as const;

function flags(value: ShownValue): string {
  if (typeof value !== 'number') return '';
  return FLAGS.filter((_, bit) => (value >> bit) & 1).join(' ');
}
