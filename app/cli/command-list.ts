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
    summary: 'the window in a browser, on this machine only',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  preview: {
    summary: 'what an import would make of files',
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
    summary: 'how many events match',
    reads: true,
    load: async () => (await import('./commands/query.ts')).countCommand,
  },
  top: {
    summary: 'the most frequent values of fields',
    reads: true,
    load: async () => (await import('./commands/query.ts')).topCommand,
  },
  timeline: {
    summary: 'events per interval',
    reads: true,
    load: async () => (await import('./commands/query.ts')).timelineCommand,
  },
  event: {
    summary: 'everything about one event: fields, bytes, layers, neighbours, note',
    load: async () => (await import('./commands/event.ts')).eventCommand,
  },
  hosts: {
    summary: 'addresses with their names, users and services',
    reads: true,
    load: async () => (await import('./commands/hosts.ts')).hostsCommand,
  },
  scan: {
    summary: 'a query over one file, without a case',
    load: async () => (await import('./commands/scan.ts')).scanCommand,
  },
  sources: {
    summary: 'what was imported, with its ledger',
    reads: true,
    load: async () => (await import('./commands/sources.ts')).sourcesCommand,
  },
  days: {
    summary: 'events by day and kind',
    reads: true,
    load: async () => (await import('./commands/days.ts')).daysCommand,
  },
  fields: {
    summary: 'which fields events have, and what cuts them out of messages',
    load: async () => (await import('./commands/fields.ts')).fieldsCommand,
  },
  watch: {
    summary: 'follow changes of a case',
    load: async () => (await import('./commands/watch.ts')).watchCommand,
  },
  describe: {
    summary: "a case's number and examiner",
    load: async () => (await import('./commands/describe.ts')).describeCommand,
  },
  tag: {
    summary: 'tag the events a query finds',
    load: async () => (await import('./commands/tag.ts')).tagCommand,
  },
  findings: {
    summary: 'tags and notes in report order: severity, colour, place',
    load: async () => (await import('./commands/findings.ts')).findingsCommand,
  },
  searches: {
    summary: 'saved searches: list, save, take away',
    load: async () => (await import('./commands/searches.ts')).searchesCommand,
  },
  delete: {
    summary: 'delete the events a query finds',
    load: async () => (await import('./commands/delete.ts')).deleteCommand,
  },
  overlap: {
    summary: 'lines that sources have in common: leave them out, or show them',
    load: async () => (await import('./commands/overlap.ts')).overlapCommand,
  },
  refield: {
    summary: 'cut fields out of messages again, without the evidence',
    load: async () => (await import('./commands/refield.ts')).refieldCommand,
  },
  retime: {
    summary: 'change decisions about the times of sources',
    load: async () => (await import('./commands/retime.ts')).retimeCommand,
  },
  carve: {
    summary: 'write files that connections carried',
    load: async () => (await import('./commands/carve.ts')).carveCommand,
  },
  slice: {
    summary: 'write the packets of a query as a capture',
    load: async () => (await import('./commands/slice.ts')).sliceCommand,
  },
  payload: {
    summary: 'search what connections of captures carried',
    reads: true,
    load: async () => (await import('./commands/payload.ts')).payloadCommand,
  },
  report: {
    summary: 'write the case as one page for people',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  sql: {
    summary: 'show the case to DuckDB: one script, or one statement',
    load: async () => (await import('./commands/sql.ts')).sqlCommand,
  },
  'hand-over': {
    summary: 'write the case as Parquet files for others',
    load: async () => (await import('./commands/hand-over.ts')).handOverCommand,
  },
  attach: {
    summary: 'load what was handed over into a ClickHouse',
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
    summary: 'every change of a case: what, when, by whom',
    reads: true,
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  latency: {
    summary: 'how long operations took',
    reads: true,
    load: async () => (await import('./commands/latency.ts')).latencyCommand,
  },
  completion: {
    summary: 'completion of commands and options for bash, zsh or fish',
    reads: true,
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  man: {
    summary: 'this help as a manual page',
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
