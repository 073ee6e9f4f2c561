/** The registry and the extractors as a page of the documents, docs/fields.md. */
import type { Extractor } from './extractor.ts';
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

/** docs/fields.md, which a test compares with this. */
export function fieldsPage(extractors: readonly Extractor[]): string {
  const fields = FIELDS.map(({ name, type, cut, meaning, names }) => {
    const others = SCHEMAS.flatMap((schema) => {
      const own = names[schema];
      return own === undefined
        ? []
        : `${TITLES[schema]}: ${own.map((one) => `\`${one}\``).join(', ')}`;
    });
    return `| \`${name}\` | ${type} | ${meaning}${cut ? ' *Cut.*' : ''} | ${others.join('; ')} |`;
  });
  const extracted = extractors.map(
    ({ name, version, title, leavesOut, fields: own }) =>
      `| \`${name}/${version}\` | ${title} | ${own.map((one) => `\`${one}\``).join(', ')} | ${leavesOut} |`,
  );
  return `# Fields

<!-- Made from engine/fields: npm run fields-page -->

A query may use a field's own name or any other name that stands beside it; names ignore case. Where evidence has an
attribute of such a name, too, both are searched. \`daybook fields --schema\` prints the names.

| field | type | meaning | other names |
| --- | --- | --- | --- |
${fields.join('\n')}

## Cut out of messages

Fields marked *Cut* are also filled from the text of log messages, when they are imported and in a scan, by extractors.
The message stays as it is. \`extractor\` says which extractor, and which version of it, cut an event's fields: events
without it have only what their source states. An extractor cuts a message only if all of it fits one of its templates,
and never takes an address for what it is by its look alone. Events whose source states addresses, ports or bytes are not cut.
Events that were imported by an earlier version have no such fields.

| extractor | for | fields | left out |
| --- | --- | --- | --- |
${extracted.join('\n')}
`;
}
