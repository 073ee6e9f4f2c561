/** `daybook import`: reads evidence into a case. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { decisionText, describeDecisions } from '../../../engine/contract/time/decisions.ts';
import { DaybookError, hasCode } from '../../../engine/contract/errors.ts';
import type { ManifestReport } from '../../../engine/contract/hash-manifest.ts';
import { algorithmName } from '../../../engine/contract/words/listed-hash-text.ts';
import {
  importEvidence,
  type ImportReport,
  type SourceReport,
  UNRECOGNISED,
} from '../../../engine/operations/evidence/import.ts';
import { isLocked, LOCKED, NOT_UNLOCKED } from '../../../engine/contract/left-out.ts';
import { evidence, formats } from '../../compose.ts';
import type { Parsed } from '../arguments.ts';
import { EXIT, type Command } from '../command.ts';
import { count, isoMicros, size, visible, write } from '../output.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { PASSWORD_OPTION, askPassword, takePasswords } from '../options/password-option.ts';
import { ProgressLine } from '../progress.ts';
import { READ_OPTIONS, readOptionsOf } from '../options/read-options.ts';

export const importCommand: Command = {
  spec: {
    name: 'import',
    usage: 'CASE PATH…',
    summary:
      'Reads evidence into a case, creating the case if necessary. An interrupted import resumes when it is run again.',
    positionals: { least: 2, most: Infinity },
    options: {
      ...READ_OPTIONS,
      jobs: {
        type: 'string',
        value: 'N',
        help: 'files to read at the same time (default: the number of cores, fewer for little evidence)',
      },
      name: {
        type: 'string',
        value: 'NAME',
        help: 'name of standard input in the ledger (default: standard-input)',
      },
      recursive: { type: 'boolean', help: 'also read the subfolders of folders' },
      'leave-out-overlap': {
        type: 'boolean',
        help: 'hide events that another source of the case also has (daybook overlap shows them again)',
      },
      ...LIMIT_OPTIONS,
      ...PASSWORD_OPTION,
      json: { type: 'boolean', help: 'one JSON line per source, and one with the totals' },
    },
    details: `PATH is a capture, a log, a flow file, an archive or compressed file of these, a folder, or - for standard input.
Formats: ${formats().join(', ')}.
A source that is cut off, damaged or beyond a limit is reported as partial or damaged, with the offset; once the file is complete or the limit is higher, importing it again continues there.
Import asks on the terminal for the passwords of encrypted zip and 7z archives; it stores none.
Hash manifests among the evidence (SHA256SUMS, *.md5, hashdeep, KAPE's copy log and others) are compared with the files that they list.
Exit status 3: done, but records were quarantined (kept in CASE/quarantine), a source was not read to its end, a hash differs from a manifest, or a line of a manifest cannot be read.`,
  },
  async run(parsed, { streams, signal, settings }) {
    const [folder, ...paths] = parsed.positionals as [string, ...string[]];
    const jobs = parsed.whole('jobs', 1);
    const options = readOptionsOf(parsed);
    const name = nameOf(parsed, paths);
    await takePasswords(parsed);
    const line = new ProgressLine(streams);
    const asJson = parsed.flag('json');
    const run = (shown: (source: SourceReport) => boolean): Promise<ImportReport> =>
      importEvidence(evidence, {
        folder,
        items: paths.map((path) => ({
          ...{ path, options },
          ...(path === '-' && name !== undefined ? { name } : {}),
        })),
        recursive: parsed.flag('recursive'),
        limits: limitsOf(parsed),
        leaveOutOverlap: parsed.flag('leave-out-overlap'),
        jobs: jobs ?? settings.jobs,
        adaptiveWorkers: jobs === undefined,
        builder: { memoryLimit: settings.importMemory, threads: settings.threads },
        ...(settings.chunkRows === undefined ? {} : { chunk: { rows: settings.chunkRows } }),
        signal,
        onProgress: (progress) => line.update(progress),
        onSource: (source) => {
          if (!shown(source)) return;
          line.clear();
          if (asJson) streams.out.write(`${JSON.stringify(sourceJson(source))}\n`);
          else streams.out.write(sourceText(source));
        },
        onRecovered: (message) => streams.err.write(`daybook: ${message}\n`),
      });
    let report: ImportReport;
    try {
      report = await run(() => true);
      // Standard input was read to its end.
      for (let tries = 0; tries < MOST_TRIES && !paths.includes('-'); tries++) {
        const locked = report.sources.filter(({ message }) => isLocked(message));
        if (locked.length === 0) break;
        line.clear();
        const password = await askPassword(questionOf(locked), streams.err);
        if (password === undefined || password === '') break;
        evidence.unlock(password);
        const names = new Set(locked.map(({ source }) => source));
        report = await run(({ source }) => isBelow(names, source));
      }
    } catch (error) {
      line.clear();
      if (hasCode(error, 'cancelled')) {
        streams.err.write(
          'daybook: cancelled; what was committed is in the case, and the same command resumes the import\n',
        );
        return 130;
      }
      throw error;
    }
    line.clear();
    for (const manifest of report.manifests)
      await write(streams.out, asJson ? `${JSON.stringify(manifest)}\n` : manifestText(manifest));
    await write(streams.out, asJson ? `${JSON.stringify(totalJson(report))}\n` : totalText(report));
    return exitStatus(report, streams.err);
  },
};

/** The name of standard input in the ledger. */
function nameOf(parsed: Parsed, paths: readonly string[]): string | undefined {
  const name = parsed.text('name');
  if (name !== undefined && (name === '' || !paths.includes('-')))
    throw new DaybookError(
      'usage',
      '--name is only for standard input',
      'give - as a PATH: … | daybook import CASE - --name auth.log',
    );
  return name;
}

/** Number of password attempts before an import skips the rest. */
const MOST_TRIES = 5;

function questionOf(locked: readonly SourceReport[]): string {
  const [first] = locked;
  const more = locked.length > 1 ? ` and ${locked.length - 1} more` : '';
  const again = first!.message === NOT_UNLOCKED ? 'Wrong password for' : 'Password for';
  return `${again} ${first!.source}${more} (press Enter to leave it out): `;
}

/** Whether a source is one of these, or in one of them. */
function isBelow(names: ReadonlySet<string>, source: string): boolean {
  for (let at = source.length; at > 0; at = source.lastIndexOf('!', at - 1))
    if (names.has(source.slice(0, at))) return true;
  return false;
}

function exitStatus(report: ImportReport, err: NodeJS.WritableStream): number {
  const readable = report.sources.filter(
    (source) => source.status !== 'failed' && source.status !== 'ignored',
  );
  const failed = report.sources.filter((source) => source.status === 'failed');
  const isListed = manifestProblems(report.manifests, err);
  const isCompared = report.manifests.some(({ listed, missing }) => listed > missing.count);
  if (readable.length === 0 && !isCompared) {
    err.write('daybook: nothing could be imported\n');
    for (const source of report.sources.slice(0, 10))
      err.write(`  ${visible(source.source)}: ${visible(source.message ?? '')}\n`);
    const messages = report.sources.map(({ message = '' }) => message);
    if (messages.length > 0 && messages.every(isFolder))
      err.write('  --recursive also reads the subfolders\n');
    else if (messages.some(isLocked)) err.write('  give the password with --password-file FILE\n');
    else if (messages.includes(UNRECOGNISED))
      err.write('  if you know the format, give it with --format\n');
    return 1;
  }
  if (report.sources.some(({ message }) => message === LOCKED))
    err.write('daybook: give the passwords of encrypted archives with --password-file FILE\n');
  const folders = report.sources.filter(({ message = '' }) => isFolder(message)).length;
  if (folders > 0)
    err.write(
      `daybook: ${counted(folders, 'folder')} in what was named ${folders === 1 ? 'was' : 'were'} not read: --recursive reads ${folders === 1 ? 'it' : 'them'}, too\n`,
    );
  if (failed.length > 0) {
    err.write(
      `daybook: ${failed.length} of ${counted(report.sources.length, 'source')} could not be read\n`,
    );
    return 1;
  }
  const broken = report.sources.filter((source) => source.broken !== undefined).length;
  if (broken > 0)
    err.write(
      `daybook: ${broken} of ${counted(report.sources.length, 'source', 'sources')} not read to ${broken === 1 ? 'its' : 'their'} end\n`,
    );
  return broken > 0 || report.total.quarantined > 0 || !isListed ? EXIT.notAllRight : EXIT.done;
}

const isFolder = (message: string): boolean => message.startsWith('a folder');

/** Prints problems that scripts must not overlook; false if there are any. */
function manifestProblems(
  manifests: readonly ManifestReport[],
  err: NodeJS.WritableStream,
): boolean {
  const differ = manifests.flatMap(({ manifest, differ: { first } }) =>
    first.map(({ file }) => `${visible(file)} (${visible(manifest)})`),
  );
  const count = manifests.reduce((sum, one) => sum + one.differ.count, 0);
  const lines = manifests.reduce((sum, { problems }) => sum + problems.count, 0);
  if (count > 0) {
    const more = count > MOST_SAID ? `, and ${count - MOST_SAID} more` : '';
    err.write(
      `daybook: ${counted(count, 'HASH DIFFERS', 'HASHES DIFFER')} from what a manifest lists: ${differ.slice(0, MOST_SAID).join(', ')}${more}\n`,
    );
  }
  if (lines > 0)
    err.write(
      `daybook: ${counted(lines, 'line')} of hash manifests cannot be read and ${lines === 1 ? 'was' : 'were'} not compared\n`,
    );
  return count === 0 && lines === 0;
}

const MOST_SAID = 10;

function manifestText(report: ManifestReport): string {
  const { manifest, listed, agree, differ, missing, notCompared, unlisted, problems } = report;
  const parts = [`${count(agree)} ${agree === 1 ? 'agrees' : 'agree'}`];
  if (differ.count > 0)
    parts.push(`${count(differ.count)} ${differ.count === 1 ? 'DIFFERS' : 'DIFFER'}`);
  if (missing.count > 0) parts.push(`${count(missing.count)} not found`);
  if (notCompared.count > 0) parts.push(`${count(notCompared.count)} not compared`);
  const lines = [
    `${visible(manifest)}: hashes of ${counted(listed, 'file')}: ${parts.join(', ')}`,
    ...differ.first.map(
      ({ file, line, algorithm, listed: said, actual }) =>
        `DIFFERS: ${visible(file)} (line ${line}): ${algorithmName(algorithm)} is ${actual}, the manifest says ${said}`,
    ),
    ...said('not found', missing, ({ file, line }) => `${visible(file)} (line ${line})`),
    ...said(
      'not compared',
      notCompared,
      ({ file, line, reason }) => `${visible(file)} (line ${line}): ${visible(reason)}`,
    ),
    ...said('not listed', unlisted, visible),
    ...said('cannot be read', problems, ({ line, reason }) => `line ${line}: ${visible(reason)}`),
  ];
  return `${lines.join('\n  ')}\n`;
}

/** The first of them on separate lines; the others are counted. */
function said<T>(
  heading: string,
  { count: all, first }: { count: number; first: readonly T[] },
  text: (one: T) => string,
): string[] {
  const shown = first.slice(0, MOST_SAID).map((one) => `${heading}: ${text(one)}`);
  return all > shown.length ? [...shown, `${heading}: ${count(all - shown.length)} more`] : shown;
}

function sourceJson(source: SourceReport): unknown {
  return {
    source: source.source,
    sha256: source.sha256 ?? null,
    format: source.format ?? null,
    dialect: source.dialect ?? null,
    bytes: source.bytes,
    read: source.read,
    stored: source.stored,
    duplicate: source.duplicate,
    quarantined: source.quarantined,
    skipped: source.skipped,
    ...(source.skipped > 0 ? { skippedReasons: source.skippedReasons } : {}),
    byKind: source.byKind,
    first: isoMicros(source.first),
    last: isoMicros(source.last),
    decisions: source.decisions,
    ...(source.notes.length > 0 ? { notes: source.notes } : {}),
    elapsedMs: source.elapsedMs,
    status: source.status,
    ...(source.broken === undefined ? {} : { broken: source.broken }),
    ...(source.message === undefined ? {} : { message: source.message }),
  };
}

function totalJson(report: ImportReport): unknown {
  return { total: report.total, elapsedMs: report.elapsedMs, peakRssBytes: report.peakRssBytes };
}

function sourceText(source: SourceReport): string {
  const name = visible(source.source);
  if (source.status === 'ignored' || source.status === 'failed')
    return `${name}: ${source.status}: ${visible(source.message ?? '')}\n`;
  if (source.status === 'duplicate') return `${name}: ${visible(source.message ?? '')}\n`;
  const parts = [`read ${count(source.read)}`, `stored ${count(source.stored)}`];
  if (source.duplicate > 0) parts.push(`duplicate ${count(source.duplicate)}`);
  if (source.quarantined > 0) parts.push(`quarantined ${count(source.quarantined)}`);
  if (source.skipped > 0) {
    const reasons = Object.entries(source.skippedReasons).map(
      ([reason, n]) => `${count(n)} ${reason}`,
    );
    parts.push(`skipped ${count(source.skipped)} (${reasons.join('; ')})`);
  }
  const kinds = Object.entries(source.byKind).map(([kind, n]) => `${count(n)} ${kind}`);
  const lines = [
    `${name}: ${source.dialect ?? ''}, ${size(source.bytes)}: ${parts.join(', ')}${kinds.length > 1 ? ` [${kinds.join(', ')}]` : ''}`,
  ];
  if (source.broken !== undefined)
    lines.push(`  ${source.status}: ${visible(source.broken.reason)}`);
  if (source.first !== undefined)
    lines.push(`  ${isoMicros(source.first)} … ${isoMicros(source.last)}`);
  else if (source.stored > 0) lines.push('  no event has a time (find them with day:undated)');
  const decided = describeDecisions(source.decisions);
  if (decided.length > 0) lines.push(`  decided: ${visible(decided.map(decisionText).join(', '))}`);
  for (const note of source.notes)
    if (source.broken === undefined || !source.broken.reason.startsWith(note))
      lines.push(`  note: ${visible(note)}`);
  return `${lines.join('\n')}\n`;
}

function totalText(report: ImportReport): string {
  const { total } = report;
  const seconds = Math.max(report.elapsedMs / 1000, 0.001);
  const kinds = Object.entries(total.byKind).map(([kind, n]) => `${count(n)} ${kind}`);
  return (
    `${counted(total.sources, 'source', 'sources')}, ${size(total.bytes)} in ${seconds.toFixed(1)} s (${size(total.bytes / seconds)}/s): ` +
    `read ${count(total.read)} = stored ${count(total.stored)} + duplicate ${count(total.duplicate)} + quarantined ${count(total.quarantined)} + skipped ${count(total.skipped)}` +
    `${kinds.length > 0 ? `; events: ${kinds.join(', ')}` : ''}\n` +
    (report.sources.some(
      ({ decisions }) =>
        'tz' in decisions ||
        'year' in decisions ||
        'dateOrder' in decisions ||
        'clock' in decisions,
    )
      ? 'zones, years, date orders and clock errors that were decided can be changed with: daybook retime\n'
      : '') +
    (report.overlaps > 0
      ? 'lines that other sources have, too, are left out or shown again with: daybook overlap\n'
      : '')
  );
}
