/**
 * `case.verify`: whether the case is what Daybook wrote, and whether the evidence is what it was imported from. The
 * two are judged separately, every problem is named, and none ends the check.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog, SegmentRow, SourceRow, ImportRow } from '../../catalog/index.ts';
import { DaybookError, hasCode } from '../../contract/errors.ts';
import type { ReadLimits } from '../../contract/left-out.ts';
import type { VerifyProgress, VerifyReport } from '../../contract/verify-report.ts';
import { caseContents } from '../../ingest/index.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import type { BuilderOptions } from '../../store/index.ts';
import type { CaseSession } from '../../search/index.ts';
import { checkEvidence, type EvidenceTools } from './check-evidence.ts';
import { checkQuarantine } from './check-quarantine.ts';
import { checkSegments } from './check-segments.ts';
import { Findings, Progress, reasonOf } from './findings.ts';
import type { SampleSize } from './read-back.ts';
import { repairCase } from './repair.ts';

/** Default number of events that are compared of each source. */
const USUAL_SAMPLE = 200;

interface VerifyParameters {
  repair: boolean;
  builder: BuilderOptions;
  sample?: SampleSize | undefined;
  /** Undefined: archives are not opened, and no events are compared. */
  tools?: EvidenceTools | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/** @throws DaybookError cancelled; with `repair` case-locked and whatever prevents writing a case */
export async function verifyCase(
  session: CaseSession,
  parameters: VerifyParameters,
): Promise<VerifyReport> {
  const watch = new Stopwatch('case.verify');
  session.toleratesDamage = true;
  const { repair, tools, sample = USUAL_SAMPLE } = parameters;
  const signal = parameters.signal ?? new AbortController().signal;
  const findings = new Findings();
  const progress = new Progress(parameters.onProgress);
  const repaired = repair && (await repairOrSay(session.folder, parameters.builder, findings));

  progress.at('catalog', 'case.sqlite');
  const coveredSince = checkCatalog(session, findings);
  const contents = contentsOf(session, findings);
  const { sources, segments, imports, audited } = contents;
  if (!repaired) checkLeftOver(session, imports, findings);
  checkLedgers(sources, findings);
  progress.expect(bytesToRead(segments, sources, tools === undefined ? 0 : sample));
  const { checked, sound } = await checkSegments(session, segments, findings, progress, signal);
  const quarantined = await checkQuarantine(
    session.folder,
    { imports, sources },
    findings,
    progress,
    signal,
  );
  const temporary = await mkdtemp(join(tmpdir(), 'daybook-verify-'));
  try {
    const { evidence, sample: compared } = await checkEvidence(session, sources, findings, {
      ...{ tools, sample, temporary, segments: sound, progress, signal },
      limits: highestLimits(imports),
      mayLack: (source) => mayLack(source, audited.deletions),
    });
    session.record(watch, 'done');
    const intact = findings.all.every(({ about, level }) => about !== 'case' || level !== 'error');
    const ok = intact && evidence.state === 'unchanged';
    return {
      ok,
      exitStatus: ok ? 0 : intact ? 3 : 1,
      case: {
        ...{ intact, segments: checked, auditEntries: audited.entries, quarantined },
        ...(coveredSince === undefined ? {} : { coveredSince }),
      },
      evidence,
      sample: compared,
      findings: findings.all,
    };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Repairs what can be repaired. @returns false if the case is so damaged that no command may write it */
async function repairOrSay(
  folder: string,
  builder: BuilderOptions,
  findings: Findings,
): Promise<boolean> {
  try {
    await repairCase(folder, builder, findings);
    return true;
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== 'case-damaged') throw error;
    findings.damage('catalog', 'case.sqlite', `nothing was repaired: ${error.message}`, error.hint);
    return false;
  }
}

/** @returns since when the catalog's rows have hashes, if not from the start */
function checkCatalog({ catalog }: CaseSession, findings: Findings): string | undefined {
  const advice = 'restore case.sqlite from a copy, or import the evidence into a new case';
  let coveredSince: string | undefined;
  try {
    for (const problem of catalog.integrityProblems())
      findings.damage(
        problem.includes('audit') ? 'audit' : 'catalog',
        'case.sqlite',
        `catalog: ${problem}`,
        advice,
      );
    coveredSince = catalog.coveredSince();
  } catch (error) {
    findings.damage('catalog', 'case.sqlite', `catalog: ${reasonOf(error)}`, advice);
  }
  if (coveredSince !== undefined)
    findings.ofCase(
      'note',
      'not-covered',
      'case.sqlite',
      `an earlier version of Daybook wrote this case: changes that other programs made to the catalog before ${coveredSince} cannot be detected`,
    );
  return coveredSince;
}

interface Contents {
  readonly sources: readonly SourceRow[];
  readonly segments: readonly SegmentRow[];
  readonly imports: readonly ImportRow[];
  readonly audited: { readonly entries: number; readonly deletions: boolean };
}

/** The catalog's content, in one read transaction. */
function contentsOf(session: CaseSession, findings: Findings): Contents {
  const { catalog } = session;
  try {
    return catalog.consistently(() => {
      const { segments, ...snapshot } = session.snapshot();
      const sources = snapshot.sources();
      const audit = catalog.audit.entries();
      return {
        ...{ sources, segments, imports: catalog.imports.all() },
        audited: {
          entries: audit.length,
          deletions: audit.some(({ operation }) => operation === 'delete'),
        },
      };
    });
  } catch (error) {
    findings.damage(
      'catalog',
      'case.sqlite',
      `the catalog cannot be read, so segments and evidence were not checked: ${reasonOf(error)}`,
      'restore case.sqlite from a copy, or import the evidence into a new case',
    );
    return { sources: [], segments: [], imports: [], audited: { entries: 0, deletions: true } };
  }
}

/** Files that are not part of the case. */
function checkLeftOver(
  session: CaseSession,
  imports: readonly ImportRow[],
  findings: Findings,
): void {
  const { folder, catalog } = session;
  try {
    // Read twice: a writer may be putting one in place at this moment.
    const before = new Set(caseContents(folder, catalog).orphans);
    const { orphans, strays, links } = caseContents(folder, catalog);
    const removable = namesItsFiles(catalog);
    for (const file of orphans.filter((one) => before.has(one)))
      findings.ofCase(
        'warning',
        'import',
        file,
        removable
          ? `${file} belongs to no committed import`
          : `no row of the catalog names ${file}: a changed row may have done so`,
        removable
          ? 'the next import removes it, and so does --repair'
          : 'no command removes it while the catalog differs from what was written',
      );
    for (const file of strays)
      findings.ofCase(
        'warning',
        'stray',
        file,
        `${file} is not part of the case; Daybook leaves it alone`,
      );
    for (const file of links)
      findings.damage(
        'stray',
        file,
        `${file} is a link; Daybook follows no links inside a case`,
        'remove the link, or put a copy of what it leads to in its place',
      );
  } catch (error) {
    findings.damage('stray', folder, `the case's folders cannot be listed: ${reasonOf(error)}`);
  }
  for (const { id, status } of imports)
    if (status === 'running')
      findings.ofCase(
        'warning',
        'import',
        `import ${id}`,
        `import ${id} has not finished: it is running, or it was interrupted`,
      );
}

/** Whether the catalog's rows that say which files belong to the case are intact. */
function namesItsFiles(catalog: Catalog): boolean {
  try {
    catalog.refuseDamageToFiles();
    return true;
  } catch (error) {
    if (hasCode(error, 'case-damaged')) return false;
    throw error;
  }
}

function checkLedgers(sources: readonly SourceRow[], findings: Findings): void {
  for (const { name, read, stored, duplicate, quarantined, skipped } of sources) {
    const sum = stored + duplicate + quarantined + skipped;
    if (sum !== read)
      findings.damage(
        'ledger',
        name,
        `the ledger of ${name} does not add up: read ${read}, accounted for ${sum}`,
      );
  }
}

/** Evidence is read within the limits that it was imported with: of each the highest that any import had. */
function highestLimits(imports: readonly ImportRow[]): ReadLimits {
  const all = imports.map(
    ({ arguments: given }) => (given as { limits?: ReadLimits }).limits ?? {},
  );
  const highest = (name: 'maxRatio' | 'maxBytes' | 'maxDepth' | 'maxMembers') => {
    const values = all.flatMap((limits) => limits[name] ?? []);
    return values.length === 0 ? {} : { [name]: Math.max(...values) };
  };
  return {
    ...highest('maxRatio'),
    ...highest('maxBytes'),
    ...highest('maxDepth'),
    ...highest('maxMembers'),
    ...(all.some(({ unchecked }) => unchecked === true) ? { unchecked: true } : {}),
  };
}

/** Whether the case may have fewer events than the source: duplicates, or deleted ones. */
function mayLack({ metadata, emitted }: SourceRow, deletions: boolean): boolean {
  return deletions || metadata['duplicateOf'] !== undefined || (emitted['#keyDuplicates'] ?? 0) > 0;
}

function bytesToRead(
  segments: readonly SegmentRow[],
  sources: readonly SourceRow[],
  sample: SampleSize,
): number {
  let bytes = 0;
  for (const segment of segments) bytes += segment.bytes + (segment.index?.bytes ?? 0);
  for (const { rawSize = 0, contentSize = 0 } of sources)
    bytes += rawSize + (sample === 0 ? 0 : contentSize);
  return bytes;
}
