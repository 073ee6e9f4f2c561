/**
 * Extracts files that connections carried from the evidence. Each capture is read once, as in its import; a file is
 * written only if it matches its event: the same number of bytes, the same hash.
 *
 * Files are written as they were sent and may be malware: only their owner may read them, and nothing opens or runs
 * them.
 */
import {
  closeSync,
  constants,
  createReadStream,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FileReceiver, FileTaker } from '../../evidence/carried-files.ts';
import { counted } from '../../contract/words/counted.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { type SourceRow, locationOf } from '../../catalog/index.ts';
import { type CaseSession, askQuery, eventIdOf, eventKey, shownRows } from '../../search/index.ts';
import { fileSha256 } from '../../store/index.ts';
import { accessError, diskError, makeFolder } from '../../util/files/files.ts';
import { checkEvidence, type EvidenceReader } from '../event/evidence-reader.ts';
import {
  auditOutput,
  createOutput,
  refuseCase,
  writeOutput,
  type OutputPlace,
  type Written,
} from './output-file.ts';
import { append } from '../../util/append.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Number of files that are open at a time. */
const MAX_OPEN = 64;
const MAX_NAME_CHARACTERS = 80;
export const CARVED_LIST = 'carved.json';

/** A file as its event describes it. */
interface WantedFile {
  readonly event: string;
  readonly flow: number;
  readonly isFromClient: boolean;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly seenBytes: number;
  readonly missingBytes: number;
  readonly sha256: string | undefined;
  readonly problem: string | undefined;
}

interface CarvedFile {
  readonly event: string;
  readonly source: string;
  /** In the folder. */
  readonly file: string;
  /** As sent; undefined if it had none. */
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  /** Size of the file; missing bytes are zeros. */
  readonly bytes: number;
  readonly missingBytes: number;
  /** SHA-256 of the written file. */
  readonly sha256: string;
  /** Why it is incomplete. */
  readonly problem: string | undefined;
}

export interface CarveReport {
  readonly folder: string;
  readonly files: readonly CarvedFile[];
  /** Files that the query found but that could not be extracted, with the reason. */
  readonly left: readonly { readonly event: string; readonly reason: string }[];
  /** Number of events that are not files, and of files that no capture carried. */
  readonly others: number;
}

interface CarveParameters {
  readonly query: string;
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  readonly zone: string;
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  report(progress: { done: number; of: number | undefined; source: string }): Promise<void>;
}

/**
 * Writes the files that a query finds to a folder, and a list of them.
 * @throws DaybookError usage for a view without files, or a folder that is not empty; not-found, unreadable,
 * source-damaged for missing or changed evidence; query-syntax, disk-full, cancelled
 */
export async function carveFiles(
  session: CaseSession,
  evidence: EvidenceReader,
  parameters: CarveParameters,
): Promise<CarveReport> {
  const watch = new Stopwatch('carve');
  const { query, from, to, zone, signal } = parameters;
  const { wanted, others } = await watch.spanAsync('find', () => wantedFiles(session, parameters));
  if (wanted.size === 0)
    throw new DaybookError(
      'usage',
      others === 0 ? 'the query finds nothing' : `the query finds no file that a capture carried`,
      'files that connections carried are found by kind:file; importing with --no-protocols leaves them out',
    );
  const sources = session
    .snapshot()
    .sources()
    .filter(({ id }) => wanted.has(id));
  // Before the first byte is written: all that is needed must be there.
  for (const source of sources) await checkEvidence(evidence, source, signal);
  const folder = await emptyFolder(parameters.folder);
  const files: CarvedFile[] = [];
  const left: { event: string; reason: string }[] = [];
  const list = await createOutput(join(folder, CARVED_LIST), { overwrite: false });
  const report = { folder, files, left, others };
  try {
    await watch.spanAsync('write', async () => {
      for (const source of sources) {
        const found = await filesOf(evidence, source, wanted.get(source.id)!, folder, parameters);
        append(files, found.files);
        append(left, found.left);
      }
    });
    await list.write(`${JSON.stringify({ query, from, to, ...report }, null, 2)}\n`);
    await list.commit();
  } catch (error) {
    await list.abandon();
    for (const { file } of files) rmSync(join(folder, file), { force: true });
    throw error;
  }
  watch.rowsReturned = files.length;
  session.record(watch, 'done');
  const sha256 = await fileSha256(list.path);
  auditOutput(session, 'carve', { query, from, to, zone, folder, files: files.length, sha256 });
  return report;
}

/**
 * Writes the file of one event.
 * @throws DaybookError as `carveFiles`; not-found for an event that is not such a file
 */
export async function writeFile(
  session: CaseSession,
  evidence: EvidenceReader,
  event: string,
  place: OutputPlace,
  tell: (progress: { done: number; of?: number | undefined }) => Promise<void>,
): Promise<Written & { missing: number }> {
  const { signal } = place;
  const query = `kind:file event_id:${eventIdOf(eventKey(event))}`;
  const { wanted } = await wantedFiles(session, { query, zone: 'UTC', signal });
  const [found] = wanted;
  const source = session
    .snapshot()
    .sources()
    .find(({ id }) => id === found?.[0]);
  if (found === undefined || source === undefined)
    throw new DaybookError(
      'not-found',
      `event ${event} is not a file that a capture carried`,
      'choose an event of kind file that belongs to a flow',
    );
  await checkEvidence(evidence, source, signal);
  const folder = await mkdtemp(join(tmpdir(), 'daybook-file-'));
  try {
    const report: CarveParameters['report'] = ({ done, of }) => tell({ done, of });
    const { files, left } = await filesOf(evidence, source, found[1], folder, { report, signal });
    const [file] = files;
    if (file === undefined)
      throw new DaybookError(
        'source-damaged',
        `the file of event ${event} cannot be written: ${left[0]?.reason ?? 'it was not found again'}`,
        'verifying the case says which evidence is missing or changed (daybook verify)',
      );
    const { written } = await writeOutput(session.snapshot().sources, place, async (write) => {
      const bytes: AsyncIterable<Uint8Array> = createReadStream(join(folder, file.file));
      for await (const part of bytes) await write(part);
    });
    auditOutput(session, 'carve', { event, ...written });
    return { ...written, missing: file.missingBytes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** By the number of their source. */
type Wanted = Map<number, Map<number, WantedFile>>;

async function wantedFiles(
  session: CaseSession,
  { query, from, to, zone, signal }: Omit<CarveParameters, 'folder' | 'report'>,
): Promise<{ wanted: Wanted; others: number }> {
  const start = (text: string) =>
    askQuery(session, { text, from, to, zone, signal, operation: 'carve.find' });
  if ((await start(query)).plan.shape !== 'rows')
    throw new DaybookError(
      'usage',
      'the query gives a table: it has no files',
      'leave out the stages that count or group',
    );
  const captures = new Set(
    session
      .snapshot()
      .sources()
      .filter(({ importer }) => importer === 'pcap')
      .map(({ id }) => id),
  );
  const running = await start(`${query} | fields event_id, kind, flow_id, sha256, attributes`);
  const wanted: Wanted = new Map();
  let others = 0;
  for await (const records of shownRows(running, zone)) {
    for (const { event_id: id, kind, flow_id: flow, sha256, attrs } of records) {
      const event = textOf(id);
      const { sourceId, seq } = eventKey(event);
      if (kind !== 'file' || typeof flow !== 'number' || !captures.has(sourceId)) {
        others += 1;
        continue;
      }
      const more = typeof attrs === 'object' && attrs !== null ? Object.entries(attrs) : [];
      const said = new Map(more.map(([name, value]) => [name, textOf(value)]));
      const ofSource = wanted.get(sourceId) ?? new Map<number, WantedFile>();
      wanted.set(sourceId, ofSource);
      ofSource.set(seq, {
        ...{ event, flow, isFromClient: said.get('is_orig') === 'T' },
        ...{ name: said.get('filename'), mediaType: said.get('mime_type') },
        seenBytes: Number(said.get('seen_bytes')),
        missingBytes: Number(said.get('missing_bytes')),
        sha256: typeof sha256 === 'string' ? sha256 : undefined,
        problem: said.get('problem'),
      });
    }
  }
  return { wanted, others };
}

/** A value as it was stored: texts that look like numbers or JSON are shown as those. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

/** Makes the folder unless it exists. */
async function emptyFolder(asked: string): Promise<string> {
  const folder = resolve(asked);
  refuseCase(folder);
  try {
    makeFolder(folder, FOLDER_MODE);
    if ((await readdir(folder)).length === 0) return folder;
  } catch (error) {
    throw diskError(error) ?? accessError(error) ?? error;
  }
  throw new DaybookError(
    'usage',
    `${folder} is not empty`,
    'choose another folder: files are never written among others',
  );
}

async function filesOf(
  evidence: EvidenceReader,
  source: SourceRow,
  wanted: ReadonlyMap<number, WantedFile>,
  folder: string,
  { report, signal }: Pick<CarveParameters, 'report' | 'signal'>,
): Promise<Pick<CarveReport, 'files' | 'left'>> {
  const taker = new Taker(folder, wanted);
  const progress = (bytes: number): Promise<void> =>
    report({ done: bytes, of: source.contentSize, source: source.name });
  try {
    await evidence.readFiles({ location: locationOf(source), files: taker, progress, signal });
    if (signal?.aborted === true) throw new CancelledError();
  } catch (error) {
    // The written file is none of these yet.
    taker.abandon();
    throw diskError(error) ?? error;
  }
  taker.close();
  const files: CarvedFile[] = [];
  const left: { event: string; reason: string }[] = [];
  // Numbers of derived events count down.
  for (const [seq, file] of [...wanted].toSorted(([a], [b]) => b - a)) {
    const { event, name, mediaType, problem, missingBytes } = file;
    const taken = taker.found.get(seq);
    const path = taken && join(folder, taken.file);
    const sha256 = path && (await fileSha256(path));
    const isSame =
      taken?.seenBytes === file.seenBytes &&
      taken.missingBytes === missingBytes &&
      (file.sha256 === undefined || file.sha256 === sha256);
    if (isSame && sha256 !== undefined)
      files.push({
        ...{ event, source: source.name, file: taken.file, name, mediaType },
        ...{ bytes: taken.seenBytes + missingBytes, missingBytes, sha256, problem },
      });
    else {
      if (path !== undefined) rmSync(path, { force: true });
      left.push({
        event,
        reason:
          taken === undefined ? 'it was not found again' : differenceOf(file, taken.seenBytes),
      });
    }
  }
  return { files, left };
}

function differenceOf({ seenBytes }: WantedFile, taken: number): string {
  return taken === seenBytes
    ? 'its content differs from that of its event'
    : `it has ${counted(taken, 'byte')}, its event says ${seenBytes}`;
}

/** Writes the files of one capture as their bytes arrive. */
class Taker implements FileTaker {
  readonly found = new Map<number, Writing>();
  private readonly folder: string;
  private readonly wanted: ReadonlyMap<number, WantedFile>;
  private readonly directions: ReadonlySet<string>;
  private readonly open = new OpenFiles();
  private readonly writing = new Set<Writing>();
  private count = 0;

  constructor(folder: string, wanted: ReadonlyMap<number, WantedFile>) {
    this.folder = folder;
    this.wanted = wanted;
    this.directions = new Set(
      [...wanted.values()].map(({ flow, isFromClient }) => `${flow} ${String(isFromClient)}`),
    );
  }

  /** Which of the files of a direction it is, is known at its end. */
  begin(flow: number, isFromClient: boolean): FileReceiver | undefined {
    if (!this.directions.has(`${flow} ${String(isFromClient)}`)) return undefined;
    this.count += 1;
    const writing = new Writing(this.folder, `.${this.count}.partial`, this.open, (seq) => {
      this.writing.delete(writing);
      const file = seq === undefined ? undefined : this.wanted.get(seq);
      if (file === undefined) writing.remove();
      else {
        writing.rename(fileName(file));
        this.found.set(seq!, writing);
      }
    });
    this.writing.add(writing);
    return writing;
  }

  close(): void {
    for (const writing of this.writing) writing.remove();
    this.open.closeAll();
  }

  abandon(): void {
    this.close();
    for (const writing of this.found.values()) writing.remove();
  }
}

class Writing implements FileReceiver {
  seenBytes = 0;
  missingBytes = 0;
  file: string;
  private readonly folder: string;
  private readonly open: OpenFiles;
  private readonly ended: (seq: number | undefined) => void;

  constructor(
    folder: string,
    file: string,
    open: OpenFiles,
    ended: (seq: number | undefined) => void,
  ) {
    this.folder = folder;
    this.file = file;
    this.open = open;
    this.ended = ended;
  }

  private get path(): string {
    return join(this.folder, this.file);
  }

  data(bytes: Uint8Array): void {
    const handle = this.open.handle(this.path);
    for (let at = 0; at < bytes.length;) {
      const place = this.seenBytes + this.missingBytes;
      const written = writeSync(handle, bytes, at, bytes.length - at, place);
      this.seenBytes += written;
      at += written;
    }
  }

  gap(size: number): void {
    this.missingBytes += size;
  }

  end(seq: number | undefined): void {
    // Bytes missing at its end.
    if (this.missingBytes > 0)
      ftruncateSync(this.open.handle(this.path), this.seenBytes + this.missingBytes);
    this.ended(seq);
  }

  rename(file: string): void {
    this.open.close(this.path);
    renameSync(this.path, join(this.folder, file));
    this.file = file;
  }

  remove(): void {
    this.open.close(this.path);
    rmSync(this.path, { force: true });
  }
}

/** Handles of files being written, up to the limit. */
class OpenFiles {
  private readonly handles = new Map<string, number>();

  handle(path: string): number {
    const known = this.handles.get(path);
    // The map has the order of last use.
    this.handles.delete(path);
    const handle = known ?? openSync(path, constants.O_CREAT | constants.O_WRONLY, FILE_MODE);
    this.handles.set(path, handle);
    if (this.handles.size > MAX_OPEN) this.close(this.handles.keys().next().value!);
    return handle;
  }

  close(path: string): void {
    const handle = this.handles.get(path);
    this.handles.delete(path);
    if (handle !== undefined) closeSync(handle);
  }

  closeAll(): void {
    for (const path of [...this.handles.keys()]) this.close(path);
  }
}

/** `3-p12_invoice.pdf`: the event's number, and the part of the name that is safe in a file name. */
function fileName({ event, name, mediaType }: WantedFile): string {
  const safe = (name ?? '')
    .replaceAll(/[^\p{L}\p{N}._ ()+-]/gu, '_')
    .replace(/[. ]+$/, '')
    .slice(-MAX_NAME_CHARACTERS);
  const usual = mediaType === 'message/rfc822' ? 'mail.eml' : 'file';
  return `${event.replace(':', '-')}_${safe === '' ? usual : safe}`;
}
