/**
 * `evidence.preview`: what an import of some paths would yield, source by source. Runs in a separate thread, so
 * that the engine is not blocked; nothing is written to a case.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { SourceRow } from '../../catalog/index.ts';
import { counted } from '../../contract/words/counted.ts';
import type { Part, Result } from '../../contract/operations.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import {
  type FromPreviewWorker,
  type PreviewEnd,
  type PreviewWorkerHandle,
  type SourcePreview,
  type ToPreviewWorker,
  LEAST_RUN,
  LineIndex,
  MOST_ROWS,
  type ImportOptions,
  relativeTimesNote,
} from '../../ingest/index.ts';
import type { Evidence } from './import.ts';
import type { ListedFile } from './import-items.ts';
import { previewBatch } from './preview-batch.ts';
import { append } from '../../util/append.ts';

export type Preview = Part<'evidence.preview'>['preview'];

const MOST_SOURCES = 200;
const MOST_IGNORED = 1000;

interface PreviewParameters {
  paths: readonly string[];
  recursive: boolean;
  options: ImportOptions;
  /** The sources of the case into which the paths would be imported. */
  sources: readonly SourceRow[];
  /** Hashes of the lines of one of these. */
  lineHashes?: (sourceId: number) => Uint32Array | undefined;
  signal: AbortSignal;
  onPreview: (preview: Preview) => Promise<void>;
  /** Maximum number of sources to read. */
  most?: number;
}

/** @throws DaybookError cancelled; whatever listing the paths throws */
export async function previewEvidence(
  evidence: Evidence,
  parameters: PreviewParameters,
): Promise<Result<'evidence.preview'>> {
  const { signal, sources } = parameters;
  const temporary = await mkdtemp(join(tmpdir(), 'daybook-preview-'));
  const known = new Map<number, SourceRow[]>();
  for (const source of sources) {
    if (source.rawSize === undefined || source.status !== 'complete') continue;
    const sameSize = known.get(source.rawSize);
    if (sameSize === undefined) known.set(source.rawSize, [source]);
    else sameSize.push(source);
  }
  const previewer = new PreviewThread(evidence.startPreviewWorker(), {
    type: 'start',
    temporary,
    sizes: [...known.keys()],
  });
  const stop = () => previewer.stop();
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) throw new CancelledError();
    return await previewAll(evidence, previewer, temporary, known, parameters);
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await previewer.close();
    await rm(temporary, { recursive: true, force: true });
  }
}

async function previewAll(
  evidence: Evidence,
  previewer: PreviewThread,
  temporary: string,
  known: ReadonlyMap<number, readonly SourceRow[]>,
  parameters: PreviewParameters,
): Promise<Result<'evidence.preview'>> {
  const { paths, recursive, options, signal, onPreview, most = MOST_SOURCES } = parameters;
  const shared = new SharedLines(parameters);
  const ignored: { name: string; reason: string }[] = [];
  const addIgnored = (name: string, reason: string) => {
    if (ignored.length < MOST_IGNORED) ignored.push({ name, reason });
  };
  let previewed = 0;
  const tell = async (preview: Preview) => {
    previewed += 1;
    await onPreview(preview);
  };
  const files: ListedFile[] = [];
  const there: string[] = [];
  for (const path of paths.map((one) => resolve(one))) {
    // An invalid path is reported in its place; an import of it would not start.
    const problem = await problemOf(evidence, path, temporary);
    if (problem === undefined) there.push(path);
    else await tell(unreadable(basename(path), path, problem));
  }
  const listed = await evidence.list(there, recursive, temporary);
  append(files, listed.files);
  for (const { name, reason } of listed.ignored) addIgnored(name, reason);

  let left = 0;
  for (const [i, file] of files.entries()) {
    if (signal.aborted) throw new CancelledError();
    if (previewed >= most) {
      left += files.length - i;
      break;
    }
    const reports: Promise<void>[] = [];
    const end = await previewer.preview(
      { type: 'preview', file, options, most: most - previewed },
      (message) => {
        if (message.type === 'ignored') addIgnored(message.name, message.reason);
        else reports.push(tell(previewOf(message.preview, known, shared.notesOf(message.preview))));
      },
    );
    await Promise.all(reports);
    if (end.problem !== undefined) await tell(unreadable(file.name, file.path, end.problem));
    if (end.more) left += 1;
  }
  let bytes = 0;
  for (const { path } of files) bytes += await sizeOf(path);
  return { sources: previewed, bytes, ignored, left };
}

/** Why a path cannot be listed. */
async function problemOf(
  evidence: Evidence,
  path: string,
  temporary: string,
): Promise<string | undefined> {
  try {
    // Not its content: that is listed together with the other paths.
    const info = await stat(path);
    if (info.isFile() || info.isDirectory()) return undefined;
    return `${path}: neither a file nor a folder`;
  } catch {
    return evidence.list([path], false, temporary).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof DaybookError) return error.message;
        throw error;
      },
    );
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function unreadable(source: string, path: string, problem: string): Preview {
  return {
    source,
    path,
    members: [],
    records: { rows: 0, columns: [] },
    quarantined: [],
    skippedReasons: {},
    decisions: {},
    asks: { zone: false, year: false, dateOrder: false, mapping: false },
    notes: [],
    problem,
  };
}

function previewOf(
  source: SourcePreview,
  known: ReadonlyMap<number, readonly SourceRow[]>,
  shared: readonly string[],
): Preview {
  const { decisions, table } = source;
  const notes = [...source.notes, ...shared];
  const times = source.rows.flatMap(({ values }) =>
    values.flatMap(([name, value]) => (name === 'ts' && typeof value === 'number' ? [value] : [])),
  );
  if (times.length > 0) {
    // Fewer than are shown at most: they are all there are.
    const which = source.rows.length < MOST_ROWS ? undefined : 'the times of its first records';
    const relative = relativeTimesNote(Math.min(...times), Math.max(...times), which);
    if (relative !== undefined) notes.push(relative);
  }
  const same = sameSource(source, known);
  if (same !== undefined && source.rawSha256 === undefined) {
    notes.push(
      `it has the size and the first bytes of source ${same.id} (${same.name}): probably the same file`,
    );
  }
  return {
    source: source.name,
    path: source.location.path,
    members: [...source.location.members],
    ...(source.rawSize === undefined ? {} : { bytes: source.rawSize }),
    ...(source.importer === undefined ? {} : { format: source.importer }),
    ...(source.format === undefined ? {} : { dialect: source.format }),
    records: previewBatch(source.rows),
    quarantined: source.quarantined,
    skippedReasons: source.skippedReasons,
    decisions,
    asks: {
      zone: decisions.tz !== undefined,
      year: decisions.year !== undefined,
      dateOrder: decisions.dateOrder !== undefined,
      mapping: decisions['mapping'] !== undefined,
    },
    ...(table === undefined
      ? {}
      : {
          table: {
            columns: table.columns.map(({ name, samples }) => ({ name, samples: [...samples] })),
            mapping: { ...table.mapping },
            fields: [...table.fields],
          },
        }),
    ...(same === undefined ? {} : { already: { sourceId: same.id, name: same.name } }),
    notes,
    ...(source.problem === undefined ? {} : { problem: source.problem }),
  };
}

/** The sources, of the case or previewed before, that first lines belong to. */
class SharedLines {
  private readonly index = new LineIndex();
  private readonly names = new Map<number, string>();
  private readonly loaded = new Set<string>();
  private readonly parameters: Pick<PreviewParameters, 'sources' | 'lineHashes'>;
  private next = 0;

  constructor(parameters: Pick<PreviewParameters, 'sources' | 'lineHashes'>) {
    this.parameters = parameters;
    this.next = Math.max(0, ...parameters.sources.map(({ id }) => id)) + 1;
  }

  notesOf({ name, importer, lineHashes, linesPerRecord }: SourcePreview): string[] {
    if (importer === undefined || lineHashes === undefined) return [];
    this.load(importer);
    const least = LEAST_RUN * Math.round(linesPerRecord);
    const runs = this.index.runsOf(lineHashes).filter(({ lines }) => lines >= least);
    const id = this.next++;
    this.names.set(id, name);
    this.index.add(id, lineHashes);
    return [...Map.groupBy(runs, ({ other }) => other)].map(([other, of]) => {
      const n = of.reduce((sum, { lines }) => sum + lines, 0);
      const first = counted(lineHashes.length, 'line');
      return `${n.toLocaleString('en-US')} of its first ${first} are also in ${this.names.get(other) ?? ''}: an import stores the lines that are equal from the first line on once, and can leave out the rest (--leave-out-overlap)`;
    });
  }

  private load(importer: string): void {
    if (this.loaded.has(importer)) return;
    this.loaded.add(importer);
    for (const source of this.parameters.sources) {
      if (source.importer !== importer) continue;
      const hashes = this.parameters.lineHashes?.(source.id);
      if (hashes === undefined) continue;
      this.names.set(source.id, `source ${source.id} (${source.name})`);
      this.index.add(source.id, hashes);
    }
  }
}

/** The source of the case with the same bytes, as far as that was previewed into. */
function sameSource(
  { rawSize, rawSha256, headSha256 }: SourcePreview,
  known: ReadonlyMap<number, readonly SourceRow[]>,
): SourceRow | undefined {
  if (rawSize === undefined || headSha256 === undefined) return undefined;
  return known
    .get(rawSize)
    ?.find((source) =>
      rawSha256 === undefined ? source.headSha256 === headSha256 : source.rawSha256 === rawSha256,
    );
}

type Previewed = Extract<FromPreviewWorker, { type: 'previewed' | 'ignored' }>;

/** A preview worker that is asked for one file after the other. */
class PreviewThread {
  private readonly worker: PreviewWorkerHandle;
  private readonly gone: Promise<void>;
  private readonly ready: Promise<void>;
  private failure: Error | undefined;
  private onPreviewed: (message: Previewed) => void = () => undefined;
  private onEnd: (end: PreviewEnd | Error) => void = () => undefined;

  constructor(worker: PreviewWorkerHandle, start: Extract<ToPreviewWorker, { type: 'start' }>) {
    this.worker = worker;
    let isReady: () => void = () => undefined;
    this.ready = new Promise((resolve) => {
      isReady = resolve;
    });
    this.gone = new Promise((resolve) => {
      worker.onExit((error) => {
        this.failure = error ?? new CancelledError();
        isReady();
        this.onEnd(this.failure);
        resolve();
      });
    });
    worker.onMessage((message) => {
      if (message.type === 'ready') {
        worker.post(start);
        isReady();
      } else if (message.type === 'done') this.onEnd(message.end);
      else this.onPreviewed(message);
    });
  }

  async preview(
    request: Extract<ToPreviewWorker, { type: 'preview' }>,
    onPreviewed: (message: Previewed) => void,
  ): Promise<PreviewEnd> {
    await this.ready;
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure);
        return;
      }
      this.onPreviewed = onPreviewed;
      this.onEnd = (end) => {
        if (end instanceof Error) reject(end);
        else resolve(end);
      };
      this.worker.post(request);
    });
  }

  stop(): void {
    this.worker.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await this.gone;
  }
}
