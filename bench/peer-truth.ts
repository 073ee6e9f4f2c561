/**
 * `npm run peer-truth`: what nDPI lists of flows and what Suricata's own tests expect of events
 * ($DAYBOOK_SHARED/data2/proto-truth), looked for in the events of the same captures. Prints, for each field, how many
 * values, each once for a capture, are in some event, and how many are in none. `--missing FIELD` prints the latter.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { captureEvents, protocolTruth } from './capture-events.ts';

const USAGE = `Usage: npm run peer-truth -- [--missing FIELD]

Looks for the values of nDPI's lists of flows and of Suricata's tests in the events of the same captures.

  --missing FIELD  print the values of a field that no event has, with their captures`;

interface Claim {
  readonly capture: string;
  readonly field: string;
  readonly value: string;
}

/** Columns of nDPI's list with values from a protocol. */
const NDPI = ['host_or_sni', 'ja3c', 'ja3s', 'url', 'http_status', 'user_agent', 'content_type'];
/** Members of Suricata's events whose values Daybook writes in the same way. */
const SURICATA = new RegExp(
  `^(?:${[
    String.raw`tls\.(?:sni|issuerdn|subject|fingerprint|ja3s?\.hash)`,
    String.raw`ssh\.(?:client|server)\.(?:software_version|hassh\.hash)`,
    String.raw`http\.(?:url|hostname|http_method|status|http_user_agent|http_refer)`,
    String.raw`dns\.(?:queries\[0\]\.rrname|rrname|rcode|answers\[\d\]\.(?:rrname|rdata))`,
    String.raw`fileinfo\.(?:filename|sha256|md5)`,
    String.raw`smtp\.(?:mail_from|rcpt_to\[0\]|helo)`,
    String.raw`email\.(?:subject|attachment\[0\])`,
    String.raw`ftp\.command_data|ftp_data\.filename`,
    String.raw`smb\.(?:filename|share|named_pipe)`,
    String.raw`krb5\.(?:cname|realm|sname)|quic\.ja4|sip\.(?:method|uri|code)`,
    String.raw`dhcp\.(?:hostname|client_mac|dhcp_type)`,
    String.raw`ldap\.request\.search_request\.base_object|rdp\.cookie`,
  ].join('|')})$`,
);

function ndpiClaims(folder: string): Claim[] {
  const [head = '', ...lines] = readFileSync(path.join(folder, 'ndpi-flows.tsv'), 'utf8')
    .trimEnd()
    .split('\n');
  const names = head.split('\t');
  return lines.flatMap((line) => {
    const cells = line.split('\t');
    const capture = cells[0] ?? '';
    return NDPI.flatMap((name) => {
      const value = cells[names.indexOf(name)] ?? '';
      return value === ''
        ? []
        : [{ capture, field: `ndpi ${name}`, value: value.replace(/\.\.\.$/, '') }];
    });
  });
}

interface Check {
  readonly capture: string;
  readonly count: number;
  readonly match: Readonly<Record<string, unknown>>;
}

/** Checks that an event does not exist claim nothing. */
function suricataClaims(folder: string): Claim[] {
  const lines = readFileSync(path.join(folder, 'suricata-checks.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.flatMap((line) => {
    const { capture, count, match } = JSON.parse(line) as Check;
    if (count === 0) return [];
    return Object.entries(match).flatMap(([name, value]) =>
      SURICATA.test(name)
        ? [{ capture, field: `suricata ${name}`, value: written(name, String(value)) }]
        : [],
    );
  });
}

/** In Daybook's notation. */
function written(name: string, value: string): string {
  if (name.startsWith('smtp.')) return value.replace(/^<(.*)>$/, '$1');
  if (name === 'tls.fingerprint') return value.replaceAll(':', '');
  return /^tls\.(?:subject|issuerdn)$/.test(name)
    ? value.replace(/(?<=O=[^=]*), (?!\w+=)/g, '\\, ')
    : value;
}

const { values: asked } = parseArgs({
  options: { missing: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const shared = process.env['DAYBOOK_SHARED'];
const folder = asked.help === true ? undefined : protocolTruth(shared);
if (asked.help === true) console.log(USAGE);
else if (shared !== undefined && folder !== undefined) await compare(shared, folder);

async function compare(root: string, truth: string): Promise<void> {
  const claims = [...ndpiClaims(truth), ...suricataClaims(truth)];
  const counts = new Map<string, { there: number; missing: number }>();
  for (const [capture, claimsOfCapture] of Map.groupBy(claims, (one) => one.capture)) {
    const events = await captureEvents(root, capture);
    const said = JSON.stringify(events.map(({ row }) => row)).toLowerCase();
    const distinct = new Map(claimsOfCapture.map((one) => [`${one.field} ${one.value}`, one]));
    for (const { field, value } of distinct.values()) {
      const count = counts.get(field) ?? { there: 0, missing: 0 };
      counts.set(field, count);
      const isThere = said.includes(JSON.stringify(value).slice(1, -1).toLowerCase());
      count[isThere ? 'there' : 'missing']++;
      if (!isThere && asked.missing === field) console.log(`${value}  ${capture}`);
    }
  }
  console.log('| field | in an event | in none |\n|---|---:|---:|');
  for (const [field, { there, missing }] of [...counts].sort())
    console.log(`| ${field} | ${there} | ${missing} |`);
}
