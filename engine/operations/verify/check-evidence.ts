/**
 * Checks that the evidence is what was imported: each file by its hash, each archive member by the hash of its
 * bytes, and events of each source by reading them again.
 */
import { createHash } from 'node:crypto';
import { counted } from '../../contract/words/counted.ts';
import {
  FileProblem,
  hashHandle,
  openRegular,
  type HashedFile,
} from '../../util/files/regular-file.ts';
import { type SegmentRow, type SourceRow, archiveOf, locationOf } from '../../catalog/index.ts';
import { CancelledError } from '../../contract/errors.ts';
import type { Cutter } from '../../fields/cutting/cutter.ts';
import { cutterWith } from '../../fields/cutting/own-extractors.ts';
import { PROTOCOL_SEQ } from '../../contract/event.ts';
import type { EvidenceItem, Importer } from '../../evidence/importer.ts';
import { isLocked, type ReadLimits } from '../../contract/left-out.ts';
import type { VerifyReport } from '../../contract/verify-report.ts';
import type { Walk } from '../../ingest/index.ts';
import type { CaseSession } from '../../search/index.ts';
import { type Findings, type Progress, reasonOf } from './findings.ts';
import {
  readBack,
  StoredEvents,
  type DifferentEvent,
  type ReadBack,
  type SampleSize,
} from './read-back.ts';
import { append } from '../../util/append.ts';

/** Readers of evidence; provided by the shell. */
export interface EvidenceTools {
  readonly importers: readonly Importer[];
  readonly walk: Walk;
}

interface EvidenceOptions {
  /** Undefined: archives are not opened, and no events are compared. */
  readonly tools: EvidenceTools | undefined;
  readonly sample: SampleSize;
  /** For archive members that must be copied to be read. */
  readonly temporary: string;
  readonly segments: readonly SegmentRow[];
  readonly limits: ReadLimits;
  /** Deleted events may have left the segments. */
  readonly mayLack: (source: SourceRow) => boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

type FileState = 'unchanged' | 'changed' | 'missing' | 'not checked';

const PUT_BACK =
  'put the file back there, unchanged, or if it was moved say where: daybook sources CASE --locate FOLDER';

export async function checkEvidence(
  session: CaseSession,
  sources: readonly SourceRow[],
  findings: Findings,
  options: EvidenceOptions,
): Promise<Pick<VerifyReport, 'evidence' | 'sample'>> {
  return new EvidenceCheck(session, sources, findings, options).run();
}

class EvidenceCheck {
  private readonly session: CaseSession;
  private readonly sources: readonly SourceRow[];
  private readonly findings: Findings;
  private readonly options: EvidenceOptions;
  private readonly sample: VerifyReport['sample'];
  private cutter: Cutter | undefined;
  private stored: StoredEvents | undefined;

  constructor(
    session: CaseSession,
    sources: readonly SourceRow[],
    findings: Findings,
    options: EvidenceOptions,
  ) {
    this.session = session;
    this.sources = sources;
    this.findings = findings;
    this.options = options;
    this.sample = {
      ...{ perSource: options.sample, sources: 0, compared: 0, differing: 0, notCompared: [] },
    };
  }

  async run(): Promise<Pick<VerifyReport, 'evidence' | 'sample'>> {
    const { findings, options } = this;
    const files = [...Map.groupBy(this.sources, ({ path }) => path)];
    const states: FileState[] = [];
    for (const [path, sources] of files) {
      if (options.signal.aborted) throw new CancelledError();
      options.progress.at('evidence', path);
      states.push(await this.file(path, sources));
    }
    let unfinished = 0;
    for (const { name, status, error, broken } of this.sources) {
      const why = broken?.reason ?? error;
      if (status === 'complete' && why === undefined) continue;
      unfinished += 1;
      findings.ofEvidence(
        'warning',
        'unfinished',
        name,
        `${name} ${broken?.state === 'damaged' ? 'is damaged' : 'was not read to its end'}${why === undefined ? '' : `: ${why}`}`,
        why === undefined
          ? 'import it again: the import continues where it stopped'
          : broken?.limit === undefined
            ? undefined
            : `import it again with a higher ${broken.limit}`,
      );
    }
    const count = (state: FileState): number => states.filter((one) => one === state).length;
    const changed = count('changed');
    const missing = count('missing');
    const notChecked = count('not checked');
    return {
      evidence: {
        state:
          changed + missing > 0
            ? 'changed'
            : notChecked + unfinished > 0
              ? 'incomplete'
              : 'unchanged',
        ...{ files: files.length, unchanged: count('unchanged'), changed, missing, notChecked },
        ...{ sources: this.sources.length, unfinished },
      },
      sample: this.sample,
    };
  }

  /** One file, with all sources in it. */
  private async file(path: string, sources: readonly SourceRow[]): Promise<FileState> {
    const { findings, options } = this;
    const all = (reason: string): void => {
      for (const source of sources) this.notCompared(source, reason);
    };
    if (!/^(\/|[A-Za-z]:|\\)/.test(path)) {
      all('it came through a pipe');
      findings.ofEvidence(
        'warning',
        'not-checked',
        sources[0]!.name,
        `${sources.map(({ name }) => name).join(', ')} came through a pipe: there is no file to compare with`,
      );
      return 'not checked';
    }
    const direct = sources.filter((source) => locationOf(source).members.length === 0);
    const members = sources.filter((source) => locationOf(source).members.length > 0);
    let hashed: HashedFile | undefined;
    try {
      const handle = await openRegular(path);
      try {
        if (direct.length > 0 || members.some((source) => archiveOf(source) !== undefined))
          hashed = await hashHandle(handle, {
            prefixes: direct.flatMap(({ rawSize }) => (rawSize === undefined ? [] : [rawSize])),
            signal: options.signal,
            onBytes: options.progress.onBytes,
          });
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      all(`its evidence ${error.message}`);
      const membersText =
        members.length > 0 ? ` (${members.length} of its members are sources)` : '';
      findings.ofEvidence(
        'error',
        error.kind,
        path,
        `${path} ${error.message}${membersText}`,
        PUT_BACK,
      );
      return error.kind === 'missing'
        ? 'missing'
        : error.kind === 'unreadable'
          ? 'not checked'
          : 'changed';
    }
    const states: FileState[] = [];
    if (hashed !== undefined && direct.length > 0)
      append(states, await this.directly(path, direct, hashed));
    if (members.length > 0) {
      states.push(await this.members(path, members));
      states.push(this.archive(path, members, hashed, states));
    }
    const worst = (['changed', 'missing', 'not checked'] as const).find((state) =>
      states.includes(state),
    );
    return worst ?? 'unchanged';
  }

  /** Sources that are the file itself, in its state at some time. */
  private async directly(
    path: string,
    sources: readonly SourceRow[],
    { bytes, sha256, prefixes }: HashedFile,
  ): Promise<FileState[]> {
    const { findings } = this;
    const states: FileState[] = [];
    const present: SourceRow[] = [];
    for (const source of sources) {
      const { name, rawSize, rawSha256 } = source;
      if (rawSha256 === undefined) {
        // Its import was interrupted: its hash is known once it is read to the end.
        this.notCompared(source, 'it was not read to its end');
        states.push('not checked');
      } else if (sha256 === rawSha256) {
        states.push('unchanged');
        present.push(source);
      } else if (rawSize !== undefined && prefixes.get(rawSize) === rawSha256) {
        const imported = sources.some((other) => other.rawSha256 === sha256);
        findings.ofEvidence(
          imported ? 'note' : 'error',
          'grown',
          path,
          imported
            ? `${path} has grown since source ${source.id} was imported, and was imported again`
            : `${path} has grown by ${counted(bytes - rawSize, 'byte')} since it was imported; the bytes that were imported are unchanged`,
          imported ? undefined : 'import it again to add the rest to the case',
        );
        states.push(imported ? 'unchanged' : 'changed');
        present.push(source);
      } else {
        this.notCompared(source, 'its evidence has changed');
        findings.ofEvidence(
          'error',
          'changed',
          path,
          `${path} has changed since it was imported as ${name} (SHA-256)`,
          PUT_BACK,
        );
        states.push('changed');
      }
    }
    if (present.length > 0) await this.readDirectly(path, present);
    return states;
  }

  private async readDirectly(path: string, sources: readonly SourceRow[]): Promise<void> {
    const { tools, sample, temporary, limits } = this.options;
    if (tools === undefined || sample === 0) return;
    try {
      for await (const found of tools.walk(path, sources[0]!.name, temporary, limits)) {
        if ('reason' in found || found.location.members.length > 0) continue;
        for (const source of sources) await this.compare(source, found);
        return;
      }
      for (const source of sources) this.notCompared(source, 'it is now recognised as an archive');
    } catch (error) {
      for (const source of sources) this.notCompared(source, reasonOf(error));
    }
  }

  /** Sources that are members of the archive at `path`. */
  private async members(path: string, sources: readonly SourceRow[]): Promise<FileState> {
    const { findings, options } = this;
    const { tools, temporary, limits } = options;
    if (tools === undefined) {
      findings.ofEvidence('warning', 'not-checked', path, `the archive ${path} was not opened`);
      for (const source of sources) this.notCompared(source, 'its archive was not opened');
      return 'not checked';
    }
    // Several members may have the same name: they are matched in the order in which they were imported.
    const left = Map.groupBy(sources, (source) => locationOf(source).members.join('\0'));
    const state = { changed: 0, notChecked: 0 };
    const locked: string[] = [];
    try {
      for await (const found of tools.walk(path, outermost(sources[0]!.name), temporary, limits)) {
        if (options.signal.aborted) throw new CancelledError();
        if ('reason' in found) {
          if (isLocked(found.reason)) locked.push(found.name);
          continue;
        }
        const key = found.location.members.join('\0');
        const source = left.get(key)?.shift();
        if (source === undefined) continue;
        if (left.get(key)!.length === 0) left.delete(key);
        options.progress.at('evidence', source.name);
        if (source.rawSha256 === undefined) {
          this.notCompared(source, 'it was not read to its end');
          state.notChecked += 1;
        } else if ((await this.hashOf(source, found)) === source.rawSha256) {
          await this.compare(source, found);
        } else {
          state.changed += 1;
          this.notCompared(source, 'its evidence has changed');
          findings.ofEvidence(
            'error',
            'changed',
            source.name,
            `${source.name} in ${path} has changed since it was imported (SHA-256)`,
            PUT_BACK,
          );
        }
        if (left.size === 0) break;
      }
      for (const source of [...left.values()].flat()) {
        if (locked.some((name) => source.name === name || source.name.startsWith(`${name}!`))) {
          state.notChecked += 1;
          this.notCompared(source, 'it is encrypted, and its password was not given');
          findings.ofEvidence(
            'warning',
            'not-checked',
            source.name,
            `${source.name} is encrypted, and its password was not given`,
            'give it: daybook verify CASE --password-file FILE',
          );
          continue;
        }
        state.changed += 1;
        this.notCompared(source, 'its archive has no such member');
        findings.ofEvidence(
          'error',
          'changed',
          source.name,
          `${path} no longer has the member ${source.name}`,
          PUT_BACK,
        );
      }
    } catch (error) {
      const reason = reasonOf(error);
      const rest = [...left.values()].flat();
      for (const source of rest) this.notCompared(source, reason);
      state.notChecked += rest.length;
      findings.ofEvidence(
        'warning',
        'not-checked',
        path,
        `the archive ${path} could not be read further (${reason}): ${uncheckedText(rest.length, sources.length)}`,
      );
    }
    return state.changed > 0 ? 'changed' : state.notChecked > 0 ? 'not checked' : 'unchanged';
  }

  /** The archive itself: bytes that belong to no member, and members that are not sources. */
  private archive(
    path: string,
    members: readonly SourceRow[],
    hashed: HashedFile | undefined,
    states: readonly FileState[],
  ): FileState {
    const { findings } = this;
    const known = members.flatMap((source) => archiveOf(source) ?? []);
    if (hashed !== undefined && known.some(({ sha256 }) => sha256 === hashed.sha256)) {
      // What was imported from an earlier state of it is compared member by member.
      return 'unchanged';
    }
    if (known.length === 0) {
      findings.ofEvidence(
        'warning',
        'not-checked',
        path,
        `whether ${path} is unchanged outside its members is not known: no import recorded the hash of the archive`,
        'if the archive is the original, import it again: that stores nothing twice, and keeps its hash',
      );
      return 'not checked';
    }
    // Members that have changed are named already.
    if (states.includes('changed')) return 'changed';
    findings.ofEvidence(
      'error',
      'changed',
      path,
      states.every((state) => state === 'unchanged')
        ? `${path} has changed since it was imported (SHA-256), though its ${members.length === 1 ? 'member that is a source has' : `${members.length} members that are sources have`} not: bytes outside them differ`
        : `${path} has changed since it was imported (SHA-256)`,
      PUT_BACK,
    );
    return 'changed';
  }

  /** Hash of a member; if its import could not read it to its end, of what was read. */
  private async hashOf(source: SourceRow, evidence: EvidenceItem): Promise<string> {
    const { signal, progress } = this.options;
    const hash = createHash('sha256');
    let left = source.broken === undefined ? Infinity : (source.rawSize ?? 0);
    for await (const block of evidence.raw()) {
      if (signal.aborted) throw new CancelledError();
      hash.update(block.subarray(0, left));
      left -= block.length;
      progress.onBytes(block.length);
      if (left <= 0) break;
    }
    return hash.digest('hex');
  }

  private async compare(source: SourceRow, evidence: EvidenceItem): Promise<void> {
    const { options, sample } = this;
    const { tools, progress } = options;
    if (tools === undefined || options.sample === 0) return;
    progress.at('sample', source.name);
    const { importers } = tools;
    const { extractors } = this.session.catalog;
    this.cutter ??= cutterWith(extractors.all().map(({ document }) => document));
    this.stored ??= new StoredEvents(this.session);
    const found = await readBack(this.stored, source, evidence, {
      ...options,
      importers,
      cutter: this.cutter,
      mayLack: options.mayLack(source),
    });
    if (found.compared > 0) sample.sources += 1;
    sample.compared += found.compared;
    sample.differing += found.differing;
    if (found.left !== undefined) this.notCompared(source, found.left);
    this.report(source, found);
  }

  private report(source: SourceRow, { differing, named }: ReadBack): void {
    const { findings } = this;
    const advice =
      'either the segment or this version of Daybook is wrong: import the evidence into a new case and compare';
    for (const event of named)
      findings.damage('differs', source.name, describe(source, event), advice);
    if (differing > named.length)
      findings.damage(
        'differs',
        source.name,
        `${counted(differing - named.length, 'more event')} of ${source.name} ${differing - named.length === 1 ? 'differs' : 'differ'} from the evidence`,
        advice,
      );
  }

  private notCompared({ id, name }: SourceRow, reason: string): void {
    if (this.options.sample === 0) return;
    this.sample.notCompared.push({ source: id, name, reason });
  }
}

const SHOWN = 120;

/** An event's differences in words: source, record and fields. */
function describe(source: SourceRow, { seq, differences, absent }: DifferentEvent): string {
  const which =
    seq >= 0
      ? `record ${seq}`
      : seq < -PROTOCOL_SEQ
        ? `protocol event ${-seq - PROTOCOL_SEQ}`
        : `flow ${-seq}`;
  if (absent === 'in the evidence')
    return seq === 0
      ? `an event of ${source.name} in the case is not in the evidence`
      : `${which} of ${source.name} is in the case, but not in the evidence`;
  if (absent !== undefined)
    return `${which} of ${source.name} is in the evidence, but not in the case`;
  const fields = differences.map(
    ({ field, inCase, inEvidence }) =>
      `${field} is ${shown(inCase)} in the case, ${shown(inEvidence)} in the evidence`,
  );
  return `${which} of ${source.name}: ${fields.join('; ')}`;
}

function shown(value: string | number | bigint | undefined): string {
  if (value === undefined) return 'empty';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** For the sources of a truncated archive. */
function uncheckedText(unchecked: number, of: number): string {
  if (unchecked === 0) return 'its sources come before that';
  return unchecked === of
    ? of === 1
      ? 'its source was not checked'
      : `none of its ${of} sources was checked`
    : `${unchecked} of its ${of} sources ${unchecked === 1 ? 'was' : 'were'} not checked`;
}

/** The name of the file that a member is in. */
function outermost(name: string): string {
  return name.split('!', 1)[0]!;
}
