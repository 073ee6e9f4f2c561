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

A query may use a field's own name or any other name that stands beside it; names ignore case. Where evidence has an
attribute of such a name, too, both are searched. \`daybook fields --schema\` prints the names.

| field | type | meaning | other names |
| --- | --- | --- | --- |
${fields.join('\n')}

## Read from records

Members of JSON records and columns of tables give fields by their names: those that a product documents, where the
record has its marks, else those of ECS and OCSF, and names that mean the same whatever wrote them. A value alone never
gives a field. Texts stay under their own names, too; addresses and ports are found by these names as well
(\`ipAddress:192.0.2.1\`). Where several names could fill a field, the event decides: the user of a Windows logon
(4624, 4625, 4768, …) is \`TargetUserName\`, that of other events \`SubjectUserName\`. \`DOMAIN\\user\` is divided into
\`user_domain\` and \`user\`, but in Microsoft 365's audit log; so is \`user@domain\` of Google Workspace, Azure, Netskope and
Mimecast, and elsewhere it stays as it is written. What is in a member that wraps the record (\`data.ip_address\`) means the same.
Records that Splunk (\`_raw\`) or Microsoft 365 (\`AuditData\`) wrap in a member or cell are read, too.
Where a product states an account or an address in a sentence alone, as Authelia, Nextcloud and Mimecast do, it is read there.

Products: ${products}.

## Cut out of messages

Fields marked *Cut* are also filled from the text of log messages, when they are imported and in a scan, by
[extractors](extractors.md), to which people add their own.
The message stays as it is. \`extractor\` says which extractor, and which version of it, cut an event's fields: events
without it have only what their source states. An extractor cuts a message only if all of it fits one of its templates,
and never takes an address for what it is by its look alone. Events whose source states addresses, ports or bytes are not cut.
A message that ends with a JSON object (\`app: {"client_ip":…}\`) has its members read as those of records; \`json/5\` marks that. A message that is a Windows event as XML is read as one of an event log; \`windows-xml/8\` marks that.
If it states a name more than once, nothing is cut of it.
Events that were imported by an earlier version get such fields by \`daybook refield CASE\`, which needs no evidence.

| extractor | for | fields | left out |
| --- | --- | --- | --- |
${extracted.join('\n')}

## How much is found

\`npm run fields-truth\` compares addresses, ports, accounts, URLs, methods, statuses, hosts and codes of events with what
other parsers found in the same lines of real evidence (elastic/integrations, beats, SEKOIA.IO, CrowdSec, fail2ban). This is
what it measured; formats of fewer than ${LEAST_VALUES} values are together. *Wrong* is another value than theirs, *absent* none.

| evidence | format | values | right | wrong | absent | doubtful |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
${rateRows().join('\n')}

Where a parser's value is not what the line states, or contradicts the vendor's documentation or another parser of the same
format, a value that differs from it is *doubtful*:

${doubts.map(({ why, values }) => `- ${why} ${values} values.`).join('\n')}

Why other values differ or are absent:

- Some take the host that a record is about for the one that wrote it (\`srcname\` of FortiGate, the machine of
  GlobalProtect and HIP matches, Wallix's target). Here \`host\` is the device, and such names are \`src_domain\`.
- Some keep the unspecified address of a tunnel (GlobalProtect, \`0.0.0.0\`) where here the public address is the source,
  and some cut the domain off accounts (Okta) where the line has the short name, too, as a name for people.
- Some take the account whose session \`sudo\` or \`su\` closes for the one that acted. Here it is \`user_target\`, as where it opens.
- Some take an address that a proxy passed on (X-Forwarded-For) for that of the connection. Here it is left out.
- Some take the model of a Sophos firewall (\`device_name\`) for its name.
- Some read addresses and accounts out of sentences (PAN-OS SYSTEM, FortiMail, FortiGate's \`msg\`). Where the sentence is
  not among the templates nothing is cut: an address is never taken for what it is by its look.
- Names of accounts are without their domain, which is \`user_domain\`; where a format does not say that a text is an
  account of a domain, it stays whole.
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
