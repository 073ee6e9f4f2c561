/** `daybook payload`: what connections of captures carried, searched in the captures themselves. */
import { counted } from '../../../engine/contract/counted.ts';
import { resolveZone } from '../../../engine/contract/zone.ts';
import { requestRange } from '../../../engine/operations/query/request-range.ts';
import {
  type FoundPayload,
  type PayloadSearchReport,
  searchPayloads,
} from '../../../engine/operations/payload/search-payloads.ts';
import { CaseSession } from '../../../engine/search/index.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { size, TableLayout, visible, write } from '../output.ts';
import { ProgressLine } from '../progress.ts';

const PARTIAL = 3;
const LIMIT = 1000;
/** Rows that are printed together. */
const ROWS = 50;

/** Bytes as text: what is no printable ASCII is a dot. */
function shown(bytes: Uint8Array): string {
  return Array.from(bytes, (c) => (c >= 32 && c < 127 ? String.fromCharCode(c) : '.')).join('');
}

function said(report: PayloadSearchReport): string[] {
  const { matches, isStopped, sources, streams, datagrams, bytes, gaps, missing, evicted } = report;
  const lines = [
    `${counted(matches, 'match', 'matches')} in ${size(bytes)} that ${counted(streams, 'connection')} and ${counted(datagrams, 'datagram')} of ${counted(sources, 'capture')} carried`,
  ];
  if (isStopped) lines.push(`stopped there; more may follow: --limit N finds more than ${matches}`);
  if (gaps > 0)
    lines.push(
      `not searched: ${counted(missing, 'byte')} that were not captured, at ${counted(gaps, 'place')}`,
    );
  if (evicted > 0)
    lines.push(
      `not searched: the rest of ${counted(evicted, 'connection')}, since too many were open at a time`,
    );
  return lines;
}

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
      else streams.err.write(`${said(report).join('\n')}\n`);
      if (!isJson)
        for (const { source, reason } of report.left)
          streams.err.write(`${visible(source)} was not searched: ${visible(reason)}\n`);
      return report.left.length > 0 ? PARTIAL : 0;
    } finally {
      line.clear();
      await session.close();
    }
  },
};

function cellsOf(one: FoundPayload): (string | number | undefined)[] {
  const { source, client, clientPort, server, serverPort, isFromClient, proto, offset } = one;
  const end = (address: string, port: number): string =>
    address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return [
    ...[one.ts, visible(source), end(client, clientPort), isFromClient ? '→' : '←'],
    ...[end(server, serverPort), proto, offset],
    `${shown(one.before)}»${shown(one.match)}«${shown(one.after)}`,
  ];
}

function documentOf(one: FoundPayload): object {
  const { ts, before, match, after, isFromClient, ...rest } = one;
  return {
    ...{ ts, sent_by: isFromClient ? 'client' : 'server', ...rest },
    text: shown(match),
    hex: Buffer.from(match).toString('hex'),
    ...{ before: shown(before), after: shown(after) },
  };
}
