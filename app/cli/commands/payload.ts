/** `daybook payload`: searches the payloads of connections in the captures. */
import { counted } from '../../../engine/contract/words/counted.ts';
import {
  bodyText,
  endText,
  MATCH_COLUMNS,
  matchRecord,
  notSearchedTexts,
  printable,
  searchedText,
} from '../../../engine/contract/words/payload-search.ts';
import { tagEvents, tagName } from '../../../engine/operations/marks/mark.ts';
import {
  type FoundPayload,
  type PayloadSearchReport,
  searchPayloads,
} from '../../../engine/operations/payload/search-payloads.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { Parsed } from '../arguments.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { size, TableLayout, visible } from '../output.ts';
import { PASSWORD_OPTION, takePasswords } from '../options/password-option.ts';
import { csvLines, formatOf, type PrintOptions, printTo, RESULT_OPTIONS } from '../print-result.ts';
import { ProgressLine } from '../progress.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

const PARTIAL = 3;
const LIMIT = 1000;
const FORMATS = ['table', 'ndjson', 'csv'] as const;
type Format = (typeof FORMATS)[number];

export const payloadCommand: Command = {
  spec: {
    name: 'payload',
    usage: "CASE 'TEXT'|'/RE/'|'hex:BYTES' ['QUERY']",
    summary:
      'Searches what the connections of captures carried: TCP streams, across packets, and UDP.',
    positionals: { least: 2, most: 3 },
    options: {
      ...TIME_OPTIONS,
      limit: { type: 'string', value: 'N', help: `stop after N matches (default ${LIMIT})` },
      tag: { type: 'string', value: 'NAME', help: 'tag the flows of all matches' },
      format: {
        ...RESULT_OPTIONS.format,
        help: `how to print: ${FORMATS.join(', ')} (default table)`,
      },
      ...{ out: RESULT_OPTIONS.out, force: RESULT_OPTIONS.force },
      ...PASSWORD_OPTION,
      json: {
        type: 'boolean',
        help: 'matches as NDJSON, then one JSON document that says what was searched',
      },
    },
    details: `Examples:
  daybook payload CASE 'jndi:'
  daybook payload CASE '/\\$\\{[a-z:]{2,20}/i' 'dst_port:8080'
  daybook payload CASE 'hex:4d5a9000' 'kind:flow src_ip:public' --tag executable
  daybook payload CASE 'password=' --format csv --out passwords.csv
TEXT ignores the case of A to Z, and is found in UTF-8 and UTF-16. A regular expression is found in UTF-8 alone, and with its case
unless an i follows it: '/RE/i'. Its matches are at most 4,096 bytes long. QUERY limits the search to the connections that its events
belong to. Payloads are searched as sent. Bodies of HTTP/1, and of unencrypted HTTP/2, that are compressed (gzip, deflate, br, zstd)
or sent in chunks or frames are also searched decoded: up to 4 MiB as sent and 64 MiB decoded of each. Text in otherwise compressed or encrypted data is not found.
The evidence is read again. Exit status 3: some of it could not be read.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [path, pattern, query] = parsed.positionals as [string, string, string | undefined];
    await takePasswords(parsed);
    const limit = parsed.whole('limit', 1) ?? LIMIT;
    const isJson = parsed.flag('json');
    const { format, out } = outputOf(parsed);
    const tagged = parsed.text('tag');
    // Before the evidence is read, which may take long.
    const tag = tagged === undefined ? undefined : tagName(tagged);
    const { evidence } = await import('../../compose.ts');
    const line = new ProgressLine(streams);
    return withCase(path, settings, async (session) => {
      const search = await searchPayloads(session, evidence, {
        ...{ pattern, query, limit, signal },
        ...givenRange(parsed),
        report: async ({ done, of, source }) =>
          line.update({ bytes: done, totalBytes: of ?? 0, source, phase: 'reading' }),
      });
      const { report } = search;
      const flows = new Set<string>();
      const { sources } = session.snapshot();
      const guard = { overwrite: parsed.flag('force'), inputs: [], evidence: sources };
      await printTo({ out, guard, streams }, async (output) => {
        const text = textOf(format, { out, streams });
        if (format === 'csv') await output.write(text([]));
        for await (const matches of search.matches()) {
          line.clear();
          if (matches.length > 0) await output.write(text(matches));
          for (const { event } of matches) flows.add(event);
        }
        if (isJson) await output.write(`${JSON.stringify({ searched: report })}\n`);
      });
      line.clear();
      if (!isJson) for (const one of notes(report)) streams.err.write(`${visible(one)}\n`);
      if (tag !== undefined) {
        const { changed } = await tagEvents({
          ...{ session, name: tag, remove: false, signal },
          events: [...flows],
        });
        streams.err.write(
          `${counted(flows.size, 'flow')} matched; ${counted(changed, 'is', 'are')} now tagged ${visible(tag)}\n`,
        );
      }
      return report.left.length > 0 ? PARTIAL : 0;
    }).finally(() => line.clear());
  },
};

/** @throws DaybookError usage */
function outputOf(parsed: Parsed): { format: Format; out: string | undefined } {
  const asked = formatOf(parsed);
  const format = FORMATS.find((one) => one === (asked.format ?? 'ndjson'));
  if (format !== undefined) return { ...asked, format };
  throw new DaybookError(
    'usage',
    `matches cannot be printed as ${asked.format}`,
    `formats: ${FORMATS.join(', ')}`,
  );
}

/** Formats matches; for CSV, an empty list gives the header. */
function textOf(
  format: Format,
  { out, streams }: Pick<PrintOptions, 'out' | 'streams'>,
): (matches: readonly FoundPayload[]) => string {
  if (format === 'ndjson')
    return (matches) =>
      matches.map((one) => `${JSON.stringify(matchRecord(one, one.time))}\n`).join('');
  if (format === 'csv')
    return (matches) => {
      const records = matches.map((one) => matchRecord(one, one.time));
      const rows = records.map((record) => MATCH_COLUMNS.map((name) => record[name]));
      return csvLines(matches.length === 0 ? [MATCH_COLUMNS] : rows, { out, streams });
    };
  const layout = new TableLayout(
    ['ts', 'source', 'client', 'sent', 'server', 'proto', 'offset', 'in', 'payload'],
    out === undefined ? streams.out.columns : undefined,
  );
  return (matches) => layout.add(matches.map(cellsOf));
}

/** Coverage of the search, with the parts that were not searched. */
function notes(report: PayloadSearchReport): string[] {
  const { matches, isStopped } = report;
  return [
    searchedText(matches, report, size),
    ...(isStopped
      ? [`stopped there; there may be more matches: raise --limit above ${matches}`]
      : []),
    ...notSearchedTexts(report),
  ];
}

function cellsOf(one: FoundPayload): (string | number | undefined)[] {
  const { source, client, clientPort, server, serverPort, isFromClient, proto, offset } = one;
  return [
    ...[one.time, visible(source), endText(client, clientPort), isFromClient ? '→' : '←'],
    ...[endText(server, serverPort), proto, offset],
    one.body === undefined ? 'what was sent' : visible(bodyText(one.body)),
    `${printable(one.before)}»${printable(one.match)}«${printable(one.after)}`,
  ];
}
