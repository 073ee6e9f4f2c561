/** `daybook payload`: what connections of captures carried, searched in the captures themselves. */
import {
  endText,
  notSearchedTexts,
  printable,
  searchedText,
} from '../../../engine/contract/payload-search.ts';
import { resolveZone } from '../../../engine/contract/zone.ts';
import { requestRange } from '../../../engine/operations/query/request-range.ts';
import {
  type FoundPayload,
  searchPayloads,
} from '../../../engine/operations/payload/search-payloads.ts';
import { CaseSession } from '../../../engine/search/index.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { size, TableLayout, visible, write } from '../output.ts';
import { PASSWORD_OPTION, takePasswords } from '../password-option.ts';
import { ProgressLine } from '../progress.ts';

const PARTIAL = 3;
const LIMIT = 1000;
/** Rows that are printed together. */
const ROWS = 50;

export const payloadCommand: Command = {
  spec: {
    name: 'payload',
    usage: "CASE 'TEXT'|'/RE/'|'hex:BYTES' ['QUERY']",
    summary:
      'Searches what connections of captures carried: TCP in order, across packets, and UDP.',
    positionals: { least: 2, most: 3 },
    options: {
      ...TIME_OPTIONS,
      limit: { type: 'string', value: 'N', help: `end after N matches (default ${LIMIT})` },
      ...PASSWORD_OPTION,
      json: { type: 'boolean', help: 'matches as NDJSON, then one document of what was searched' },
    },
    details: `Examples:
  daybook payload CASE 'jndi:'
  daybook payload CASE '/\\$\\{[a-z:]{2,20}/i' 'dst_port:8080'
  daybook payload CASE 'hex:4d5a9000' 'kind:flow src_ip:public'
TEXT ignores the case of A to Z, and is found in UTF-8 and in UTF-16; regular expressions do not, but with i behind them:
'/RE/i'. Matches of one are at most 4,096 bytes long. QUERY says in which connections to search: those that its events
belong to. Payloads are searched as they were sent: what is compressed or encrypted in them is not found.
The evidence is read again; exit status 3: some of it could not be.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [path, pattern, query] = parsed.positionals as [string, string, string | undefined];
    await takePasswords(parsed);
    const zone = resolveZone(parsed.text('tz') ?? 'UTC').name;
    const limit = parsed.whole('limit', 1) ?? LIMIT;
    const isJson = parsed.flag('json');
    const { queryMemory: memoryLimit, threads } = settings;
    const { evidence } = await import('../../compose.ts');
    const session = CaseSession.open(path, { memoryLimit, threads });
    const line = new ProgressLine(streams);
    const layout = new TableLayout(
      ['ts', 'source', 'client', 'sent', 'server', 'proto', 'offset', 'payload'],
      streams.out.columns,
    );
    let rows: FoundPayload[] = [];
    const print = async (): Promise<void> => {
      if (rows.length === 0) return;
      line.clear();
      const given = rows;
      rows = [];
      await write(
        streams.out,
        isJson
          ? given.map((one) => `${JSON.stringify(documentOf(one))}\n`).join('')
          : layout.add(given.map(cellsOf)),
      );
    };
    try {
      const report = await searchPayloads(session, evidence, {
        ...{ pattern, query, zone, limit, signal },
        ...requestRange(parsed.text('from'), parsed.text('to'), zone),
        found: (match) => rows.push(match),
        report: async ({ done, of, source }) => {
          if (rows.length >= ROWS) await print();
          line.update({ bytes: done, totalBytes: of ?? 0, source, phase: 'reading' });
        },
      });
      await print();
      line.clear();
      if (isJson) await write(streams.out, `${JSON.stringify({ searched: report })}\n`);
      else {
        const { matches, isStopped } = report;
        streams.err.write(`${searchedText(matches, report, size)}\n`);
        if (isStopped)
          streams.err.write(
            `ended there: more may follow, and --limit N finds more than ${matches}\n`,
          );
        for (const text of notSearchedTexts(report)) streams.err.write(`${visible(text)}\n`);
      }
      return report.left.length > 0 ? PARTIAL : 0;
    } finally {
      line.clear();
      await session.close();
    }
  },
};

function cellsOf(one: FoundPayload): (string | number | undefined)[] {
  const { source, client, clientPort, server, serverPort, isFromClient, proto, offset } = one;
  return [
    ...[one.time, visible(source), endText(client, clientPort), isFromClient ? '→' : '←'],
    ...[endText(server, serverPort), proto, offset],
    `${printable(one.before)}»${printable(one.match)}«${printable(one.after)}`,
  ];
}

function documentOf(one: FoundPayload): object {
  const { time, ts: _, before, match, after, isFromClient, ...rest } = one;
  return {
    ...{ ts: time, sent_by: isFromClient ? 'client' : 'server', ...rest },
    text: printable(match),
    hex: Buffer.from(match).toString('hex'),
    ...{ before: printable(before), after: printable(after) },
  };
}
