/** The registry and the extractors as a page of the documents, docs/fields.md. */
import { shippedDialects } from '../records/dialects.ts';
import type { Extractor } from '../cutting/extractor.ts';
import measured from '../rates.json' with { type: 'json' };
import { FIELDS, SCHEMAS, type Schema } from './registry.ts';

const TITLES: Readonly<Record<Schema, string>> = {
  ecs: 'ECS',
  ocsf: 'OCSF',
  zeek: 'Zeek',
  suricata: 'Suricata',
  sigma: 'Sigma',
  cim: 'Splunk CIM',
  other: 'other',
};

function fieldRow({ name, type, cut, meaning, names }: (typeof FIELDS)[number]): string {
  const others = SCHEMAS.flatMap((schema) => {
    const schemaNames = names[schema];
    return schemaNames === undefined
      ? []
      : `${TITLES[schema]}: ${schemaNames.map((one) => `\`${one}\``).join(', ')}`;
  });
  return `| \`${name}\` | ${type} | ${meaning}${cut ? ' *Cut.*' : ''} | ${others.join('; ')} |`;
}

/** docs/fields.md, which a test compares with this. */
export function fieldsPage(extractors: readonly Extractor[]): string {
  const fields = FIELDS.map(fieldRow);
  const products = shippedDialects()
    .map(({ title }) => title)
    .join('; ');
  const extracted = extractors.map(
    ({ name, version, title, leavesOut, fields: cutFields }) =>
      `| \`${name}/${version}\` | ${title} | ${cutFields.map((one) => `\`${one}\``).join(', ')} | ${leavesOut} |`,
  );
  return `# Fields

<!-- Made from engine/fields: npm run fields-page -->

A query may use a field's own name or any of its other names; names ignore case. If evidence has an attribute of such a
name, both are searched. \`daybook fields --schema\` prints the names.

| field | type | meaning | other names |
| --- | --- | --- | --- |
${fields.join('\n')}

## Fields of records

Members of JSON records and columns of tables become fields by their names: names that a product documents, if the
record is recognised as that product's; otherwise names of ECS and OCSF, and unambiguous names. A value alone never
makes a field. Texts keep their own names, too; addresses and ports are also found by these names
(\`ipAddress:192.0.2.1\`).

If several names could fill a field, the event decides: the user of a Windows logon (4624, 4625, 4768, …) is
\`TargetUserName\`, that of other events \`SubjectUserName\`. \`DOMAIN\\user\` is split into \`user_domain\` and \`user\`,
except in Microsoft 365's audit log. \`user@domain\` is split for Google Workspace, Azure, Netskope and Mimecast, and stays
whole elsewhere. Members of a wrapper (\`data.ip_address\`) have the same meaning, and so do records that Splunk (\`_raw\`)
or Microsoft 365 (\`AuditData\`) wrap in a member or cell. If a product states an account or an address only in a
sentence, as Authelia, Nextcloud and Mimecast do, it is taken from there.

Products: ${products}.

## Fields of messages

[Extractors](extractors.md) also fill the fields marked *Cut* from the text of log messages, in imports and scans. You can
add your own. The message itself does not change. \`extractor\` names the extractor and version of an event's fields; events
without it have only the fields that their source states. An extractor is used only if the whole message matches one
of its templates, and never recognises an address by its form alone. Events whose source states addresses, ports or bytes
get no fields from their message.

In a message that ends with a JSON object (\`app: {"client_ip":…}\`), the members are read like those of records
(extractor \`json/8\`). A message that is a Windows event in XML is read like one of an event log (\`windows-xml/11\`). If it
repeats a name, it gives no fields.

\`daybook refield CASE\` adds such fields to events that an earlier version imported; it does not need the evidence.

| extractor | for | fields | left out |
| --- | --- | --- | --- |
${extracted.join('\n')}

${ratesText()}`;
}

/** How the fields agree with those that other parsers extract. */
function ratesText(): string {
  return `## How much is found

\`npm run fields-truth\` compares addresses, ports, accounts, URLs, methods, statuses, hosts and codes of events with the
values of other parsers for the same lines of real evidence (elastic/integrations, beats, SEKOIA.IO, CrowdSec, fail2ban).
Formats with fewer than ${LEAST_VALUES} values are combined. *Wrong* means another value, *absent* no value.

| evidence | format | values | right | wrong | absent | doubtful |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
${rateRows().join('\n')}

A difference is *doubtful* if the other parser's value is not what the line states, or contradicts the vendor's
documentation or another parser of the same format:

${doubts.map(({ why, values }) => `- ${why} ${values} values.`).join('\n')}

Reasons for other differences:

- Some parsers use the host that a record is about as its origin (\`srcname\` of FortiGate, the machine of GlobalProtect
  and HIP matches, Wallix's target). In Daybook, \`host\` is the device, and such names are \`src_domain\`.
- Some keep the unspecified address of a tunnel (GlobalProtect, \`0.0.0.0\`), for which Daybook has the public address as
  the source. Some remove the domain of accounts (Okta) if the line also has the short name as a display name.
- Some use the account whose session \`sudo\` or \`su\` closes as the one that acted. In Daybook it is \`user_target\`, as
  when the session opens.
- Some use a forwarded address (X-Forwarded-For) as that of the connection. Daybook leaves it out.
- Some use the model of a Sophos firewall (\`device_name\`) as its name.
- Some take addresses and accounts from sentences (PAN-OS SYSTEM, FortiMail, FortiGate's \`msg\`). If no template has the
  sentence, Daybook extracts nothing: the form of an address does not show its role.
- Names of accounts are without their domain, which is \`user_domain\`. If a format does not say that a text is an account
  of a domain, it stays whole.
`;
}

const LEAST_VALUES = 30;
const { formats: rates } = measured;
const doubts = measured.doubts.filter(({ values }) => values > 0);

type Rate = (typeof rates)[number];

/** The formats with the most values of each kind of evidence first, the rare ones together. */
function rateRows(): string[] {
  return [...Map.groupBy(rates, ({ folder }) => folder)].flatMap(([folder, all]) => {
    const known = all.filter(({ values }) => values >= LEAST_VALUES);
    const rare = all.filter(({ values }) => values < LEAST_VALUES);
    return [
      rateRow(folder, '**all**', all),
      ...known
        .toSorted((x, y) => y.values - x.values)
        .map((one) => rateRow(folder, one.format, [one])),
      ...(rare.length === 0 ? [] : [rateRow(folder, `${rare.length} others`, rare)]),
    ];
  });
}

function rateRow(folder: string, format: string, of: readonly Rate[]): string {
  const sum = (key: 'values' | 'right' | 'wrong' | 'doubtful'): number =>
    of.reduce((total, one) => total + one[key], 0);
  const values = sum('values');
  const [right, wrong, doubtful] = [sum('right'), sum('wrong'), sum('doubtful')];
  const parts = [right, wrong, values - right - wrong - doubtful, doubtful];
  const cells = parts.map((part) => `${((100 * part) / values).toFixed(1)} %`).join(' | ');
  return `| ${folder} | ${format} | ${values} | ${cells} |`;
}
