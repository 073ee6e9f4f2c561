/** The commands of the command line, in the order of its help. */
import type { CommandSpec } from './arguments.ts';
import type { Command } from './command.ts';

interface Entry {
  summary: string;
  /** Whether it changes nothing, so that it may be killed at any time. */
  reads?: true;
  load: () => Promise<Command>;
}

/** Loaded on demand, since starting must be fast. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  open: {
    summary: 'open the window',
    load: async () => (await import('./commands/open.ts')).openCommand,
  },
  serve: {
    summary: 'serve the window to a browser on this machine',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  preview: {
    summary: 'show how an import would read files',
    load: async () => (await import('./commands/preview.ts')).previewCommand,
  },
  import: {
    summary: 'read evidence into a case',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  query: {
    summary: 'search, group and count events',
    reads: true,
    load: async () => (await import('./commands/query.ts')).queryCommand,
  },
  count: {
    summary: 'count the events that match',
    reads: true,
    load: async () => (await import('./commands/query.ts')).countCommand,
  },
  top: {
    summary: 'list the most frequent values of fields',
    reads: true,
    load: async () => (await import('./commands/query.ts')).topCommand,
  },
  timeline: {
    summary: 'count events per interval',
    reads: true,
    load: async () => (await import('./commands/query.ts')).timelineCommand,
  },
  event: {
    summary: 'show one event: fields, bytes, layers, neighbours, note',
    load: async () => (await import('./commands/event.ts')).eventCommand,
  },
  hosts: {
    summary: 'list addresses with their names, users and services',
    reads: true,
    load: async () => (await import('./commands/hosts.ts')).hostsCommand,
  },
  scan: {
    summary: 'query one file, without a case',
    load: async () => (await import('./commands/scan.ts')).scanCommand,
  },
  sources: {
    summary: 'list what was imported, with its ledger',
    reads: true,
    load: async () => (await import('./commands/sources.ts')).sourcesCommand,
  },
  days: {
    summary: 'count events by day and kind',
    reads: true,
    load: async () => (await import('./commands/days.ts')).daysCommand,
  },
  fields: {
    summary: 'list the fields of events; manage the extractors that fill them',
    load: async () => (await import('./commands/fields.ts')).fieldsCommand,
  },
  watch: {
    summary: 'follow the changes of a case',
    load: async () => (await import('./commands/watch.ts')).watchCommand,
  },
  describe: {
    summary: "show or set a case's number and examiner",
    load: async () => (await import('./commands/describe.ts')).describeCommand,
  },
  tag: {
    summary: 'tag the events that a query finds',
    load: async () => (await import('./commands/tag.ts')).tagCommand,
  },
  findings: {
    summary: 'list tags and notes; set their severity, colour and place',
    load: async () => (await import('./commands/findings.ts')).findingsCommand,
  },
  searches: {
    summary: 'list, save and remove saved searches',
    load: async () => (await import('./commands/searches.ts')).searchesCommand,
  },
  delete: {
    summary: 'delete the events that a query finds',
    load: async () => (await import('./commands/delete.ts')).deleteCommand,
  },
  overlap: {
    summary: 'list lines that sources have in common; leave them out or show them',
    load: async () => (await import('./commands/overlap.ts')).overlapCommand,
  },
  refield: {
    summary: 'extract fields from messages again, without the evidence',
    load: async () => (await import('./commands/refield.ts')).refieldCommand,
  },
  retime: {
    summary: 'change the zone, year or clock error decided for sources',
    load: async () => (await import('./commands/retime.ts')).retimeCommand,
  },
  carve: {
    summary: 'write the files that connections carried',
    load: async () => (await import('./commands/carve.ts')).carveCommand,
  },
  slice: {
    summary: 'write the packets that a query finds to a capture',
    load: async () => (await import('./commands/slice.ts')).sliceCommand,
  },
  payload: {
    summary: 'search what the connections of captures carried',
    reads: true,
    load: async () => (await import('./commands/payload.ts')).payloadCommand,
  },
  report: {
    summary: 'write the case as one HTML page',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  sql: {
    summary: 'open the case in DuckDB, or run one SQL statement on it',
    load: async () => (await import('./commands/sql.ts')).sqlCommand,
  },
  'hand-over': {
    summary: 'write the case as Parquet files for other tools',
    load: async () => (await import('./commands/hand-over.ts')).handOverCommand,
  },
  attach: {
    summary: 'load a hand-over into ClickHouse',
    load: async () => (await import('./commands/attach.ts')).attachCommand,
  },
  compact: {
    summary: 'merge small segments',
    load: async () => (await import('./commands/compact.ts')).compactCommand,
  },
  verify: {
    summary: 'check hashes, segments and ledgers',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  audit: {
    summary: 'list every change of a case: what, when, by which account',
    reads: true,
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  latency: {
    summary: 'show how long operations took',
    reads: true,
    load: async () => (await import('./commands/latency.ts')).latencyCommand,
  },
  completion: {
    summary: 'print shell completion for bash, zsh or fish',
    reads: true,
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  man: {
    summary: 'print this help as a manual page',
    reads: true,
    load: async () => (await import('./commands/man.ts')).manCommand,
  },
};

/** Other tools' names for commands. */
export const MEANT: Readonly<Record<string, string>> = {
  ...{ search: 'query', find: 'query', grep: 'query', show: 'query', export: 'query --out FILE' },
  ...{ tags: 'findings', notes: 'findings', bookmarks: 'findings', note: 'event --note TEXT' },
  ...{ history: 'audit', log: 'audit', raw: 'event --raw', hex: 'event --hex', saved: 'searches' },
  ...{ add: 'import', ingest: 'import', load: 'import', histogram: 'timeline' },
  ...{ extract: 'carve', files: 'carve', payloads: 'payload', hunt: 'payload' },
  ...{ handover: 'hand-over', publish: 'hand-over', duckdb: 'sql', notebook: 'sql' },
  ...{ info: 'sources', ls: 'sources', list: 'sources', ledger: 'sources' },
  ...{ follow: 'watch', tail: 'watch', rm: 'delete', gui: 'open', web: 'serve' },
};

/** The arguments of each command, with its summary in a line. */
export async function allSpecs(): Promise<readonly (CommandSpec & { readonly line: string })[]> {
  return Promise.all(
    Object.values(COMMANDS).map(async ({ summary, load }) => ({
      ...(await load()).spec,
      line: summary,
    })),
  );
}
