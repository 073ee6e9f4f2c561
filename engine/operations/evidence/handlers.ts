/** Handlers that bring evidence into a case: receiving, previewing, importing, the quarantine. */
import type { Part, Request } from '../../contract/operations.ts';
import type { evidenceOperations } from '../../contract/operations/evidence.ts';
import { Catalog } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import { resolveZone } from '../../contract/time/zone.ts';
import type { ImportOptions } from '../../ingest/index.ts';
import type { CallContext, HandlersOf, Services } from '../handler.ts';
import { argumentsOf, listImports } from './import-history.ts';
import { importOptions } from './import-items.ts';
import { ImportRunner } from './import-runner.ts';
import { previewEvidence } from './preview.ts';
import { QuarantineReader } from './quarantine.ts';
import { receivePiece } from './receive.ts';

type Decided = Pick<
  Request<'evidence.preview'>,
  'tz' | 'year' | 'dateOrder' | 'clock' | 'format' | 'mapping'
>;
type ListenTo = 'import.start' | 'import.resume' | 'import.follow';

export function evidenceHandlers(services: Services): HandlersOf<keyof typeof evidenceOperations> {
  const runner = new ImportRunner(services);
  return { ...lookHandlers(services, runner), ...importHandlers(services, runner) };
}

/** Handlers for evidence before its import, and for records that could not be parsed. */
function lookHandlers(
  { cases, evidence }: Services,
  runner: ImportRunner,
): HandlersOf<'evidence.receive' | 'evidence.unlock' | 'evidence.preview' | 'quarantine.list'> {
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
      const options = optionsOf(evidence, request);
      const sources =
        request.case === undefined
          ? []
          : await cases.use(request.case, async (session) => session.snapshot().sources());
      const catalog = sources.length === 0 ? undefined : Catalog.open(request.case!);
      const looked = await previewEvidence(evidence, {
        ...{ paths, recursive, options, sources, signal },
        lineHashes: (id) => catalog?.overlaps.lineHashes(id),
        onPreview: (preview) => part({ preview }),
      }).finally(() => catalog?.close());
      runner.prepare(looked.bytes);
      return looked;
    },

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

type ImportOperation = Extract<keyof typeof evidenceOperations, `import.${string}`>;

function importHandlers(
  { cases, evidence, imports }: Services,
  runner: ImportRunner,
): HandlersOf<ImportOperation> {
  return {
    'import.start': async (request, context) => {
      const { packets, flows, protocols, recursive, jobs } = request;
      if (!packets && !flows) {
        throw new DaybookError(
          'usage',
          'without packets and without flows nothing of a capture would be stored',
          'choose one of them',
        );
      }
      const items = request.items.map(({ path, ...decided }) => ({
        path,
        options: optionsOf(evidence, decided, { packets, flows, protocols }),
      }));
      const { limits, leaveOutOverlap } = request;
      const args = {
        ...{ items, recursive, leaveOutOverlap },
        ...(limits === undefined ? {} : { limits }),
      };
      const listener = listenerOf(context);
      return imports.start(
        request.case,
        runner.work(request.case, args, jobs),
        context.signal,
        listener,
      );
    },

    'import.resume': async (request, context) => {
      const args = await cases.use(request.case, async ({ catalog }) =>
        argumentsOf(catalog, request.importId),
      );
      const listener = listenerOf(context);
      return imports.start(
        request.case,
        runner.work(request.case, args, undefined),
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
  };
}

/** @throws DaybookError usage for a decision that no import can follow */
function optionsOf(
  evidence: Services['evidence'],
  decided: Decided,
  capture: { packets?: boolean; flows?: boolean; protocols?: boolean } = {},
): ImportOptions {
  const { tz, year, dateOrder, clock, format, mapping } = decided;
  if (tz !== undefined) resolveZone(tz);
  if (format !== undefined && !evidence.formats.includes(format)) {
    throw new DaybookError(
      'usage',
      `unknown format: ${JSON.stringify(format)}`,
      `formats: ${evidence.formats.join(', ')}`,
    );
  }
  for (const field of Object.keys(mapping ?? {})) {
    if (!evidence.isMappable(field))
      throw new DaybookError(
        'usage',
        `the mapping names an unknown field: ${JSON.stringify(field)}`,
        'choose one of the fields that the preview lists, or attrs.NAME',
      );
  }
  return importOptions({ format, timeZone: tz, year, dateOrder, clock, mapping, ...capture });
}

/** Lets a window page on without scanning a file again. */
class QuarantineKeeper {
  readonly reader: QuarantineReader;
  constructor(folder: string) {
    this.reader = new QuarantineReader(folder);
  }
  dispose(): void {
    // Nothing to close: memory is freed with it.
  }
}

/** Forwards an import's progress to a call. A slow window must not delay an import. */
function listenerOf(context: CallContext<ListenTo>): (part: Part<'import.start'>) => void {
  return (part) => void context.part(part).catch(() => undefined);
}
