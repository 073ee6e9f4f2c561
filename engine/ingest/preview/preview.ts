/**
 * Previews evidence before it is imported: the same recognition and the same importers as an import, on the
 * beginning of each source, without writing anything.
 *
 * Invariant: the preview of a source shows what an import of it would begin with; it ends after a bounded number of
 * events, bytes and seconds.
 */
import { createHash } from 'node:crypto';
import { DaybookError, messageOfError } from '../../contract/errors.ts';
import { EventBatch } from '../../columns/event-batch.ts';
import type { Column } from '../../columns/columns.ts';
import type { ByteOffset, Kind } from '../../contract/event.ts';
import type {
  EventSink,
  Importer,
  EvidenceItem,
  ReadOptions,
  SourceInput,
} from '../../evidence/importer.ts';
import { LOST } from '../../evidence/importer.ts';
import { clockErrorOf } from '../../contract/time/clock.ts';
import { GIVEN, type Decisions } from '../../contract/time/decisions.ts';
import { shippedCutter } from '../../fields/cutting/extractors.ts';
import type {
  FromPreviewWorker,
  PreviewRow,
  PreviewEnd,
  SourcePreview,
  StoredValue,
  ToPreviewWorker,
} from './preview-protocol.ts';
import type { ImportOptions } from '../worker/protocol.ts';
import { readOptions, type WorkerTools } from '../worker/import-worker.ts';
import { LineHasher } from '../overlap/line-hashes.ts';
import { type Head, headHash, readHead, recognise, unknownReason } from '../worker/recognise.ts';
import { RotatedStarts } from '../worker/rotated-start.ts';

/** Events shown of a source. */
export const MOST_ROWS = 20;
/** Content that is read for them, and read in any case: later lines may require decisions, too. */
const MOST_BYTES = 1 << 20;
/** The limit until the first event: the tables at the beginning of a journal have some megabytes. */
const FIRST_BYTES = 16 << 20;
const USUAL_BYTES = 256 << 10;
/** Time limit for reading a source, looks ahead included. */
const SOURCE_MS = 2_000;
/** Time limit for each newer file of its rotated set. */
const NEWER_MS = 500;
/** A pass without time left still gets as much as an importer may need at once. */
const LEAST_BYTES = 4 << 20;
/** After this time an archive is left, between two members. */
const ARCHIVE_MS = 15_000;
const PIECE_BYTES = 64 << 10;
const MOST_QUARANTINED = 20;
const MOST_NOTES = 20;
const MOST_ATTRIBUTES = 300;
/** Bytes shown of a text. */
const CELL_BYTES = 1024;
/** Sources up to this size are hashed if the case has one of the same size. */
const HASHED_BYTES = 64 << 20;

interface PreviewPort {
  post(message: FromPreviewWorker): void;
  onMessage(handler: (message: ToPreviewWorker) => void): void;
}

/** Runs a preview worker, which reads one file at a time, until it is stopped. */
export function runPreviewWorker(port: PreviewPort, tools: WorkerTools): void {
  let previewer: Previewer | undefined;
  port.onMessage((message) => {
    if (message.type === 'start') {
      previewer = new Previewer(tools, message.temporary, message.sizes, (reply) =>
        port.post(reply),
      );
      return;
    }
    void previewer?.preview(message).then((end) => port.post({ type: 'done', end }));
  });
  port.post({ type: 'ready' });
}

class Previewer {
  private readonly tools: WorkerTools;
  private readonly temporary: string;
  private readonly sizes: ReadonlySet<number>;
  private readonly tell: (message: FromPreviewWorker) => void;
  private readonly rotated: RotatedStarts;

  constructor(
    tools: WorkerTools,
    temporary: string,
    sizes: readonly number[],
    tell: (message: FromPreviewWorker) => void,
  ) {
    this.tools = tools;
    this.temporary = temporary;
    this.sizes = new Set(sizes);
    this.tell = tell;
    this.rotated = new RotatedStarts(
      tools.walk,
      temporary,
      (input) => new Beginning(input, NEWER_MS),
    );
  }

  async preview(request: Extract<ToPreviewWorker, { type: 'preview' }>): Promise<PreviewEnd> {
    const { file, most } = request;
    const until = performance.now() + ARCHIVE_MS;
    let previewed = 0;
    try {
      for await (const found of this.tools.walk(file.path, file.name, this.temporary)) {
        if ('reason' in found) {
          this.tell({ type: 'ignored', name: found.name, reason: found.reason });
          continue;
        }
        if (previewed >= most || performance.now() > until)
          return { more: true, problem: undefined };
        previewed += 1;
        this.tell({ type: 'previewed', preview: await this.previewItem(request, found) });
      }
    } catch (error) {
      return { more: false, problem: problemOf(error) };
    }
    return { more: false, problem: undefined };
  }

  private async previewItem(
    request: Extract<ToPreviewWorker, { type: 'preview' }>,
    evidence: EvidenceItem,
  ): Promise<SourcePreview> {
    const { file, options } = request;
    const preview: SourcePreview = {
      name: evidence.name,
      location: evidence.location,
      rawSize: evidence.rawSize,
      importer: undefined,
      format: undefined,
      headSha256: undefined,
      rawSha256: undefined,
      lineHashes: undefined,
      linesPerRecord: 1,
      rows: [],
      quarantined: [],
      skippedReasons: {},
      decisions: {},
      table: undefined,
      notes: [],
      problem: undefined,
    };
    try {
      const head = await readHead(evidence.input);
      const chosen = recognise(this.tools.importers, head, evidence.name, options.format);
      if (chosen === undefined) {
        preview.problem = unknownReason(head);
        return preview;
      }
      const { importer, result } = chosen;
      preview.importer = importer.id;
      preview.format = result.format;
      const { clock } = options;
      if (clock !== undefined) Object.assign(preview.decisions, { clock, clockBasis: GIVEN });
      preview.headSha256 = headHash(head).headSha256;
      if (importer.byLines === true) preview.lineHashes = lineHashesOf(head);
      const { rawSize } = evidence;
      if (rawSize !== undefined && rawSize <= HASHED_BYTES && this.sizes.has(rawSize))
        preview.rawSha256 = await hashOf(evidence);
      const before = await this.rotated.before(file, evidence, importer, options.year);
      const bytes = await this.read(
        evidence,
        importer,
        readOptions(options, result.format, before),
        preview,
        clockErrorOf(options.clock),
      );
      const lines = preview.lineHashes?.length ?? 0;
      if (bytes !== undefined && lines > 0)
        preview.linesPerRecord = Math.max(1, (bytes * lines) / head.bytes.length);
      if (evidence.location.members.length === 0 || preview.rows.length > 0)
        preview.table = await outlineOf(importer, evidence.input, options, result.format);
    } catch (error) {
      preview.problem = problemOf(error);
    }
    return preview;
  }

  /** @returns average number of bytes per record, if some were read */
  private async read(
    evidence: EvidenceItem,
    importer: Importer,
    options: ReadOptions,
    preview: SourcePreview,
    clockError: number,
  ): Promise<number | undefined> {
    const input = new Beginning(evidence.input);
    const sink = new PreviewSink(preview, input, clockError);
    try {
      await importer.read(input, sink, options);
    } catch (error) {
      if (!input.enough) {
        sink.note(problemOf(error));
        if (preview.rows.length === 0) preview.problem = problemOf(error);
      }
    }
    if (input.aheadCut)
      preview.notes.push(
        'decided from the beginning of a large file: the import examines all of it',
      );
    if (!input.enough) for (const note of evidence.input.notes ?? []) sink.note(note);
    return sink.records === 0 ? undefined : input.given / sink.records;
  }
}

/** Hashes of its lines, without one that is incomplete. */
function lineHashesOf({ bytes, complete }: Head): Uint32Array | undefined {
  const hasher = new LineHasher();
  hasher.update(complete ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1));
  return hasher.end()?.hashes;
}

/** The beginning of a content, in as many passes as needed, until enough is known. */
class Beginning implements SourceInput {
  readonly name: string;
  readonly size: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Set when nothing more is needed: every pass ends. */
  enough = false;
  /** Whether time ran out before a pass was complete. */
  aheadCut = false;
  /** Bytes delivered in the last pass. */
  given = 0;
  private readonly input: SourceInput;
  private readonly until: number;
  readonly pieces: (() => AsyncIterable<Uint8Array>) | undefined;

  constructor(input: SourceInput, ms: number = SOURCE_MS) {
    this.input = input;
    this.until = performance.now() + ms;
    this.name = input.name;
    this.size = input.size;
    this.modifiedMs = input.modifiedMs;
    if (input.pieces !== undefined) this.pieces = () => this.beginningOf(input.pieces!());
  }

  get late(): boolean {
    return performance.now() > this.until;
  }

  blocks(): AsyncGenerator<Uint8Array> {
    return this.beginningOf(this.input.blocks());
  }

  private async *beginningOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.given = 0;
    for await (const block of content) {
      if (block === LOST) yield LOST;
      for (let at = 0; at < block.length; at += PIECE_BYTES) {
        if (this.enough) return;
        if (this.given >= LEAST_BYTES && this.late) {
          this.aheadCut = true;
          return;
        }
        const piece = block.subarray(at, at + PIECE_BYTES);
        this.given += piece.length;
        yield piece;
      }
    }
  }
}

/** Takes the first events of a source in order of arrival and ignores the rest. */
class PreviewSink implements EventSink {
  /** Number of records in the bytes that the importer got. */
  records = 0;
  private readonly preview: SourcePreview;
  private readonly input: Beginning;
  private readonly clockError: number;
  private readonly batches = new Map<Kind, EventBatch>();

  constructor(preview: SourcePreview, input: Beginning, clockError: number) {
    this.preview = preview;
    this.input = input;
    this.clockError = clockError;
  }

  batch(kind: Kind): EventBatch {
    let batch = this.batches.get(kind);
    if (batch === undefined) {
      // Room for one row: rows of several kinds are taken in their order.
      batch = new EventBatch(kind, (full) => this.take(full), 1);
      this.batches.set(kind, batch);
    }
    return batch;
  }

  private take(batch: EventBatch): void {
    const { rows } = this.preview;
    if (!this.input.enough && rows.length < MOST_ROWS) {
      batch.correctClock(this.clockError);
      shippedCutter().cut(batch);
      rows.push(rowOf(batch));
    }
    batch.clear();
  }

  record(n: number): void {
    this.records += n;
  }

  quarantine(offset: ByteOffset, reason: string): void {
    const { quarantined } = this.preview;
    if (!this.input.enough && quarantined.length < MOST_QUARANTINED)
      quarantined.push({ offset, reason });
  }

  skip(reason: string, n: number): void {
    if (n === 0 || this.input.enough) return;
    const { skippedReasons } = this.preview;
    skippedReasons[reason] = (skippedReasons[reason] ?? 0) + n;
  }

  note(text: string): void {
    const { notes } = this.preview;
    if (!this.input.enough && notes.length < MOST_NOTES && !notes.includes(text)) notes.push(text);
  }

  metadata(): void {
    // Facts about the whole source are unknown at its beginning.
  }

  decide(decisions: Decisions): void {
    Object.assign(this.preview.decisions, decisions);
  }

  drain(consumed: ByteOffset): undefined {
    const { length } = this.preview.rows;
    const least = length === 0 ? FIRST_BYTES : length < MOST_ROWS ? MOST_BYTES : USUAL_BYTES;
    if (consumed >= least || this.input.late) this.input.enough = true;
  }
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8 = new TextEncoder();

/** The text of the first row, truncated for display. */
function textOf(column: Extract<Column, { type: 'text' }>, most: number): string {
  const { data, starts } = column;
  const at = starts[0]!;
  const size = new DataView(data.buffer, data.byteOffset).getUint32(at, true);
  return cutText(data.subarray(at + 4, at + 4 + size), most);
}

/** @param most maximum number of bytes */
function cutText(bytes: Uint8Array, most: number): string {
  if (bytes.length <= most) return text.decode(bytes);
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return `${text.decode(bytes.subarray(0, end))}…`;
}

function valueOf(column: Column): StoredValue {
  switch (column.type) {
    case 'text':
      return textOf(column, CELL_BYTES);
    case 'ip6':
      return Buffer.from(column.values.subarray(0, 16)).toString('hex');
    default:
      return column.values[0]!;
  }
}

function rowOf(batch: EventBatch): PreviewRow {
  const values: [string, StoredValue][] = [];
  for (const [name, column] of batch.columns()) {
    if (column.present[0] === 1) values.push([name, valueOf(column)]);
  }
  const attributes: [string, string][] = [];
  for (const [name, column] of batch.attributes) {
    if (column.present[0] !== 1) continue;
    if (attributes.length >= MOST_ATTRIBUTES) break;
    attributes.push([name, textOf(column, CELL_BYTES)]);
  }
  if (batch.overflow.present[0] === 1) {
    const more = JSON.parse(textOf(batch.overflow, Infinity)) as Record<string, string>;
    for (const [name, value] of Object.entries(more)) {
      if (attributes.length >= MOST_ATTRIBUTES) break;
      attributes.push([name, cutText(utf8.encode(value), CELL_BYTES)]);
    }
  }
  return { kind: batch.kind, values, attributes };
}

async function outlineOf(
  importer: Importer,
  input: SourceInput,
  options: ImportOptions,
  format: string,
): Promise<SourcePreview['table']> {
  const { mapping } = options;
  return importer.outline?.(new Beginning(input), {
    format,
    mapping: mapping === undefined ? undefined : { fields: mapping },
  });
}

async function hashOf(evidence: EvidenceItem): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of evidence.raw()) hash.update(block);
  return hash.digest('hex');
}

/** In the words of an import. */
function problemOf(error: unknown): string {
  if (error instanceof DaybookError) return error.message;
  return `internal: ${messageOfError(error)}`;
}
