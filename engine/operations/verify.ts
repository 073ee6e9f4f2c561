/** `case.verify`: whether a case is what its catalog says, and whether the evidence is still the same. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SegmentRow } from '../catalog/catalog.ts';
import { CancelledError } from '../contract/errors.ts';
import { orphanFiles } from '../ingest/case-contents.ts';
import { CaseWriter } from '../ingest/case-writer.ts';
import { damagedNodes, mergeRollups } from '../ingest/merge-rollups.ts';
import { sideFilePath } from '../index/side-file.ts';
import { Stopwatch } from '../measure/operation-log.ts';
import { fileSha256, type BuilderOptions } from '../store/segment-builder.ts';
import type { CaseSession } from './case-session.ts';
import { isGone } from './query.ts';

export interface Finding {
  /** `error`: the case is not whole. `warning`: worth knowing. `repaired`: was an error. */
  level: 'error' | 'warning' | 'repaired';
  what: string;
}

export interface VerifyReport {
  segments: number;
  sources: number;
  evidenceChecked: number;
  evidenceMissing: number;
  /** Members of archives: a hash of their own bytes is known, but archives are not opened again. */
  evidenceNotChecked: number;
  auditEntries: number;
  findings: Finding[];
}

export interface VerifyParameters {
  repair: boolean;
  builder: BuilderOptions;
  signal?: AbortSignal;
  onProgress?: (done: number, total: number, what: string) => void;
}

export async function verifyCase(
  session: CaseSession,
  parameters: VerifyParameters,
): Promise<VerifyReport> {
  const watch = new Stopwatch('case.verify');
  const findings: Finding[] = [];
  const { catalog, folder } = session;
  const error = (what: string) => findings.push({ level: 'error', what });
  const warning = (what: string) => findings.push({ level: 'warning', what });

  if (parameters.repair) {
    const writer = await CaseWriter.open(folder, 'verify --repair', parameters.builder);
    try {
      for (const file of writer.recovery.orphans)
        findings.push({ level: 'repaired', what: `removed ${file}, which no import committed` });
      for (const { id, file, index } of writer.catalog.segments()) {
        if (index === undefined || (await sideFileFits(folder, file, index.sha256))) continue;
        writer.catalog.setSideFile(id, undefined);
        findings.push({ level: 'repaired', what: `the index of ${file} was damaged or missing` });
      }
      const made = await writer.indexMissing();
      if (made > 0)
        findings.push({ level: 'repaired', what: `made the indexes of ${made} segments` });
      for (const file of damagedNodes(folder)) {
        rmSync(join(folder, file), { force: true });
        findings.push({ level: 'repaired', what: `the merged rollup ${file} was damaged` });
      }
      const merged = await mergeRollups(writer);
      if (merged.made > 0)
        findings.push({ level: 'repaired', what: `made ${merged.made} merged rollups` });
      for (const id of writer.recovery.interruptedImports) {
        findings.push({
          level: 'repaired',
          what: `import ${id} was interrupted: closed at its last commit`,
        });
      }
      writer.catalog.transaction(() =>
        writer.catalog.addAudit('verify', { repair: true, findings }),
      );
    } finally {
      writer.close();
    }
  } else {
    // Looked at twice: a writer may put one in its place just now.
    const unnamed = new Set(orphanFiles(folder, catalog));
    for (const file of orphanFiles(folder, catalog).filter((one) => unnamed.has(one)))
      warning(`${file} belongs to no committed import (removed by the next import or by --repair)`);
    for (const run of catalog.imports()) {
      if (run.status === 'running')
        warning(`import ${run.id} has not finished: it is running, or it was interrupted`);
    }
  }

  for (const problem of catalog.integrityProblems()) error(`catalog: ${problem}`);
  const audit = catalog.audit();
  for (const entry of audit)
    if (!entry.intact)
      error(`audit entry ${entry.id} (${entry.operation}, ${entry.at}) was changed`);

  const { sources } = session.snapshot();
  const checked = new Set<number>();
  let replaced = 0;
  for (let before = -1; before < replaced;) {
    before = replaced;
    const segments = session.snapshot().segments.filter(({ id }) => !checked.has(id));
    const total = checked.size + segments.length + sources.length;
    for (const segment of segments) {
      if (parameters.signal?.aborted === true) throw new CancelledError();
      parameters.onProgress?.(checked.size, total, segment.file);
      checked.add(segment.id);
      const problems = await problemsOf(session, segment, parameters.signal);
      if (problems.length === 0) continue;
      if (session.snapshot().segments.some(({ id }) => id === segment.id)) problems.forEach(error);
      // Others are in its place since this began, and are looked at next.
      else replaced += 1;
    }
  }

  for (const file of damagedNodes(folder))
    error(`the merged rollup ${file} is damaged; --repair makes it again from the segments' own`);

  let done = 0;
  let evidenceChecked = 0;
  let evidenceMissing = 0;
  let evidenceNotChecked = 0;
  for (const source of sources) {
    if (parameters.signal?.aborted === true) throw new CancelledError();
    parameters.onProgress?.(checked.size + done++, checked.size + sources.length, source.name);
    const sum = source.stored + source.duplicate + source.quarantined + source.skipped;
    if (sum !== source.read)
      error(
        `the ledger of ${source.name} does not add up: read ${source.read}, accounted for ${sum}`,
      );
    if (source.status === 'partial')
      warning(`${source.name} was not read to its end: import it again to go on`);
    else if (source.broken !== undefined)
      warning(`${source.name} was not read to its end: ${source.broken.reason}`);
    const members = (source.location as { members?: unknown[] }).members ?? [];
    if (members.length > 0 || source.rawSha256 === undefined) {
      if (existsSync(source.path)) evidenceNotChecked += 1;
      else evidenceMissing += 1;
      continue;
    }
    if (!existsSync(source.path)) {
      evidenceMissing += 1;
      continue;
    }
    evidenceChecked += 1;
    const sha256 = await hashOf(source.path, parameters.signal);
    if (sha256 === undefined) warning(`the evidence ${source.path} cannot be read`);
    else if (sha256 !== source.rawSha256)
      warning(`the evidence ${source.path} has changed since it was imported`);
  }
  if (evidenceMissing > 0)
    warning(
      `${evidenceMissing} evidence files are not where they were; packet bytes cannot be shown for them`,
    );

  session.record(watch, 'done');
  return {
    segments: checked.size - replaced,
    sources: sources.length,
    evidenceChecked,
    evidenceMissing,
    evidenceNotChecked,
    auditEntries: audit.length,
    findings,
  };
}

/** What is wrong with a segment that the catalog names. */
async function problemsOf(
  { folder, store }: CaseSession,
  segment: SegmentRow,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { id, file, bytes, sha256, index } = segment;
  const missing = `segment ${file} is missing: ${segment.rows} ${segment.kind} events of ${segment.day}`;
  const path = join(folder, file);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return [missing];
  const problems: string[] = [];
  if (existsSync(`${path}.wal`)) problems.push(`segment ${file} has a write-ahead log beside it`);
  if (size !== bytes || (await hashOf(path, signal)) !== sha256)
    return [...problems, `segment ${file} differs from what was written (SHA-256)`];
  if (index !== undefined && !(await sideFileFits(folder, file, index.sha256))) {
    problems.push(
      `the index of ${file} differs from what was written; --repair makes it again from the segment`,
    );
  }
  const release = store.hold();
  try {
    await store.attach([segment]);
    const [[rows]] = (await store.rows(`SELECT count(*) FROM seg_${id}.events`)) as [[number]];
    if (rows !== segment.rows)
      problems.push(`segment ${file} has ${rows} rows, the catalog says ${segment.rows}`);
  } catch (error) {
    if (!isGone(error)) throw error;
    problems.push(missing);
  } finally {
    release();
  }
  return problems;
}

async function sideFileFits(folder: string, file: string, sha256: string): Promise<boolean> {
  return (await hashOf(sideFilePath(join(folder, file)), undefined)) === sha256;
}

/**
 * SHA-256 of a file; undefined when it cannot be read.
 * @throws DaybookError cancelled
 */
async function hashOf(path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return await fileSha256(path, signal);
  } catch {
    if (signal?.aborted === true) throw new CancelledError();
    return undefined;
  }
}
