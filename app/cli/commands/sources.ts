/** `daybook sources`: the imported sources, with their ledgers and decisions. */
import { statusOf, type SourceRow, type UnreadFile } from '../../../engine/search/index.ts';
import { listedHashText } from '../../../engine/contract/words/listed-hash-text.ts';
import { isClusterAddress } from '../../../engine/contract/cluster-address.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { locateSources } from '../../../engine/operations/case/locate.ts';
import { fromCatalog } from '../../../engine/operations/case/latency.ts';
import type { Parsed } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { refuseOptions, withAttached } from '../on-cluster.ts';
import { isoMicros, table, visible, write } from '../output.ts';
import { withCase } from '../with-case.ts';

export const sourcesCommand: Command = {
  spec: {
    name: 'sources',
    usage: 'CASE',
    summary:
      'Lists the sources of a case with their ledger: read = stored + duplicate + quarantined + skipped; and the files that were not imported, with the reason.',
    positionals: { least: 1, most: 1 },
    options: {
      locate: {
        type: 'string',
        value: 'FOLDER',
        help: 'look in FOLDER and below for evidence that was moved, by size and SHA-256, and record its new location',
      },
      json: {
        type: 'boolean',
        help: 'one JSON document with everything the catalog knows about each source',
      },
    },
  },
  async run(parsed, context) {
    const { streams, settings } = context;
    const below = parsed.text('locate');
    if (below !== undefined && isClusterAddress(parsed.positionals[0]!))
      refuseOptions(parsed, ['locate']);
    if (below !== undefined)
      return locate(parsed.positionals[0]!, below, parsed.flag('json'), context);
    if (isClusterAddress(parsed.positionals[0]!)) return onCluster(parsed, context);
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      const sources = fromCatalog(session, 'case.sources', () => session.snapshot().sources());
      const unread = session.catalog.ledger.notImported();
      if (parsed.flag('json')) {
        const all = [...sources.map(sourceJson), ...unread.map(unreadJson)];
        await write(streams.out, `${JSON.stringify(all)}\n`);
        return 0;
      }
      if (sources.length === 0) {
        if (unread.length === 0)
          streams.err.write('the case has no sources yet: daybook import CASE PATH…\n');
        await writeUnread(unread, streams);
        return 0;
      }
      const rows = sources.map((source) => [
        source.id,
        source.name,
        source.format,
        source.read,
        source.stored,
        source.duplicate,
        source.quarantined,
        source.skipped,
        isoMicros(source.firstTs)?.slice(0, 19) ?? '',
        isoMicros(source.lastTs)?.slice(0, 19) ?? '',
        [
          source.decisions.tz,
          source.decisions.year,
          source.decisions.dateOrder,
          source.decisions.clock,
        ]
          .filter((text) => text !== undefined)
          .join(' '),
        statusOf(source),
      ]);
      const names = [
        'id',
        'source',
        'format',
        'read',
        'stored',
        'duplicate',
        'quarantined',
        'skipped',
        'first',
        'last',
        'decided',
        'status',
      ];
      await write(streams.out, table(names, rows, streams.out.columns));
      if (unread.length > 0) await write(streams.out, '\n');
      await writeUnread(unread, streams);
      for (const { name, broken } of sources)
        if (broken !== undefined)
          streams.err.write(`${visible(name)}: ${visible(broken.reason)}\n`);
      for (const { name, listedHashes } of sources)
        for (const one of listedHashes)
          if (one.state === 'differs')
            streams.err.write(`${visible(name)}: ${visible(listedHashText(one))}\n`);
      return 0;
    });
  },
};

/** Files that became no source, in a separate table. */
async function writeUnread(
  unread: readonly UnreadFile[],
  { out }: CommandContext['streams'],
): Promise<void> {
  if (unread.length === 0) return;
  const rows = unread.map(({ name, status, importId, reason }) => [name, status, importId, reason]);
  await write(out, table(['not imported', 'status', 'import', 'why'], rows, out.columns));
}

/** The sources listed in a hand-over. */
function onCluster(parsed: Parsed, { streams, signal }: CommandContext): Promise<number> {
  return withAttached(parsed.positionals[0]!, signal, async (cluster) => {
    const { clusterSources, sourceListOf } =
      await import('../../../engine/operations/cluster/cluster-case.ts');
    const listed = sourceListOf(await clusterSources(cluster));
    const sources = listed.map(({ name, first, last, importer, importerVersion, ...source }) => ({
      ...{ source: name, ...source, importer: `${importer} ${importerVersion}` },
      ...{ first: isoMicros(first), last: isoMicros(last) },
    }));
    if (parsed.flag('json')) {
      await write(streams.out, `${JSON.stringify(sources)}\n`);
      return 0;
    }
    const counts = ['read', 'stored', 'duplicate', 'quarantined', 'skipped'] as const;
    const rows = sources.map((one) => [
      ...[one.id, one.source, one.dialect, ...counts.map((name) => one[name])],
      ...[one.first?.slice(0, 19) ?? '', one.last?.slice(0, 19) ?? '', one.status],
    ]);
    const names = ['id', 'source', 'format', ...counts, 'first', 'last', 'status'];
    await write(streams.out, table(names, rows, streams.out.columns));
    return 0;
  });
}

async function locate(
  folder: string,
  below: string,
  asJson: boolean,
  { streams, settings, signal }: CommandContext,
): Promise<number> {
  const report = await locateSources({
    ...{ folder, below, signal },
    builder: { memoryLimit: settings.importMemory, threads: settings.threads },
  });
  const { located, left, unreadable } = report;
  if (asJson) await write(streams.out, `${JSON.stringify(report)}\n`);
  else {
    const rows = located.map(({ source, name, from, to }) => [source, name, from, to]);
    const names = ['id', 'source', 'was', 'is now'];
    if (rows.length > 0) await write(streams.out, table(names, rows, streams.out.columns));
    for (const { name, path, reason } of left)
      streams.err.write(`${visible(name)} is not at ${visible(path)}: ${visible(reason)}\n`);
    for (const one of unreadable) streams.err.write(`not searched: ${visible(one)}\n`);
    streams.err.write(
      located.length + left.length === 0
        ? 'all evidence is still in its place\n'
        : `${counted(located.length, 'source')} located, ${left.length} not found\n`,
    );
  }
  return left.length === 0 ? 0 : 1;
}

/** It has neither number nor records. */
function unreadJson({ name, status, reason, importId }: UnreadFile): unknown {
  return {
    ...{ id: null, source: name, sha256: null, status, error: reason },
    ...{ decisions: {}, notes: [], listedHashes: [], skippedReasons: {}, byKind: {} },
    ...{ read: 0, stored: 0, duplicate: 0, quarantined: 0, skipped: 0, import: importId },
  };
}

function sourceJson(source: SourceRow): unknown {
  return {
    id: source.id,
    source: source.name,
    path: source.path,
    location: source.location,
    sha256: source.rawSha256 ?? null,
    contentSha256: source.contentSha256 ?? null,
    bytes: source.rawSize ?? null,
    contentBytes: source.contentSize ?? null,
    modified: source.modifiedMs === undefined ? null : new Date(source.modifiedMs).toISOString(),
    importer: `${source.importer} ${source.importerVersion}`,
    format: source.importer,
    dialect: source.format,
    options: source.options,
    decisions: source.decisions,
    metadata: source.metadata,
    notes: source.notes,
    status: statusOf(source),
    error: source.error ?? null,
    broken: source.broken ?? null,
    listedHashes: source.listedHashes,
    read: source.read,
    stored: source.stored,
    duplicate: source.duplicate,
    quarantined: source.quarantined,
    skipped: source.skipped,
    skippedReasons: source.skippedReasons,
    byKind: source.byKind,
    first: isoMicros(source.firstTs),
    last: isoMicros(source.lastTs),
    elapsedMs: source.elapsedMs,
    import: source.importId,
  };
}
