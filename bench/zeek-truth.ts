/**
 * `npm run zeek-truth`: what protocols of captures say, against the baselines of Zeek's own tests
 * ($DAYBOOK_SHARED/data2/proto-truth/zeek-index.tsv). Prints for each field of a log how many of its values an event of the
 * same connection has, and how many none has. `--only 'LOG FIELD'` prints those that none has.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  between,
  captureEvents,
  type CaptureEvent,
  protocolTruth,
  valuesOf,
} from './capture-events.ts';

const USAGE = `Usage: npm run zeek-truth -- [--only 'LOG FIELD']

Compares protocol events of captures with Zeek's own baselines ($DAYBOOK_SHARED/data2/proto-truth).

  --only 'LOG FIELD'  print the values of a field that no event has: 'http uri'`;

/** Kinds of the events of a log, and its fields that are compared: Zeek's name, or that and those of Daybook. */
const LOGS: Readonly<Record<string, { readonly kind: string; readonly fields: string }>> = {
  dns: {
    kind: 'dns',
    fields: 'query qtype_name=query_type rcode_name answers AA TC RD RA Z trans_id',
  },
  http: {
    kind: 'http',
    fields:
      'method=http_method host uri referrer user_agent status_code=http_status status_msg info_code info_msg ' +
      'request_body_len response_body_len username=user password origin',
  },
  ssl: { kind: 'tls', fields: 'version cipher server_name next_protocol last_alert' },
  ssh: {
    kind: 'ssh',
    fields:
      'version client server kex_alg host_key_alg cipher_alg mac_alg compression_alg auth_attempts auth_success',
  },
  ftp: { kind: 'ftp', fields: 'user' },
  smtp: {
    kind: 'smtp',
    fields: 'helo mailfrom rcptto from to subject date msg_id in_reply_to last_reply user_agent',
  },
  files: { kind: 'file', fields: 'filename mime_type total_bytes md5 sha1 sha256' },
  dhcp: {
    kind: 'dhcp',
    fields:
      'mac host_name client_fqdn domain requested_addr assigned_addr server_addr circuit_id agent_remote_id subscriber_id',
  },
  kerberos: {
    kind: 'kerberos',
    fields:
      'request_type client service=sname success error_msg=error_msg|error_text cipher forwardable renewable',
  },
  ldap: { kind: 'ldap', fields: 'message_id version object=object|user result' },
  ldap_search: { kind: 'ldap', fields: 'message_id scope base_object result result_count filter' },
  ntlm: {
    kind: 'ntlm',
    fields:
      'username hostname domainname server_nb_computer_name server_dns_computer_name server_tree_name success',
  },
  smb_files: { kind: 'smb', fields: 'name size' },
  smb_mapping: { kind: 'smb', fields: 'path share_type' },
  dce_rpc: { kind: 'dce_rpc', fields: 'endpoint operation named_pipe' },
  rdp: { kind: 'rdp', fields: 'cookie=cookie|user client_name' },
  sip: {
    kind: 'sip',
    fields: 'method uri request_to call_id seq status_code status_msg user_agent request_body_len',
  },
  snmp: { kind: 'snmp', fields: 'version community=community|user' },
  modbus: { kind: 'modbus', fields: 'tid unit func exception' },
  dnp3: { kind: 'dnp3', fields: 'fc_request fc_reply iin' },
};

const { values: asked } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});

function normal(value: string): string {
  return value.trim().toLowerCase();
}

/** A value without Zeek's escapes; of bytes that are no text none is left. */
function unescaped(value: string): string {
  return value.replaceAll(/\\(?:x[0-9a-f]{2}|(\\))/g, '$1');
}

async function compare(shared: string, truth: string): Promise<void> {
  const known = new Map<string, CaptureEvent[]>();
  const counts = new Map<string, { both: number; theirs: number }>();
  const [, ...index] = readFileSync(path.join(truth, 'zeek-index.tsv'), 'utf8').split('\n');
  for (const entry of index.filter(Boolean)) {
    const [capture = '', , log = '', file = ''] = entry.split('\t');
    const compared = LOGS[log];
    if (compared === undefined) continue;
    const events = known.get(capture) ?? (await captureEvents(shared, capture));
    known.set(capture, events);
    let names: string[] = [];
    for (const line of readFileSync(path.join(truth, file), 'utf8').split('\n')) {
      if (line.startsWith('#fields')) names = line.split('\t').slice(1);
      if (line === '' || line.startsWith('#')) continue;
      const cells = line.split('\t');
      const cell = (name: string): string => cells[names.indexOf(name)] ?? '-';
      const ends = between(
        `${cell('id.orig_h')}:${cell('id.orig_p')}`,
        `${cell('id.resp_h')}:${cell('id.resp_p')}`,
      );
      const mine = events.filter(
        (event) =>
          event.row.kind === compared.kind && (!names.includes('id.orig_h') || event.ends === ends),
      );
      for (const pair of compared.fields.split(' ')) {
        const [theirs = '', ours = theirs] = pair.split('=');
        const value = cell(theirs);
        if (/^(?:-|\(empty\)|<.*>)?$/.test(value)) continue;
        const field = `${log} ${theirs}`;
        const count = counts.get(field) ?? { both: 0, theirs: 0 };
        counts.set(field, count);
        const isFound = mine.some(({ row }) =>
          ours
            .split('|')
            .some((name) => normal(valuesOf(row, name).join(',')) === normal(unescaped(value))),
        );
        count[isFound ? 'both' : 'theirs'] += 1;
        if (!isFound && asked.only === field) console.log(`${capture}\t${ends}\t${value}`);
      }
    }
  }
  console.log(`${'field'.padEnd(32)} both  only Zeek`);
  for (const [field, { both, theirs }] of counts)
    if (asked.only === undefined || asked.only === field)
      console.log(`${field.padEnd(32)} ${String(both).padStart(4)}  ${String(theirs).padStart(9)}`);
}

const shared = process.env['DAYBOOK_SHARED'];
const truth = asked.help === true ? undefined : protocolTruth(shared);
if (asked.help === true) console.log(USAGE);
if (truth !== undefined) await compare(shared!, truth);
