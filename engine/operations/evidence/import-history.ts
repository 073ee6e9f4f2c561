/** `import.list`, and the data that `import.resume` needs to continue an import. */
import { existsSync } from 'node:fs';
import { type Catalog, type ImportStatus, WriterLock } from '../../catalog/index.ts';
import type { Result } from '../../contract/operations.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { ReadLimits } from '../../contract/left-out.ts';
import { importOptions, type ImportItem } from './import-items.ts';

type ListedImport = Result<'import.list'>['imports'][number];

/** Arguments of an import, as the catalog records them. */
export interface ImportArguments {
  readonly items: readonly ImportItem[];
  readonly recursive: boolean;
  readonly limits?: ReadLimits;
}

/** Every import with its ledger, newest first. `runs`: whether one of this engine is under way. */
export function listImports(catalog: Catalog, runs: boolean): ListedImport[] {
  const imports = catalog.imports.all();
  const ledgers = Map.groupBy(catalog.ledger.of(), (row) => row.importId);
  // An import without a running process was killed; the next writer records that in the catalog.
  const alive =
    imports.some(({ status }) => status === 'running') &&
    (runs || WriterLock.holder(catalog.folder) !== undefined);
  // A later import with the same arguments has resumed an earlier one.
  const texts = imports.map((run) => JSON.stringify(readArguments(run.arguments)) ?? '');
  const latest = new Map(texts.map((text, i) => [text, i]));
  return imports
    .map((run, i): ListedImport => {
      const status = run.status === 'running' && !alive ? 'interrupted' : run.status;
      const later = latest.get(texts[i]!) !== i;
      return {
        id: run.id,
        startedAt: run.startedAt,
        ...(run.finishedAt === undefined ? {} : { finishedAt: run.finishedAt }),
        status,
        arguments: recordOf(run.arguments),
        resumable: !alive && !later && isUnfinished(status) && canRead(run.arguments),
        quarantineBytes: run.quarantineBytes,
        ledger: (ledgers.get(run.id) ?? []).map(({ importId: _, sourceId, message, ...row }) => ({
          ...row,
          ...(sourceId === undefined ? {} : { sourceId }),
          ...(message === undefined ? {} : { message }),
        })),
      };
    })
    .toReversed();
}

/**
 * The arguments of an import, to start it again.
 * @throws DaybookError not-found, usage
 */
export function argumentsOf(catalog: Catalog, importId: number): ImportArguments {
  const run = catalog.imports.all().find(({ id }) => id === importId);
  if (run === undefined) {
    throw new DaybookError('not-found', `there is no import ${importId}`);
  }
  if (run.status === 'complete') {
    throw new DaybookError(
      'usage',
      `import ${importId} is complete: there is nothing left to import`,
    );
  }
  const args = readArguments(run.arguments);
  if (args === undefined || args.items.some(({ path }) => path === '-')) {
    throw new DaybookError(
      'usage',
      `import ${importId} cannot be repeated: what it read was not recorded`,
      'import the same evidence again: nothing in the case is stored twice',
    );
  }
  return args;
}

function isUnfinished(status: ImportStatus): boolean {
  return status === 'cancelled' || status === 'failed' || status === 'interrupted';
}

/** Whether the evidence can be read again: pipes and missing files cannot. */
function canRead(stored: unknown): boolean {
  const args = readArguments(stored);
  return args !== undefined && args.items.every(({ path }) => path !== '-' && existsSync(path));
}

/** As stored by `importEvidence`; before 0.2 with one set of options for all paths. */
function readArguments(stored: unknown): ImportArguments | undefined {
  const { items, paths, options, recursive, limits } = recordOf(stored);
  const pairs: readonly unknown[] | undefined = Array.isArray(items)
    ? items
    : Array.isArray(paths)
      ? paths.map((path: unknown) => ({ path, options }))
      : undefined;
  if (pairs === undefined || pairs.length === 0) return undefined;
  const out: ImportItem[] = [];
  for (const pair of pairs) {
    const one = recordOf(pair);
    if (typeof one['path'] !== 'string') return undefined;
    out.push({ path: one['path'], options: importOptions(recordOf(one['options'])) });
  }
  return {
    items: out,
    recursive: recursive !== false,
    ...(limits === undefined ? {} : { limits: recordOf(limits) }),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
