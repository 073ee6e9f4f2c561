/**
 * The facts in a report, read from the case. Everything is bounded; omitted entries are counted, so that the report
 * can say so.
 */
import {
  userName,
  LEFT_OUT,
  type ImportRow,
  type ManifestRow,
  type LedgerRow,
  type SourceRow,
  statusOf,
} from '../../catalog/index.ts';
import { CancelledError } from '../../contract/errors.ts';
import { caseInfo, type CaseInfo } from '../case/case-info.ts';
import type { ImportReport } from '../../ingest/index.ts';
import type { CaseSession } from '../../search/index.ts';
import { QuarantineReader } from '../evidence/quarantine.ts';
import { findingFacts, type FindingsFacts } from './finding-facts.ts';
import { limited, LIMITS, type Limited } from './limits.ts';
import type { Bucket } from './timeline-chart.ts';
import { buckets, countOfQuery, viewFacts, type ViewFacts } from './view-facts.ts';

export interface ReportRequest {
  title?: string | undefined;
  author?: string | undefined;
  note?: string | undefined;
  /**
   * Who may read it, such as `TLP:AMBER`, printed as `CLASSIFICATION_PAGES` describes. One line, as returned by
   * `classificationOf`.
   */
  classification?: string | undefined;
  /** The zone in which times are shown. */
  zone: string;
  /** Daybook's version. */
  version: string;
  /** RFC 3339. */
  generatedAt: string;
}

interface QuarantineReason {
  source: string;
  reason: string;
  count: number;
  /** Position of the first such record in the source's content. */
  offset: number;
  line: number | undefined;
}

export interface AuditEntry {
  id: number;
  at: string;
  user: string;
  operation: string;
  detail: unknown;
  intact: boolean;
}

export interface ReportFacts {
  request: ReportRequest;
  /** The account under which the report was written. */
  account: string;
  info: CaseInfo;
  deleted: number;
  /** Events that are deleted, or left out because another source has them. */
  hidden: number;
  undated: number;
  timeline: readonly Bucket[];
  totals: SourceTotals;
  sources: Limited<SourceRow>;
  /** Lines that two sources have. */
  overlaps: readonly OverlapFacts[];
  imports: ImportRow[];
  /** Hash manifests that imports found. */
  manifests: Limited<ManifestRow>;
  /** Items of imports that are not complete sources: failed, ignored, already known. */
  ledger: Limited<LedgerRow>;
  quarantine: { reasons: Limited<QuarantineReason>; records: number; read: number };
  views: Limited<ViewFacts>;
  findings: FindingsFacts;
  audit: Limited<AuditEntry> & { total: number; intact: boolean };
  deletions: readonly AuditEntry[];
}

/** Lines or records that a source shares with another one, all runs together. */
interface OverlapFacts {
  readonly sourceId: number;
  readonly other: { readonly id: number; readonly name: string };
  readonly records: number;
  /** All records of the source, which was not read to its end, are in the other one; otherwise lines are counted. */
  readonly superseded: boolean;
  /** Its events are hidden. */
  readonly leftOut: boolean;
}

export type SourceTotals = Omit<ImportReport['total'], 'byKind'> & {
  /** Sources that were not read to their end, and those that a hash manifest has another hash of. */
  readonly unread: number;
  readonly differing: number;
};

/** @throws DaybookError cancelled, case-damaged */
export async function reportFacts(
  session: CaseSession,
  request: ReportRequest,
  signal: AbortSignal | undefined,
  tell: (step: string) => Promise<void>,
): Promise<ReportFacts> {
  const { catalog } = session;
  const { zone } = request;
  const sources = session.snapshot().sources();
  const info = caseInfo(session);
  const marks = catalog.marks.summary();
  await tell('case');
  const timeline = await buckets(session, { query: '*', zone }, signal);
  const undated = await countOfQuery(session, { query: 'kind:* day:undated', zone }, signal);
  await tell('quarantine');
  const quarantine = await quarantineFacts(session, signal);
  const searches = catalog.searches.all();
  const views: ViewFacts[] = [];
  for (const search of searches.slice(0, LIMITS.searches)) {
    await tell(search.name);
    views.push(await viewFacts(session, search, signal));
  }
  await tell('tags');
  const findings = await findingFacts(session, zone, signal);
  const audit = catalog.audit.entries();
  const ledger = catalog.ledger.of().filter(({ status }) => status !== 'complete');
  return {
    ...{ request, info, undated, timeline, quarantine, findings },
    account: userName(),
    deleted: marks.reduce(
      (sum, { tagId, count }) => sum + (tagId === 0 ? count : tagId === LEFT_OUT ? -count : 0),
      0,
    ),
    hidden: marks.reduce((sum, { tagId, count }) => sum + (tagId === 0 ? count : 0), 0),
    totals: totalsOf(sources),
    sources: limited(sources, LIMITS.sources),
    overlaps: overlapFacts(session, sources),
    imports: catalog.imports.all(),
    manifests: limited(catalog.manifests.all(), LIMITS.manifests),
    ledger: limited(ledger, LIMITS.ledger),
    views: { shown: views, left: searches.length - views.length },
    audit: {
      ...{ total: audit.length, intact: audit.every(({ intact }) => intact) },
      shown: audit.slice(-LIMITS.audit),
      left: Math.max(0, audit.length - LIMITS.audit),
    },
    deletions: audit.filter(({ operation }) => operation === 'delete'),
  };
}

function overlapFacts(
  { catalog }: CaseSession,
  sources: readonly SourceRow[],
): ReportFacts['overlaps'] {
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  const groups = Map.groupBy(catalog.overlaps.all(), ({ sourceId, otherId, superseded, leftOut }) =>
    JSON.stringify([sourceId, otherId, superseded, leftOut]),
  );
  return [...groups.values()].map((runs) => {
    const { sourceId, otherId, superseded, leftOut } = runs[0]!;
    const records = runs.reduce((sum, run) => sum + run.records, 0);
    const other = { id: otherId, name: names.get(otherId) ?? '' };
    return { sourceId, other, records, superseded, leftOut };
  });
}

export function totalsOf(sources: readonly SourceRow[]): SourceTotals {
  const sum = (of: (source: SourceRow) => number): number =>
    sources.reduce((total, source) => total + of(source), 0);
  return {
    sources: sources.length,
    bytes: sum((source) => source.rawSize ?? 0),
    read: sum((source) => source.read),
    stored: sum((source) => source.stored),
    duplicate: sum((source) => source.duplicate),
    quarantined: sum((source) => source.quarantined),
    skipped: sum((source) => source.skipped),
    unread: sources.filter((source) => statusOf(source) !== 'complete').length,
    differing: sources.filter(({ listedHashes }) =>
      listedHashes.some(({ state }) => state === 'differs'),
    ).length,
  };
}

async function quarantineFacts(
  session: CaseSession,
  signal: AbortSignal | undefined,
): Promise<ReportFacts['quarantine']> {
  const reader = new QuarantineReader(session.folder);
  const runs = session.catalog.imports.all();
  const reasons = new Map<string, QuarantineReason>();
  const page = 1000;
  let offset = 0;
  let total = 0;
  do {
    if (signal?.aborted === true) throw new CancelledError();
    const found = await reader.list(
      runs,
      { offset, limit: page },
      signal ?? new AbortController().signal,
    );
    total = found.total;
    if (found.records.length === 0) break;
    offset += found.records.length;
    for (const { source, reason, offset: at, line } of found.records) {
      const key = JSON.stringify([source, reason]);
      const known = reasons.get(key);
      if (known === undefined) reasons.set(key, { source, reason, count: 1, offset: at, line });
      else known.count += 1;
    }
  } while (offset < Math.min(total, LIMITS.quarantineRead));
  const sorted = [...reasons.values()].sort(
    (a, b) => b.count - a.count || (a.source < b.source ? -1 : a.source > b.source ? 1 : 0),
  );
  return { reasons: limited(sorted, LIMITS.quarantineReasons), records: total, read: offset };
}
