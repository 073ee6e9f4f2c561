/** Checks that the segments, their side files and the rollups match the catalog, each separately. */
import { constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../contract/words/counted.ts';
import { openCaseHandle } from '../../util/files/case-files.ts';
import { lastDayOf } from '../../util/segment-days.ts';
import { fileProblem, hashHandle, type HashedFile } from '../../util/files/regular-file.ts';
import type { SegmentRow } from '../../catalog/index.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { sideFilePath } from '../../index/index.ts';
import { damagedNodes } from '../../ingest/index.ts';
import { identifier, epochMicros } from '../../store/index.ts';
import type { CaseSession } from '../../search/index.ts';
import { type Findings, type Progress, reasonOf } from './findings.ts';

const RESTORE = 'restore the file from a copy of the case, or import its sources into a new case';

/** @returns number of segments checked, and those of them that may be read */
export async function checkSegments(
  session: CaseSession,
  segments: readonly SegmentRow[],
  findings: Findings,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<{ checked: number; sound: SegmentRow[] }> {
  const seen = new Set<number>();
  const sound: SegmentRow[] = [];
  let replaced = 0;
  let next = segments;
  for (let before = -1; before < replaced;) {
    before = replaced;
    for (const segment of next) {
      if (signal?.aborted === true) throw new CancelledError();
      progress.at('segments', segment.file);
      seen.add(segment.id);
      const problems = await problemsOf(session, segment, progress, signal);
      if (problems.length === 0) {
        sound.push(segment);
        continue;
      }
      // Others have replaced it since this began, and are checked next.
      if (!session.snapshot().segments.some(({ id }) => id === segment.id)) {
        replaced += 1;
        continue;
      }
      for (const { code, message, advice } of problems)
        findings.damage(code, segment.file, message, advice);
      if (problems.every(({ code }) => code === 'index')) sound.push(segment);
    }
    if (replaced > before) next = session.snapshot().segments.filter(({ id }) => !seen.has(id));
  }
  for (const file of damagedNodes(session.folder))
    findings.damage(
      'rollup',
      file,
      `the merged rollup ${file} is damaged; answers do not use it`,
      'daybook verify CASE --repair rebuilds it from the segments',
    );
  return { checked: seen.size - replaced, sound };
}

interface Problem {
  readonly code: 'segment' | 'index';
  readonly message: string;
  readonly advice: string;
}

async function problemsOf(
  session: CaseSession,
  segment: SegmentRow,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<Problem[]> {
  const { folder } = session;
  const { file, bytes, sha256, index } = segment;
  const problems: Problem[] = [];
  const say = (message: string): void =>
    void problems.push({ code: 'segment', message: `segment ${file} ${message}`, advice: RESTORE });
  const found = await hashed(folder, file, progress, signal);
  if (typeof found === 'string')
    say(`${found}: ${counted(segment.rows, `${segment.kind} event`)} of ${daysText(segment)}`);
  else if (found.bytes !== bytes || found.sha256 !== sha256)
    say('differs from what was written (SHA-256)');
  else {
    if (lstatSync(join(folder, `${file}.wal`), { throwIfNoEntry: false }) !== undefined)
      say('has a write-ahead log beside it, which would change what it says');
    else {
      const content = await contentProblem(session, segment).catch((error: unknown) =>
        reasonOf(error),
      );
      if (content !== undefined) say(content);
    }
  }
  if (index !== undefined) {
    const side = await hashed(folder, sideFilePath(file), progress, signal);
    const problem =
      typeof side === 'string'
        ? side
        : side.sha256 === index.sha256
          ? undefined
          : 'differs from what was written (SHA-256)';
    if (problem !== undefined)
      problems.push({
        code: 'index',
        message: `the index of ${file} ${problem}; queries read the segment instead`,
        advice: 'daybook verify CASE --repair rebuilds it from the segment',
      });
  }
  return problems;
}

/** The hash of a file of the case, or why it cannot be read. */
export async function hashed(
  folder: string,
  file: string,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<HashedFile | string> {
  try {
    const handle = await openCaseHandle(folder, file, constants.O_RDONLY);
    try {
      return await hashHandle(handle, { signal, onBytes: progress.onBytes });
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof DaybookError) return `cannot be read: ${reasonOf(error)}`;
    const { kind, message } = fileProblem(error);
    return kind === 'missing' ? 'is missing' : message;
  }
}

/** How the rows of a segment differ from their description in the catalog. */
async function contentProblem(
  { store }: CaseSession,
  segment: SegmentRow,
): Promise<string | undefined> {
  const release = store.hold();
  try {
    await store.attach([segment]);
    const events = `${identifier(`seg_${segment.id}`)}.events`;
    const times = segment.columns.includes('ts')
      ? `${epochMicros('min(ts)')}, ${epochMicros('max(ts)')}`
      : 'NULL, NULL';
    const [[rows, first, last]] = (await store.rows(
      `SELECT count(*), ${times} FROM ${events}`,
    )) as [[number, number | bigint | null, number | bigint | null]];
    if (rows !== segment.rows)
      return `has ${counted(rows, 'row')}, the catalog says ${segment.rows}`;
    if (micros(first) !== segment.minTs || micros(last) !== segment.maxTs)
      return 'has other times than the catalog says';
    const sources = await store.rows(`SELECT DISTINCT source_id FROM ${events} ORDER BY 1`);
    if (sources.map(([id]) => id).join() !== segment.sources.toSorted((a, b) => a - b).join())
      return 'has events of other sources than the catalog says';
    if (segment.days === undefined) return undefined;
    const days = await store.rows(
      `SELECT strftime(ts, '%Y-%m-%d') AS day, count(*) FROM ${events} GROUP BY day ORDER BY day`,
    );
    if (days.join() !== segment.days.map(({ day, rows: count }) => [day, count]).join())
      return 'has events of other days than the catalog says';
    return undefined;
  } finally {
    release();
  }
}

function daysText(segment: SegmentRow): string {
  const last = lastDayOf(segment);
  return last === segment.day ? last : `${segment.day} to ${last}`;
}

/** In the catalog's form; a time after June 2255 exceeds what a number holds exactly, and is a bigint. */
function micros(value: number | bigint | null): number | undefined {
  return value === null ? undefined : Number(value);
}
