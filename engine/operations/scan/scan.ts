/** `scan`: a query over evidence files in one pass, without a case; nothing is stored. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { canonicalClockError, clockErrorOf } from '../../contract/time/clock.ts';
import type { DateOrder } from '../../contract/time/decisions.ts';
import { CancelledError, DaybookError, hasCode } from '../../contract/errors.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { inWholeLines } from '../../evidence/pieces.ts';
import type { Ignored, ReadLimits } from '../../contract/left-out.ts';
import type { Importer, EvidenceItem, ReadOptions, SourceInput } from '../../evidence/importer.ts';
import {
  recognise,
  readHead,
  UNRECOGNISED,
  unknownReason,
  type Head,
  type Recognised,
} from '../../ingest/index.ts';
import { Stopwatch, type Timings } from '../../measure/operation-log.ts';
import { doubtfulNames } from '../../query/plan/analyse.ts';
import type { Answer } from '../../query/answers/answer.ts';
import { type ShownRecord, formatter } from '../../query/answers/format.ts';
import { printFilter } from '../../query/syntax/print.ts';
import type { GivenFile } from '../../query/lookups/lookup-file.ts';
import type { ScanRequest } from '../../scan/plan-scan.ts';
import { Scan, type ScanLedger } from '../../scan/scan.ts';
import { completeEvents } from '../../query/statements/shown-events.ts';

export { rowFieldNames } from '../../query/statements/shown-events.ts';

export interface ScanParameters {
  readonly limits?: ReadLimits;
  /** A file, or `-` for standard input. */
  readonly path: string;
  readonly text: string;
  /** The files for `lookup`, by their names in the query. */
  readonly lookups?: ReadonlyMap<string, GivenFile> | undefined;
  readonly from: EpochMicros | undefined;
  readonly to: EpochMicros | undefined;
  readonly zone: string;
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
  /** The importer or dialect to read it with; undefined: judged by its content. */
  readonly format: string | undefined;
  readonly timeZone: string | undefined;
  readonly year: number | undefined;
  readonly dateOrder?: DateOrder | undefined;
  /** Error of the clock that timestamped the file: `90s fast`. */
  readonly clock?: string | undefined;
  readonly mapping: Record<string, string> | undefined;
  readonly standardInput: Readable;
  /** Files of extractors in addition to Daybook's. */
  readonly extractors?: readonly string[];
  readonly onProgress: (progress: {
    readonly bytes: number;
    readonly totalBytes: number;
    readonly rows: number;
    readonly source: string;
  }) => void;
}

/** Readers of evidence. */
export interface ScanTools {
  /**
   * The importer that reads its input once, from the first byte to the last. It is tried first: if it is certain,
   * no other is needed.
   */
  readonly captures: Importer;
  /** All importers, in the order of preference. */
  importers(): Promise<readonly Importer[]>;
  /**
   * Finds the sources of a file: itself, or the members of an archive.
   * @param temporary makes a folder for copies of what cannot be read twice in place
   */
  walk(
    path: string,
    name: string,
    temporary: () => Promise<string>,
    limits?: ReadLimits,
  ): AsyncGenerator<EvidenceItem | Ignored>;
}

export interface RunningScan {
  readonly plan: Scan['scanPlan']['plan'];
  /** Rows as people and scripts see them, for a plan of shape `rows`. */
  rows(): AsyncGenerator<ShownRecord[]>;
  /** The answer of every other shape. */
  answer(): Promise<Answer>;
  /** Complete after the scan has ended: does not count what was read in vain. */
  readonly ledger: ScanLedger;
  /** Notes on the answer for people; call it after the scan has ended. */
  notes(): string[];
  /** Call it after the scan has ended. */
  timings(): Timings;
}

/** @throws DaybookError query-syntax, unknown-field */
export function startScan(parameters: ScanParameters, tools: ScanTools): RunningScan {
  const watch = new Stopwatch('scan');
  const { path, text, lookups, from, to, zone, limit, signal } = parameters;
  const sources = [{ id: 1, name: path === '-' ? 'standard-input' : basename(path) }];
  const { extractors = [], clock } = parameters;
  const clockError = clock === undefined ? 0 : clockErrorOf(canonicalClockError(clock));
  const request = { text, lookups, zone, from, to, sources, extractors, clockError };
  const run = runOf(request, limit, signal, watch);
  watch.path = 'scan';
  const reading = () => watch.spanAsync('read', () => readAll(run, parameters, tools, sources));
  const names = doubtfulNames(run.scan.scanPlan.plan.ast);
  /** Reads as far as necessary to know which names are fields; for a stream that is unknown. */
  const decide = async (): Promise<void> => {
    if (names.size === 0 || path === '-') return;
    const fields = new Set<string>();
    await watch.spanAsync('names', async () => {
      for (const name of names) if (await isHeld(name, parameters, tools)) fields.add(name);
    });
    run.request = { ...run.request, fields };
    run.again();
  };
  const done = () => {
    watch.rowsExamined = run.scan.ledger.stored;
  };
  return {
    get plan() {
      return run.scan.scanPlan.plan;
    },
    get ledger() {
      return run.scan.ledger;
    },
    async *rows() {
      await decide();
      const { plan } = run.scan.scanPlan;
      for await (const { columns, rows } of run.scan.rows(reading)) {
        const { event } = formatter({ sources: () => sources, tags: [] }, zone);
        const records = rows.map((row) => event(columns, row));
        completeEvents(records, plan);
        yield records;
      }
      done();
    },
    async answer() {
      await decide();
      await reading();
      done();
      return watch.span('answer', () => run.scan.answer(zone));
    },
    notes: () => run.scan.notes(),
    timings: () => watch.timings(),
  };
}

/** Whether an event of the file has a field of that name. */
async function isHeld(
  name: string,
  parameters: ScanParameters,
  tools: ScanTools,
): Promise<boolean> {
  const { zone, signal } = parameters;
  const sources = [{ id: 1, name: basename(parameters.path) }];
  const text = `kind:* ${printFilter({ node: 'field', name, test: { test: 'present' }, start: 0, end: 0 })}`;
  const run = runOf(
    { text, zone, from: undefined, to: undefined, sources },
    1,
    signal,
    new Stopwatch('scan'),
  );
  const quiet = { ...parameters, onProgress: () => undefined };
  try {
    for await (const { rows } of run.scan.rows(() => readAll(run, quiet, tools, sources)))
      if (rows.length > 0) return true;
    return false;
  } catch (error) {
    if (hasCode(error, 'unknown-field')) return false;
    throw error;
  }
}

function runOf(
  request: ScanRequest,
  limit: number | undefined,
  signal: AbortSignal,
  watch: Stopwatch,
): Run {
  return {
    request,
    scan: watch.span('plan', () => new Scan(request, limit, signal)),
    again() {
      this.scan = new Scan(this.request, limit, signal);
    },
  };
}

interface Run {
  request: ScanRequest;
  scan: Scan;
  /** Resets it for another attempt. */
  again(): void;
}

/** A folder that is made on first use. */
class TemporaryFolder {
  private made: Promise<string> | undefined;
  readonly path = (): Promise<string> => (this.made ??= mkdtemp(join(tmpdir(), 'daybook-scan-')));
  async remove(): Promise<void> {
    if (this.made !== undefined) await rm(await this.made, { recursive: true, force: true });
  }
}

interface Source {
  readonly id: number;
  readonly name: string;
}

/** Reads the file, or the members of the archive it is, or standard input. */
async function readAll(
  run: Run,
  parameters: ScanParameters,
  tools: ScanTools,
  sources: Source[],
): Promise<void> {
  const temporary = new TemporaryFolder();
  try {
    if (parameters.path === '-') {
      const { standardInput, signal } = parameters;
      const stop = () => standardInput.destroy(new CancelledError());
      signal.addEventListener('abort', stop);
      try {
        if (signal.aborted) throw new CancelledError();
        await readStream(run, parameters, tools, sources, temporary);
      } finally {
        signal.removeEventListener('abort', stop);
        // A writer should not wait for a reader that has found enough.
        standardInput.destroy();
      }
    } else await readFile(run, parameters, tools, sources, temporary, parameters.path);
  } finally {
    await temporary.remove();
  }
}

async function readFile(
  run: Run,
  parameters: ScanParameters,
  tools: ScanTools,
  sources: Source[],
  temporary: TemporaryFolder,
  path: string,
): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) throw new DaybookError('not-found', `${path}: no such file`);
  if (info.isDirectory()) {
    throw new DaybookError(
      'unreadable',
      `${path} is a folder`,
      'a scan reads one file; import reads folders',
    );
  }
  let found = 0;
  try {
    found = await readItems(run, parameters, tools, sources, path, temporary);
  } catch (error) {
    // Members of a damaged archive may have been read before.
    if (run.scan.ledger.read === 0 || !run.scan.isBroken(error, sources[0]!.name)) throw error;
    return;
  }
  const { ledger, done } = run.scan;
  if (found === 0 && ledger.read === 0 && !done) {
    throw new DaybookError('unknown-format', `${path}: ${ledger.notes[0] ?? 'holds no evidence'}`);
  }
}

/** The number of contents that something reads. */
async function readItems(
  run: Run,
  parameters: ScanParameters,
  tools: ScanTools,
  sources: Source[],
  path: string,
  temporary: TemporaryFolder,
): Promise<number> {
  let found = 0;
  for await (const evidence of tools.walk(
    resolve(path),
    sources[0]!.name,
    temporary.path,
    parameters.limits,
  )) {
    if (run.scan.done) break;
    if ('reason' in evidence) {
      run.scan.ledger.notes.push(`${evidence.name}: ${evidence.reason}`);
      continue;
    }
    const alone = evidence.location.members.length === 0;
    if (await readItem(run, parameters, tools, sources, evidence, alone ? 1 : sources.length + 1))
      found += 1;
    else if (alone) break;
  }
  return found;
}

/** Whether something reads it. */
async function readItem(
  run: Run,
  parameters: ScanParameters,
  tools: ScanTools,
  sources: Source[],
  evidence: EvidenceItem,
  id: number,
): Promise<boolean> {
  const head = await readHead(evidence.input);
  const chosen = await readerOf(tools, head, evidence.name, parameters.format);
  if (chosen === undefined) {
    const reason = unknownReason(head);
    if (evidence.location.members.length === 0) throw unknown(evidence.name, reason);
    run.scan.ledger.notes.push(`${evidence.name}: ${reason}`);
    return false;
  }
  if (id > 1) sources.push({ id, name: evidence.name });
  const totalBytes = evidence.input.size ?? 0;
  const { importer, result } = chosen;
  const before = run.scan.ledger.bytes;
  run.scan.onProgress = ({ bytes, rows }) => {
    parameters.onProgress({ bytes: bytes - before, totalBytes, rows, source: evidence.name });
  };
  const input = importer.byLines === true ? inWholeLines(evidence.input) : evidence.input;
  await run.scan.read(importer, input, optionsOf(parameters, result.format), id);
  return true;
}

/** The reader of a content: without the other importers if it is certainly a capture. */
async function readerOf(
  tools: ScanTools,
  head: Head,
  name: string,
  format: string | undefined,
): Promise<Recognised | undefined> {
  const { captures } = tools;
  if (format === undefined) {
    const first = recognise([captures], head, name, undefined);
    if (first?.result.score === 1) return first;
  }
  return recognise(await tools.importers(), head, name, format);
}

function unknown(name: string, reason: string): DaybookError {
  return new DaybookError(
    'unknown-format',
    `${name}: ${reason}`,
    reason === UNRECOGNISED ? 'give its format with --read FORMAT' : undefined,
  );
}

function optionsOf(
  { timeZone, year, dateOrder, mapping }: ScanParameters,
  format: string,
): Omit<ReadOptions, 'packets' | 'flows' | 'protocols' | 'columns'> {
  return {
    timeZone,
    year,
    dateOrder,
    format,
    mapping: mapping === undefined ? undefined : { fields: mapping },
    before: undefined,
  };
}

const HEAD_BYTES = 64 * 1024;

/**
 * Captures are read as they arrive; content that an importer may read more than once, or out of order, is first
 * copied to a temporary file.
 */
async function readStream(
  run: Run,
  parameters: ScanParameters,
  tools: ScanTools,
  sources: Source[],
  temporary: TemporaryFolder,
): Promise<void> {
  const stream: AsyncIterator<unknown> = parameters.standardInput[Symbol.asyncIterator]();
  const blocks: Uint8Array[] = [];
  let size = 0;
  let complete = false;
  while (size < HEAD_BYTES && !complete) {
    const next = await stream.next();
    if (next.done === true) complete = true;
    else {
      const block = bytesOf(next.value);
      blocks.push(block);
      size += block.length;
    }
  }
  const bytes = Buffer.concat(blocks);
  const head: Head = { bytes: bytes.subarray(0, HEAD_BYTES), complete };
  const name = sources[0]!.name;
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    if (bytes.length > 0) yield bytes;
    while (!complete) {
      const next = await stream.next();
      if (next.done === true) return;
      yield bytesOf(next.value);
    }
  };
  const chosen = await readerOf(tools, head, name, parameters.format);
  if (chosen?.importer !== tools.captures) {
    const path = join(await temporary.path(), 'standard-input');
    await pipeline(rest(), createWriteStream(path));
    await readFile(run, parameters, tools, sources, temporary, path);
    return;
  }
  run.scan.onProgress = ({ bytes: read, rows }) => {
    parameters.onProgress({ bytes: read, totalBytes: 0, rows, source: name });
  };
  const input: SourceInput = { name, size: undefined, modifiedMs: undefined, blocks: rest };
  await run.scan.read(chosen.importer, input, optionsOf(parameters, chosen.result.format), 1);
}

function bytesOf(block: unknown): Uint8Array {
  if (block instanceof Uint8Array) return block;
  return Buffer.from(String(block));
}
