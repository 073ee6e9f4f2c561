/**
 * `scan`: a query over evidence as it lies, in one pass; no case, nothing stored.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CancelledError, DaybookError } from '../contract/errors.ts';
import type { EpochMicros } from '../contract/event.ts';
import type { Ignored, Importer, Leaf, ReadOptions, SourceInput } from '../contract/importer.ts';
import {
  recognise,
  readHead,
  unknownReason,
  type Head,
  type Recognised,
} from '../ingest/recognise.ts';
import { Stopwatch, type Timings } from '../measure/operation-log.ts';
import type { Answer } from '../query/answer.ts';
import { type ShownRecord, formatter } from '../query/format.ts';
import { Scan, type ScanLedger } from '../scan/scan.ts';
import { addCommunityId } from './shown-events.ts';

export type { ScanLedger } from '../scan/scan.ts';

export interface ScanParameters {
  /** A file, or `-` for standard input. */
  readonly path: string;
  readonly text: string;
  readonly from: EpochMicros | undefined;
  readonly to: EpochMicros | undefined;
  readonly zone: string;
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
  /** The importer or dialect to read it with; undefined: judged by its content. */
  readonly format: string | undefined;
  readonly timeZone: string | undefined;
  readonly year: number | undefined;
  readonly mapping: Record<string, string> | undefined;
  readonly standardInput: Readable;
  readonly onProgress: (progress: {
    readonly bytes: number;
    readonly totalBytes: number;
    readonly rows: number;
    readonly source: string;
  }) => void;
}

/** What reads evidence. */
export interface ScanTools {
  /**
   * The importer that reads its input once, from the first byte to the last. It is asked first: what
   * it is certain of needs no other.
   */
  readonly captures: Importer;
  /** All importers, in the order of preference. */
  importers(): Promise<readonly Importer[]>;
  /**
   * Finds the sources of a file: itself, or the members of an archive.
   * @param temporary makes a folder for copies of what cannot be read twice where it lies
   */
  walk(
    path: string,
    name: string,
    temporary: () => Promise<string>,
  ): AsyncGenerator<Leaf | Ignored>;
}

export interface RunningScan {
  readonly plan: Scan['scanPlan']['plan'];
  /** Rows as people and scripts see them, for a plan of shape `rows`. */
  rows(): AsyncGenerator<ShownRecord[]>;
  /** The answer of every other shape. */
  answer(): Promise<Answer>;
  readonly ledger: ScanLedger;
  /** To be asked when it has ended. */
  timings(): Timings;
}

/** @throws DaybookError query-syntax, unknown-field */
export function startScan(parameters: ScanParameters, tools: ScanTools): RunningScan {
  const watch = new Stopwatch('scan');
  const { path, text, from, to, zone, limit, signal } = parameters;
  const sources = [{ id: 1, name: path === '-' ? 'standard-input' : basename(path) }];
  const scan = watch.span('plan', () => new Scan({ text, zone, from, to, sources }, limit, signal));
  watch.path = 'scan';
  const reading = () => watch.spanAsync('read', () => readAll(scan, parameters, tools, sources));
  const done = () => {
    watch.rowsExamined = scan.ledger.stored;
  };
  return {
    plan: scan.scanPlan.plan,
    ledger: scan.ledger,
    async *rows() {
      const whole = scan.scanPlan.plan.projection === undefined;
      for await (const { columns, rows } of scan.rows(reading)) {
        const { event } = formatter({ sources, tags: [], zone });
        const records = rows.map((row) => event(columns, row));
        if (whole) for (const record of records) addCommunityId(record);
        yield records;
      }
      done();
    },
    async answer() {
      await reading();
      done();
      return watch.span('answer', () => scan.answer(zone));
    },
    timings: () => watch.timings(),
  };
}

/** A folder that is made when it is asked for. */
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
  scan: Scan,
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
        await readStream(scan, parameters, tools, sources, temporary);
      } finally {
        signal.removeEventListener('abort', stop);
        // Whoever writes to it should not wait for a reader that has found enough.
        standardInput.destroy();
      }
    } else await readFile(scan, parameters, tools, sources, temporary, parameters.path);
  } finally {
    await temporary.remove();
  }
}

async function readFile(
  scan: Scan,
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
  const { ledger } = scan;
  let found = 0;
  for await (const leaf of tools.walk(resolve(path), sources[0]!.name, temporary.path)) {
    if (scan.done) return;
    if ('reason' in leaf) {
      ledger.notes.push(`${leaf.name}: ${leaf.reason}`);
      continue;
    }
    const alone = leaf.location.members.length === 0;
    if (await readLeaf(scan, parameters, tools, sources, leaf, alone ? 1 : sources.length + 1))
      found += 1;
    else if (alone) return;
  }
  if (found === 0 && ledger.read === 0 && !scan.done) {
    throw new DaybookError('unknown-format', `${path}: ${ledger.notes[0] ?? 'holds no evidence'}`);
  }
}

/** Whether something reads it. */
async function readLeaf(
  scan: Scan,
  parameters: ScanParameters,
  tools: ScanTools,
  sources: Source[],
  leaf: Leaf,
  id: number,
): Promise<boolean> {
  const head = await readHead(leaf.input);
  const chosen = await readerOf(tools, head, leaf.name, parameters.format);
  if (chosen === undefined) {
    const reason = unknownReason(head);
    if (leaf.location.members.length === 0) throw unknown(leaf.name, reason);
    scan.ledger.notes.push(`${leaf.name}: ${reason}`);
    return false;
  }
  if (id > 1) sources.push({ id, name: leaf.name });
  const totalBytes = leaf.input.size ?? 0;
  const before = scan.ledger.bytes;
  scan.onProgress = ({ bytes, rows }) => {
    parameters.onProgress({ bytes: bytes - before, totalBytes, rows, source: leaf.name });
  };
  const { importer, result } = chosen;
  await scan.read(importer, leaf.input, optionsOf(parameters, result.format), id);
  return true;
}

/** What reads a content: without the other importers, if it is certainly a capture. */
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
    'say what it is with --read FORMAT',
  );
}

function optionsOf(
  { timeZone, year, mapping }: ScanParameters,
  format: string,
): Omit<ReadOptions, 'packets' | 'flows' | 'columns'> {
  return {
    timeZone,
    year,
    format,
    mapping: mapping === undefined ? undefined : { fields: mapping },
    before: undefined,
  };
}

const HEAD_BYTES = 64 * 1024;

/**
 * Captures are read as they come; what an importer may want to see more than once, or in another way
 * than it came, is kept in a temporary file first.
 */
async function readStream(
  scan: Scan,
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
    await readFile(scan, parameters, tools, sources, temporary, path);
    return;
  }
  scan.onProgress = ({ bytes: read, rows }) => {
    parameters.onProgress({ bytes: read, totalBytes: 0, rows, source: name });
  };
  const input: SourceInput = { name, size: undefined, modifiedMs: undefined, blocks: rest };
  await scan.read(chosen.importer, input, optionsOf(parameters, chosen.result.format), 1);
}

function bytesOf(block: unknown): Uint8Array {
  if (block instanceof Uint8Array) return block;
  return Buffer.from(String(block));
}
