/** Handlers of what brings evidence into a case: receiving, looking, importing, the quarantine. */
import type { Part, Request, Result } from '../../contract/operations.ts';
import type { evidenceOperations } from '../../contract/operations/evidence.ts';
import { IdleSlot } from '../../util/idle-slot.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { DaybookError } from '../../contract/errors.ts';
import { resolveZone } from '../../contract/zone.ts';
import type { ImportOptions } from '../../ingest/worker/protocol.ts';
import { WarmThreads } from '../../ingest/coordinator/warm-threads.ts';
import { endDuckdb, type IdleDuckdb } from '../../store/segment-builder.ts';
import type { CallContext, HandlersOf, Services } from '../handler.ts';
import { importEvidence, type ImportReport, type SourceReport } from './import.ts';
import { argumentsOf, listImports, type ImportArguments } from './import-history.ts';
import { importOptions } from './import-items.ts';
import type { ImportWork } from './import-jobs.ts';
import { previewEvidence } from './preview.ts';
import { QuarantineReader } from './quarantine.ts';
import { receivePiece } from './receive.ts';
import { IDLE_MS, PAUSE_MS, isSmallImport } from '../../ingest/compaction/policy.ts';
import { BackgroundMaintenance } from './background-maintenance.ts';
import { maintainOn } from './maintenance-thread.ts';

/** How long what an import has used waits for the next import. */
const KEPT_MS = 60_000;
type Decided = Pick<
  Request<'evidence.preview'>,
  'tz' | 'year' | 'dateOrder' | 'clock' | 'format' | 'mapping'
>;
type ListenTo = 'import.start' | 'import.resume' | 'import.follow';

export function evidenceHandlers(services: Services): HandlersOf<keyof typeof evidenceOperations> {
  const { cases, evidence, imports, settings } = services;
  const start = () => evidence.startWorker();
  const workers = new WarmThreads(start, KEPT_MS);
  /** Those that give way to other work, which a thread does for good. */
  const givingWay = new WarmThreads(start, KEPT_MS);
  const kept = new IdleSlot<IdleDuckdb>(KEPT_MS, endDuckdb);
  const maintainers = new WarmThreads(() => evidence.startMaintenance(), KEPT_MS);
  const maintenance = new BackgroundMaintenance(
    async (folder, task) => {
      const { importMemory, threads } = settings.limits;
      // Of two cores one is left to whoever imports and asks meanwhile.
      const options = { memoryLimit: importMemory, threads: Math.ceil(threads / 2) };
      const made = await maintainOn(maintainers.take(), folder, { ...options, ...task });
      // No commit tells of it.
      if (made > 0) await cases.use(folder, async ({ nodes }) => nodes.renew());
    },
    PAUSE_MS,
    IDLE_MS,
  );
  cases.beforeClose(() => maintenance.close());

  /** @throws DaybookError usage for a decision that no import can follow */
  const optionsOf = (
    decided: Decided,
    capture: { packets?: boolean; flows?: boolean; protocols?: boolean } = {},
  ): ImportOptions => {
    const { tz, year, dateOrder, clock, format, mapping } = decided;
    if (tz !== undefined) resolveZone(tz);
    if (format !== undefined && !evidence.formats.includes(format)) {
      throw new DaybookError(
        'usage',
        `there is no format ${JSON.stringify(format)}`,
        `formats: ${evidence.formats.join(', ')}`,
      );
    }
    for (const field of Object.keys(mapping ?? {})) {
      if (!evidence.isMappable(field))
        throw new DaybookError(
          'usage',
          `the mapping names no field: ${JSON.stringify(field)}`,
          'choose one of the fields that the preview lists, or attrs.NAME',
        );
    }
    return importOptions({ format, timeZone: tz, year, dateOrder, clock, mapping, ...capture });
  };

  const work =
    (folder: string, args: ImportArguments, jobs: number | undefined): ImportWork =>
    async (signal, voice) => {
      const { importMemory, threads, chunkRows, jobs: usual } = settings.limits;
      const { inUse } = maintenance;
      const nothing = { bytes: 0, totalBytes: 0, rows: 0, source: '' };
      const report = await maintenance.around(
        folder,
        () =>
          importEvidence(evidence, {
            background: true,
            startWorker: (gives) => (gives ? givingWay : workers).take(),
            deferMaintenance: true,
            folder,
            ...args,
            jobs: jobs ?? usual,
            builder: { memoryLimit: importMemory, threads, kept, catalogs: cases.writable, inUse },
            signal,
            onListing: () => voice.progress({ ...nothing, phase: 'listing' }),
            onProgress: (progress) => voice.progress(progress),
            onSource: (source) => voice.part({ source: sourceReport(source) }),
            onRecovered: (message) => voice.part({ message }),
            ...(chunkRows === undefined ? {} : { chunk: { rows: chunkRows } }),
          }),
        ({ smallSegmentsLeft }) => smallSegmentsLeft,
      );
      return importReport(report);
    };

  return {
    'evidence.receive': async (request) => {
      const { completed, ...received } = await receivePiece(request);
      if (completed) {
        await cases.use(request.case, async ({ catalog }) =>
          catalog.transaction(() => catalog.audit.add('receive', received)),
        );
      }
      return received;
    },

    'evidence.unlock': async ({ password }) => {
      evidence.unlock(password);
      return {};
    },

    'evidence.preview': async (request, { signal, part }) => {
      const { paths, recursive } = request;
      const options = optionsOf(request);
      const sources =
        request.case === undefined
          ? []
          : await cases.use(request.case, async (session) => session.snapshot().sources);
      const catalog = sources.length === 0 ? undefined : Catalog.open(request.case!);
      const looked = await previewEvidence(evidence, {
        ...{ paths, recursive, options, sources, signal },
        lineHashes: (id) => catalog?.overlaps.lineHashes(id),
        onPreview: (preview) => part({ preview }),
      }).finally(() => catalog?.close());
      // Who has looked imports next.
      (isSmallImport(looked.bytes) ? workers : givingWay).prepare();
      return looked;
    },

    'import.start': async (request, context) => {
      const { packets, flows, protocols, recursive, jobs } = request;
      if (!packets && !flows) {
        throw new DaybookError(
          'usage',
          'without packets and without flows nothing is left of a capture',
          'choose one of them',
        );
      }
      const items = request.items.map(({ path, ...decided }) => ({
        path,
        options: optionsOf(decided, { packets, flows, protocols }),
      }));
      const { limits, leaveOutOverlap } = request;
      const args = {
        ...{ items, recursive, leaveOutOverlap },
        ...(limits === undefined ? {} : { limits }),
      };
      const listener = listenerOf(context);
      return imports.start(request.case, work(request.case, args, jobs), context.signal, listener);
    },

    'import.resume': async (request, context) => {
      const args = await cases.use(request.case, async ({ catalog }) =>
        argumentsOf(catalog, request.importId),
      );
      const listener = listenerOf(context);
      return imports.start(
        request.case,
        work(request.case, args, undefined),
        context.signal,
        listener,
      );
    },

    'import.follow': async (request, context) =>
      (await imports.follow(request.case, context.signal, listenerOf(context))) ?? null,

    'import.cancel': async (request) => ({ cancelled: await imports.cancel(request.case) }),

    'import.list': (request) =>
      cases.use(request.case, async ({ catalog }) => ({
        imports: listImports(catalog, imports.runs(request.case)),
      })),

    'quarantine.list': (request, { client, signal }) =>
      cases.use(request.case, async ({ catalog, folder }) => {
        const key = `quarantine:${folder}`;
        const kept = client.kept.get(key);
        const keeper = kept instanceof QuarantineKeeper ? kept : new QuarantineKeeper(folder);
        client.kept.set(key, keeper);
        return keeper.reader.list(catalog.imports.all(), request, signal);
      }),
  };
}

/** Lets a window page on without scanning a file again. */
class QuarantineKeeper {
  readonly reader: QuarantineReader;
  constructor(folder: string) {
    this.reader = new QuarantineReader(folder);
  }
  dispose(): void {
    // What it knows goes with it.
  }
}

/** Tells a call what an import tells. A window that does not keep up must not hold an import back. */
function listenerOf(context: CallContext<ListenTo>): (part: Part<'import.start'>) => void {
  return (part) => void context.part(part).catch(() => undefined);
}

function sourceReport(report: SourceReport): Result<'import.start'>['sources'][number] {
  const { sourceId, sha256, format, dialect, first, last, message, broken, ...rest } = report;
  return {
    ...rest,
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(format === undefined ? {} : { format }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
    ...(message === undefined ? {} : { message }),
    ...(broken === undefined ? {} : { broken }),
  };
}

function importReport(report: ImportReport): Result<'import.start'> {
  const { importId, sources, manifests, total, elapsedMs } = report;
  return {
    ...{ importId, total, elapsedMs },
    sources: sources.map(sourceReport),
    manifests: [...manifests],
  };
}
