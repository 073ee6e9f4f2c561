/** Handlers about a case as a whole: opening, watching, its days and sources, its changes and costs. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { caseOperations } from '../../contract/operations/case.ts';
import type { Result } from '../../contract/operations.ts';
import { DaybookError } from '../../contract/errors.ts';
import { caseDays, caseInfo } from './case-info.ts';
import { describeCase } from './describe.ts';
import type { CaseSession, SourceRow } from '../../search/index.ts';
import { compactCase } from './compact.ts';
import { draftDocument, draftMessage, tryDraft } from './fields/draft-extractor.ts';
import { addExtractor } from './fields/own-extractors.ts';
import { refieldCase } from './fields/refield.ts';
import { cuttableFields } from '../field-names.ts';
import { statusOf } from '../../catalog/index.ts';
import type { HandlersOf, Services } from '../handler.ts';
import { fromCatalog, latencySummary, recentOperations } from './latency.ts';
import { createCase, recoverCase } from './open-case.ts';
import { locateSources } from './locate.ts';
import { changeOverlaps, listOverlaps } from './overlap.ts';
import { retimeSources, type RetimeReport } from './retime.ts';
import { type EngineSettings, rewriteMemoryOf } from '../system/settings.ts';
import { rememberCase } from '../system/state.ts';
import { verifyOn } from '../verify/verify-thread.ts';
import { watchCase, watchWriter } from './watch.ts';

/** Verifying gets this fraction of the memory of queries, which run concurrently. */
const VERIFY_SHARE = 4;

type CaseServices = Pick<Services, 'cases' | 'evidence' | 'settings'>;

export function caseHandlers(services: CaseServices): HandlersOf<keyof typeof caseOperations> {
  return {
    ...stateHandlers(services),
    ...decisionHandlers(services),
    ...fieldHandlers(services),
    ...upkeepHandlers(services),
  };
}

/** Settings for building segments. */
function builderOf({ limits }: EngineSettings) {
  return { memoryLimit: limits.importMemory, threads: limits.threads };
}

/** Settings for rewriting segments whose rows change. */
function rewriterOf({ limits }: EngineSettings) {
  return { memoryLimit: rewriteMemoryOf(limits.memory), threads: limits.threads };
}

/** Handlers about the contents and state of a case. */
function stateHandlers({
  cases,
  settings,
}: CaseServices): HandlersOf<
  'case.create' | 'case.describe' | 'case.open' | 'case.watch' | 'case.days' | 'case.sources'
> {
  const open = (folder: string, recover: boolean) =>
    cases.use(folder, async (session) => {
      const recovered = recover ? await recoverCase(session, builderOf(settings)) : [];
      const info = fromCatalog(session, 'case.open', () => caseInfo(session, recovered));
      rememberCase(settings.stateFolder, session.folder);
      return info;
    });
  return {
    'case.create': async (request) => {
      if (!isAbsolute(request.case)) {
        throw new DaybookError('usage', `the case ${request.case} is not an absolute path`);
      }
      await createCase(request.case, builderOf(settings));
      return cases.use(request.case, async (session) => {
        describeCase(session, request);
        return open(request.case, false);
      });
    },
    'case.describe': (request) =>
      cases.use(request.case, async (session) => {
        describeCase(session, request);
        return caseInfo(session);
      }),
    'case.open': async (request) => open(request.case, true),
    'case.watch': (request, { signal, part }) =>
      cases.use(request.case, async (session) => {
        const ended = new AbortController();
        const either = AbortSignal.any([signal, ended.signal]);
        const changes = async () => {
          for await (const change of watchCase(session, either))
            await part({ change, info: caseInfo(session) });
        };
        const writers = async () => {
          for await (const _ of watchWriter(session.folder, either))
            await part({ info: caseInfo(session) });
        };
        try {
          await Promise.all([changes(), writers()]);
        } finally {
          // If one of them fails, nobody waits for the other.
          ended.abort();
        }
        return {};
      }),
    'case.days': (request) =>
      cases.use(request.case, async (session) => ({
        days: fromCatalog(session, 'case.days', () => caseDays(session)),
      })),
    'case.sources': (request) =>
      cases.use(request.case, async (session) => ({
        sources: fromCatalog(session, 'case.sources', () => sourceList(session)),
        unread: session.catalog.ledger.notImported(),
      })),
  };
}

/** Handlers of decisions about sources. */
function decisionHandlers({
  settings,
}: CaseServices): HandlersOf<'source.retime' | 'source.locate' | 'overlap.list' | 'overlap.set'> {
  return {
    'source.retime': async (request, { signal }) => {
      const { tz, year, dateOrder, clock } = request;
      const { reports, left } = await retimeSources({
        ...{
          folder: request.case,
          sources: request.sources.map(String),
          builder: rewriterOf(settings),
          signal,
        },
        ...{ timeZone: tz, year, dateOrder, clock },
      });
      const changed = reports.reduce((sum, { events }) => sum + events, 0);
      const notes = reports.length === 1 ? retimeNotes(reports[0]!) : [];
      return { changed, notes: [...notes, ...left.map(({ reason }) => reason)] };
    },
    'source.locate': async ({ case: folder, below }, { signal }) => {
      if (!isAbsolute(below))
        throw new DaybookError('usage', `${below} is not an absolute path`, 'give its full path');
      const found = await locateSources({ folder, below, builder: builderOf(settings), signal });
      const left = found.left.map(({ name, path, reason }) => ({ name, path, reason }));
      return { located: found.located.length, left, unreadable: [...found.unreadable] };
    },
    'overlap.list': async (request) => ({ overlaps: listOverlaps(request.case) }),
    'overlap.set': async ({ case: folder, overlaps: ids, leftOut }) => ({
      events: await changeOverlaps({ folder, ids, leftOut, builder: builderOf(settings) }),
    }),
  };
}

/** Handlers of fields that are cut out of messages. */
function fieldHandlers({
  cases,
  settings,
}: CaseServices): HandlersOf<
  'extractor.message' | 'extractor.try' | 'extractor.save' | 'case.refield'
> {
  return {
    'extractor.message': (request, { signal }) =>
      cases.use(request.case, async (session) => {
        const { program, message } = await draftMessage(session, request.event, signal);
        const fields = cuttableFields();
        return { program, message, fields };
      }),
    'extractor.try': (request, { signal }) =>
      cases.use(request.case, async (session) => {
        const { examples, ...trial } = await tryDraft(session, request, signal);
        return { ...trial, examples: examples.map((one) => ({ ...one, fields: [...one.fields] })) };
      }),
    'extractor.save': (request, { signal }) =>
      cases.use(request.case, async (session) => {
        const { document, name, version } = await draftDocument(session, request, signal);
        await addExtractor(request.case, document, 'the window', builderOf(settings));
        return { name, version };
      }),
    'case.refield': async (request, { signal, part }) => {
      const { events, before, after, changed, left } = await refieldCase({
        folder: request.case,
        source: request.source === undefined ? undefined : String(request.source),
        builder: rewriterOf(settings),
        signal,
        onProgress: (progress) => void part(progress),
      });
      return { events, before, after, changed, left };
    },
  };
}

/** Checks of a case, its changes and costs. */
function upkeepHandlers({
  cases,
  evidence,
  settings,
}: CaseServices): HandlersOf<'case.verify' | 'case.compact' | 'case.audit' | 'case.latency'> {
  return {
    'case.verify': (request, { signal, part }) => {
      const { memory, threads } = settings.limits;
      return verifyOn(
        evidence.startVerify(),
        {
          ...{ folder: request.case, repair: false, sample: request.sample, threads },
          ...{ memoryLimit: memory / VERIFY_SHARE, builder: builderOf(settings) },
        },
        signal,
        (progress) => void part(progress),
      );
    },
    'case.compact': (request) => compactCase(request.case, builderOf(settings)),
    'case.audit': (request) =>
      cases.use(request.case, async (session) => {
        const entries = session.catalog.audit.entries();
        return {
          total: entries.length,
          entries: entries
            .slice(Math.max(0, entries.length - request.limit))
            .reverse()
            .map(({ at, operation, user, detail }) => ({
              ...{ at, operation, who: user },
              detail: recordOf(detail),
            })),
        };
      }),
    'case.latency': (request) =>
      cases.use(request.case, async (session) => ({
        summary: latencySummary(session),
        recent: request.recent === 0 ? [] : recentOperations(session, request.recent),
        ...(session.unrecorded !== undefined && { unrecorded: session.unrecorded }),
      })),
  };
}

function sourceList(session: CaseSession): Result<'case.sources'>['sources'] {
  const sources = session.snapshot().sources();
  // Members of one archive share its path.
  const found = new Map<string, boolean>();
  for (const { path } of sources) if (!found.has(path)) found.set(path, existsSync(path));
  return sources.map((source) => sourceInfo(source, found.get(source.path) ?? false));
}

function sourceInfo(source: SourceRow, exists: boolean): Result<'case.sources'>['sources'][number] {
  return {
    id: source.id,
    name: source.name,
    path: source.path,
    members: membersOf(source.location),
    exists,
    bytes: source.rawSize,
    sha256: source.rawSha256,
    contentBytes: source.contentSize,
    contentSha256: source.contentSha256,
    modifiedMs: source.modifiedMs,
    importer: source.importer,
    importerVersion: source.importerVersion,
    dialect: source.format,
    options: source.options,
    decisions: source.decisions,
    metadata: source.metadata,
    notes: source.notes,
    status: statusOf(source),
    error: source.error,
    ...(source.broken === undefined ? {} : { broken: source.broken }),
    listedHashes: [...source.listedHashes],
    read: source.read,
    stored: source.stored,
    duplicate: source.duplicate,
    quarantined: source.quarantined,
    skipped: source.skipped,
    skippedReasons: source.skippedReasons,
    byKind: source.byKind,
    first: source.firstTs,
    last: source.lastTs,
    elapsedMs: source.elapsedMs,
    importId: source.importId,
  };
}

/** The names of archive members in a source's location, from the outermost in. */
export function membersOf(location: unknown): string[] {
  const { members } = recordOf(location);
  return Array.isArray(members) ? members.map(String) : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : { value };
}

function retimeNotes(report: RetimeReport): string[] {
  const span = ({ first, last }: RetimeReport['before']) =>
    first === undefined || last === undefined
      ? 'no times'
      : `${isoSeconds(first)} to ${isoSeconds(last)}`;
  return [`before: ${span(report.before)}`, `now: ${span(report.after)}`];
}

function isoSeconds(micros: number): string {
  return `${new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19)}Z`;
}
