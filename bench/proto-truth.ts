/**
 * `npm run proto-truth`: what protocols of captures say, against tshark ($DAYBOOK_SHARED/data2/proto-truth). Prints how many
 * values of a field, each counted once for a connection, both have, only tshark has, and only Daybook has.
 * `--only FIELD` compares one field and prints what differs; `--capture TEXT` reads captures whose path has the text.
 *
 * Tables list at most 300 frames of a capture: captures with as many are left out.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { CollectedRow } from '../importers/shared/testing/collect.ts';
import { between, captureEvents, protocolTruth, valuesOf } from './capture-events.ts';

const MOST_LISTED = 300;

type Frame = Readonly<Record<string, string>>;
interface Comparison {
  readonly name: string;
  readonly table: string;
  readonly theirs: (frame: Frame) => readonly string[];
  readonly ours: (row: CollectedRow) => readonly unknown[];
  /** The table does not say between which ends. */
  readonly isOfCapture?: true;
}

/** Several values in one cell are joined by `|`. */
function parts(cell: string | undefined): string[] {
  return (cell ?? '').split(/(?<!\\)\|/).map((part) => part.replaceAll('\\|', '|'));
}
/** tshark writes NULL for a text of no bytes. */
const named = (name: string) => (frame: Frame) =>
  parts(frame[name]).filter((text) => text !== 'NULL');
const cell = (name: string) => (frame: Frame) => parts(frame[name]);
/** Of messages that have no other records than answers. */
const answers = (name: string) => (frame: Frame) =>
  parts(frame['dns.resp.type']).length === Number(frame['dns.count.answers'])
    ? parts(frame[name])
    : [];
/** Names in lists of folders are of files that nobody has opened. */
const opened = (frame: Frame): string[] =>
  /^5(\|5)*$/.test(frame['smb2.cmd'] ?? '') ? parts(frame['smb2.filename']) : [];
/** SMB 1 names begin with a separator; tshark also shows them in answers and later requests. */
const opened1 = (frame: Frame): string[] =>
  /^0x(?:2d|a2)\|0xff$/.test(frame['smb.cmd'] ?? '')
    ? parts(frame['smb.file']).map((name) => name.replace(/^\\/, ''))
    : [];
/** The share of a later request may be known of another connection of the same session. */
const connected = (frame: Frame): string[] =>
  frame['smb2.cmd'] === '3' ? parts(frame['smb2.tree']) : [];
/** Not within SMB or other protocols. */
const plainKerberos = (name: string) => (frame: Frame) =>
  /:(?:udp|tcp):kerberos$/.test(frame['layers'] ?? '') ? parts(frame[`kerberos.${name}`]) : [];
/** Service of a login with a Kerberos ticket within another protocol. */
const ticketService = (frame: Frame): string[] =>
  frame['kerberos.msg_type'] === '14' ? parts(frame['kerberos.SNameString']) : [];
const nameParts = (value: unknown): string[] => (typeof value === 'string' ? value.split('/') : []);
const ofBinds = (row: CollectedRow): readonly unknown[] =>
  row.kind === 'ldap' && row['event_type'] === 'login' ? [row['user']] : [];
/** The values of an attribute or column of events of a kind. */
const of =
  (kind: string, ...names: readonly string[]) =>
  (row: CollectedRow) =>
    row.kind === kind ? names.flatMap((name) => valuesOf(row, name)) : [];

/**
 * Files that tshark exports of a protocol, by their SHA-256.
 * @param names hashes of bodies that are parts of files
 */
function objects(protocol: string, service: string, ...names: readonly string[]): Comparison {
  return {
    ...{ name: `${protocol} file hash`, table: 'http-objects', isOfCapture: true },
    theirs: (frame) => (frame['proto'] === protocol ? parts(frame['sha256']) : []),
    ours: (row) => [
      ...(row.kind === 'file' && row['service'] === service ? [row['sha256']] : []),
      ...of(service, ...names)(row),
    ],
  };
}

/** Arguments of one command of a protocol of lines. */
const argument =
  (protocol: string, command: RegExp, cut = /^/) =>
  (frame: Frame) =>
    parts(frame[`${protocol}.${protocol === 'ftp' ? 'request' : 'req'}.command`]).flatMap(
      (name, i) =>
        command.test(name)
          ? [
              parts(frame[`${protocol}.${protocol === 'ftp' ? 'request.arg' : 'req.parameter'}`])[
                i
              ]?.replace(cut, '') ?? '',
            ]
          : [],
    );
const ADDRESS = /^(?:FROM|TO):\s*<?|>.*$/gi;

const COMPARISONS: readonly Comparison[] = [
  {
    ...{ name: 'dns query', table: 'dns' },
    theirs: (frame) => [
      ...parts(frame['dns.qry.name']).map((name) => name.replace('<Root>', '.')),
      ...parts(frame['nbns.name']).map((name) => name.replace(/ \(.*$/, '')),
    ],
    ours: of('dns', 'query'),
  },
  { name: 'dns A', table: 'dns', theirs: answers('dns.a'), ours: of('dns', 'answers') },
  { name: 'dns AAAA', table: 'dns', theirs: answers('dns.aaaa'), ours: of('dns', 'answers') },
  { name: 'http uri', table: 'http', theirs: cell('http.request.uri'), ours: of('http', 'uri') },
  { name: 'http host', table: 'http', theirs: cell('http.host'), ours: of('http', 'host') },
  {
    ...{ name: 'http status', table: 'http', theirs: cell('http.response.code') },
    ours: of('http', 'http_status', 'info_code'),
  },
  {
    ...{ name: 'http user agent', table: 'http', theirs: cell('http.user_agent') },
    ours: of('http', 'user_agent'),
  },
  {
    ...{ name: 'tls server name', table: 'tls', ours: of('tls', 'server_name') },
    theirs: cell('tls.handshake.extensions_server_name'),
  },
  { name: 'tls JA3', table: 'tls', theirs: cell('tls.handshake.ja3'), ours: of('tls', 'ja3') },
  { name: 'tls JA3S', table: 'tls', theirs: cell('tls.handshake.ja3s'), ours: of('tls', 'ja3s') },
  {
    ...{ name: 'ssh banner', table: 'ssh', theirs: cell('ssh.protocol') },
    ours: of('ssh', 'client', 'server'),
  },
  { name: 'ssh HASSH', table: 'ssh', theirs: cell('ssh.kex.hassh'), ours: of('ssh', 'hassh') },
  {
    ...{ name: 'ssh HASSH server', table: 'ssh', theirs: cell('ssh.kex.hasshserver') },
    ours: of('ssh', 'hasshServer'),
  },
  {
    ...{ name: 'dhcp host name', table: 'other', theirs: cell('dhcp.option.hostname') },
    ours: of('dhcp', 'host_name'),
  },
  {
    ...{ name: 'dhcp MAC', table: 'other', theirs: cell('dhcp.hw.mac_addr') },
    ours: of('dhcp', 'mac'),
  },
  {
    ...{ name: 'dhcp address', table: 'other' },
    theirs: (frame) => parts(frame['dhcp.ip.your']).filter((address) => address !== '0.0.0.0'),
    ours: of('dhcp', 'assigned_addr'),
  },
  {
    ...{ name: 'ftp user', table: 'mail-ftp', theirs: argument('ftp', /^USER$/i) },
    ours: of('ftp', 'user'),
  },
  {
    ...{ name: 'ftp file', table: 'mail-ftp', theirs: argument('ftp', /^(RETR|STOR)$/i) },
    ours: (row) =>
      row.kind === 'ftp' && /^(RETR|STOR)$/.test(String(row['command'])) ? [row.attrs['arg']] : [],
  },
  {
    ...{ name: 'smtp sender', table: 'mail-ftp', theirs: argument('smtp', /^MAIL$/i, ADDRESS) },
    ours: of('smtp', 'mailfrom'),
  },
  {
    ...{ name: 'smtp recipient', table: 'mail-ftp', theirs: argument('smtp', /^RCPT$/i, ADDRESS) },
    ours: of('smtp', 'rcptto'),
  },
  {
    ...{ name: 'smtp subject', table: 'mail-ftp' },
    theirs: (frame) =>
      frame['col_protocol']?.startsWith('SMTP') === true ? parts(frame['imf.subject']) : [],
    ours: of('smtp', 'subject'),
  },
  {
    ...{ name: 'ntlm user', table: 'auth-smb', theirs: named('ntlmssp.auth.username') },
    ours: of('ntlm', 'user'),
  },
  {
    ...{ name: 'ntlm domain', table: 'auth-smb', theirs: named('ntlmssp.auth.domain') },
    ours: of('ntlm', 'domainname'),
  },
  {
    ...{ name: 'ntlm workstation', table: 'auth-smb', theirs: named('ntlmssp.auth.hostname') },
    ours: of('ntlm', 'hostname'),
  },
  { name: 'smb share', table: 'auth-smb', theirs: connected, ours: of('smb', 'path') },
  {
    name: 'smb file',
    table: 'auth-smb',
    theirs: (frame) => [...opened(frame), ...opened1(frame)],
    ours: of('smb', 'name'),
  },
  {
    ...{ name: 'kerberos client', table: 'auth-smb', theirs: plainKerberos('CNameString') },
    ours: (row) => of('kerberos', 'cname')(row).flatMap(nameParts),
  },
  {
    ...{ name: 'kerberos service', table: 'auth-smb', theirs: plainKerberos('SNameString') },
    ours: (row) =>
      row['event_type'] === 'AP' ? [] : of('kerberos', 'sname')(row).flatMap(nameParts),
  },
  {
    ...{ name: 'ticket service', table: 'auth-smb', theirs: ticketService },
    ours: (row) =>
      row['event_type'] === 'AP' ? of('kerberos', 'sname')(row).flatMap(nameParts) : [],
  },
  { name: 'ldap name', table: 'other', theirs: cell('ldap.name'), ours: ofBinds },
  {
    name: 'rdp cookie',
    table: 'other',
    theirs: cell('rdp.rt_cookie'),
    ours: (row) =>
      of('rdp', 'cookie')(row).map((one) => (typeof one === 'string' ? `Cookie: ${one}` : '')),
  },
  {
    ...{ name: 'rdp client', table: 'other', theirs: cell('rdp.client.name') },
    ours: of('rdp', 'client_name'),
  },
  { name: 'sip method', table: 'other', theirs: cell('sip.Method'), ours: of('sip', 'method') },
  {
    name: 'sip status',
    table: 'other',
    theirs: cell('sip.Status-Code'),
    ours: of('sip', 'status_code'),
  },
  { name: 'sip from', table: 'other', theirs: cell('sip.from.user'), ours: of('sip', 'from_user') },
  { name: 'sip to', table: 'other', theirs: cell('sip.to.user'), ours: of('sip', 'to_user') },
  {
    ...{ name: 'snmp community', table: 'other', theirs: cell('snmp.community') },
    ours: of('snmp', 'community'),
  },
  objects('http', 'http', 'resp_sha256', 'req_sha256'),
  objects('smb', 'smb'),
  objects('imf', 'smtp'),
  objects('tftp', 'tftp'),
];

function framesOf(file: string): Map<string, Frame[]> {
  const [head = '', ...lines] = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const names = head.split('\t');
  const frames = lines.map((line): Frame => {
    const cells = line.split('\t');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
  return Map.groupBy(frames, (frame) => frame['capture']!);
}

function tuple(ends: string, value: unknown): string[] {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return text === '' ? [] : [`${ends} ${text}`];
}

const USAGE = `Usage: npm run proto-truth -- [--only FIELD] [--capture TEXT]

Compares protocol events of captures with the fields of tshark ($DAYBOOK_SHARED/data2/proto-truth).

  --only FIELD    compare one field, and print what differs
  --capture TEXT  read captures whose path has TEXT`;

const { values: asked } = parseArgs({
  options: {
    only: { type: 'string' },
    capture: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h' },
  },
});

async function compare(shared: string, truth: string): Promise<void> {
  const comparisons = COMPARISONS.filter(({ name }) => (asked.only ?? name) === name);
  const tables = new Map(
    [...new Set(comparisons.map(({ table }) => table))].map((name) => [
      name,
      framesOf(path.join(truth, `${name}.tsv`)),
    ]),
  );
  const captures = new Set([...tables.values()].flatMap((frames) => [...frames.keys()]));
  const counts = new Map(comparisons.map(({ name }) => [name, { both: 0, theirs: 0, ours: 0 }]));
  for (const capture of [...captures].filter((name) => name.includes(asked.capture)).toSorted()) {
    const events = await captureEvents(shared, capture);
    for (const { name, table, theirs, ours, isOfCapture } of comparisons) {
      const frames = tables.get(table)?.get(capture) ?? [];
      if (frames.length === 0 || frames.length >= MOST_LISTED) continue;
      const expected = new Set(
        frames
          .filter((frame) => isOfCapture === true || frame['in_icmp'] === '')
          .flatMap((frame) => {
            const source = `${frame['src']!}:${frame['sport']!}`;
            const target = `${frame['dst']!}:${frame['dport']!}`;
            const ends = isOfCapture === true ? '' : between(source, target);
            return theirs(frame).flatMap((value) => tuple(ends, value));
          }),
      );
      const found = new Set(
        events.flatMap(({ row, ends }) =>
          ours(row).flatMap((value) => tuple(isOfCapture === true ? '' : ends, value)),
        ),
      );
      // Answers of one type are among those of all.
      if (/ (?:A|AAAA)$/.test(name))
        for (const value of found) if (!expected.has(value)) found.delete(value);
      const count = counts.get(name)!;
      const missing = [...expected].filter((value) => !found.has(value));
      const more = [...found].filter((value) => !expected.has(value));
      count.both += expected.size - missing.length;
      count.theirs += missing.length;
      count.ours += more.length;
      if (asked.only === undefined) continue;
      for (const value of missing) console.log(`tshark\t${capture}\t${value}`);
      for (const value of more) console.log(`daybook\t${capture}\t${value}`);
    }
  }
  console.log(`${'field'.padEnd(20)} both  only tshark  only Daybook  rate`);
  for (const [name, { both, theirs, ours }] of counts) {
    const rate = both + theirs === 0 ? '' : `${((100 * both) / (both + theirs)).toFixed(1)} %`;
    console.log(
      `${name.padEnd(20)} ${String(both).padStart(4)}  ${String(theirs).padStart(11)}  ${String(ours).padStart(12)}  ${rate}`,
    );
  }
}

const shared = process.env['DAYBOOK_SHARED'];
const truth = asked.help === true ? undefined : protocolTruth(shared);
if (asked.help === true) console.log(USAGE);
else if (truth !== undefined) await compare(shared!, truth);
