/**
 * What an importer is, what it is given and where its events go.
 *
 * An importer reads one source from its first byte to its last and emits events in an order that
 * depends on the bytes and the options alone. An interrupted import is resumed by reading again and
 * leaving out what was committed, so that order must never depend on time, chance or block sizes.
 */
import type { DateOrder, Decisions } from './decisions.ts';
import type { BreakState } from './errors.ts';
import type { ByteOffset, Kind } from './event.ts';
import type { EventBatch } from './event-batch.ts';

/** Among the blocks of `SourceInput.pieces`: here content is missing. */
export const LOST: Uint8Array = new Uint8Array(0);

/**
 * A source's content: decompressed, in blocks. Blocks may be of any size (typically 1 MiB) and are
 * only valid until the next one is asked for.
 */
export interface SourceInput {
  /** Below the argument the source came from; archive members after `!`. */
  readonly name: string;
  /** Size of the content if it is known before reading (not for most compressed files). */
  readonly size: number | undefined;
  /** When the file, or the archive's member, was last written (ms since 1970), if that is known. */
  readonly modifiedMs: number | undefined;
  /** Filled while it is read: what is no error but should be known (bytes after compressed data). */
  readonly notes?: readonly string[];
  /**
   * The content from its first byte; may be called again, and each call reads from the start (for a look
   * ahead). The importer's main pass is the one it gives to `sink`-ward work; all passes see the
   * same bytes. Throws SourceError when the content cannot be read on (a truncated .gz, say), which
   * says how much of what was yielded before was checked.
   */
  blocks(): AsyncIterable<Uint8Array>;
  /**
   * As `blocks`, but goes on after damage with what is whole: LOST is given where content is missing, for whoever
   * joins no record across it. At its end it throws SourceError, which names every place. Up to the first one it
   * gives the same bytes as `blocks`. Undefined where nothing can be read after damage.
   */
  readonly pieces?: (() => AsyncIterable<Uint8Array>) | undefined;
  /** The same as `blocks` without waiting for checksums: to look at the first bytes only. */
  beginning?(): AsyncIterable<Uint8Array>;
}

export interface SniffHint {
  /** File name, for a tie only: content decides. */
  readonly name: string;
  /** Whether `head` is the whole content. */
  readonly complete: boolean;
  /** Whether the content's beginning is lost: only what needs none of it may be recognised. */
  readonly late?: boolean;
}

export interface SniffResult {
  /** 0 (cannot be) to 1 (certain). */
  readonly score: number;
  /** The dialect, for people and for `--format`: `pcapng`, `rfc5424`, `zeek-conn-tsv`, …. */
  readonly format: string;
}

/** Columns of a table by event field or `attrs.` name, as `--map src_ip=Source,…` gives them. */
export interface ColumnMapping {
  readonly fields: Readonly<Record<string, string>>;
}

/** A table as shown to a person who maps its columns. */
export interface TableOutline {
  /** With the first values of each. */
  readonly columns: readonly { readonly name: string; readonly samples: readonly string[] }[];
  /** Mapping of columns, field to column: as asked, as the dialect has it, or a guess. */
  readonly mapping: Readonly<Record<string, string>>;
  /** Fields that a mapping may name, beside `attrs.NAME`. */
  readonly fields: readonly string[];
}

export interface ReadOptions {
  /** IANA zone or fixed offset (`+02:00`) for times that state none. Undefined: the importer decides. */
  readonly timeZone: string | undefined;
  /** Year of the last record for times that state none. Undefined: inferred. */
  readonly year: number | undefined;
  /** Order of dates that are three numbers. Undefined: found in the source. */
  readonly dateOrder: DateOrder | undefined;
  /** The dialect that was asked for, or that `sniff` found. */
  readonly format: string;
  readonly packets: boolean;
  readonly flows: boolean;
  /** Events of what protocols of a capture say; only beside flows. */
  readonly protocols: boolean;
  readonly mapping: ColumnMapping | undefined;
  /**
   * Columns that are of interest (`a:NAME`, in lower case, for an attribute; `a:*` for all): an
   * importer may leave the others out. Undefined: all are.
   */
  readonly columns?: ReadonlySet<string>;
  /**
   * For a member of a rotated set: the month and day (1-12, 1-31) of the first record of the next
   * newer member and its year, so that years of a set run on.
   */
  readonly before:
    { readonly year: number; readonly month: number; readonly day: number } | undefined;
}

/**
 * Where an importer's results go. Every record of the source must end in exactly one of: a row of a
 * batch marked by `record`, `quarantine`, `skip`. (Derived events, such as the flows of a capture,
 * are rows too, but no records: they are not marked.)
 */
export interface EventSink {
  /** The batch for a kind; the same object for the whole source. */
  batch(kind: Kind): EventBatch;
  /** Counts `n` records as read and stored: call it once per record that became a row. */
  record(n: number): void;
  /** Counts one record as read and quarantined, and keeps its raw bytes. */
  quarantine(offset: ByteOffset, reason: string, raw: Uint8Array, line?: number): void;
  /** Counts `n` records as read and skipped for `reason` (short, lower case, no varying part). */
  skip(reason: string, n: number): void;
  /**
   * The content ends within a record, or cannot be read from `offset` on. Said once, beside the note and
   * the quarantine that have the details. A sink that keeps no ledger does without.
   */
  broken?(state: BreakState, offset: ByteOffset, reason: string): void;
  /** Something a person should know about the source (`ends inside a record at offset 123`). */
  note(text: string): void;
  /** Facts about the source as a whole: capture hardware, comments, interfaces, columns found. */
  metadata(key: string, value: unknown): void;
  decide(decisions: Decisions): void;
  /**
   * Call between blocks with the number of content bytes consumed so far. A returned promise must be
   * awaited before going on (back-pressure; a chunk may be committed there). Throws CancelledError
   * when the import was cancelled.
   */
  drain(consumed: ByteOffset): Promise<void> | undefined;
}

/** Records of another format, each a line, among the lines of a log. */
export interface LineRecords {
  /** Whether the line in `bytes[start, end)` is one: no part of a log's line. */
  isOne(bytes: Uint8Array, start: number, end: number): boolean;
  /** Takes such a line, whose event or quarantine it gives to the sink. */
  record(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: ByteOffset,
    length: number,
    line: number,
  ): void;
  /** The number (`seq`) of a record that is none of these, but beside them. */
  number(): number;
}

/** Reads a content of lines: `records`, and for all others what a log's lines are. */
export type ReadLines = (
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
  records: LineRecords,
) => Promise<void>;

export interface Importer {
  readonly id: string;
  readonly title: string;
  /** Raise it when the same bytes would give other events. */
  readonly version: number;
  /**
   * Whether the events of a content that ends with a line feed are the first events of every content
   * that begins with it. Then an earlier copy of a growing log is recognised in a later one.
   */
  readonly appendOnly: boolean;
  /** Whether a record never ends within a line: of a content that is cut off, a last part of a line is no record. */
  readonly byLines?: boolean;
  /** Whether it reads on after damage (`SourceInput.pieces`), also after damage of the beginning (`SniffHint.late`). */
  readonly readsOn?: boolean;
  /** The dialects `--format` may name, beside the id itself. */
  readonly formats: readonly string[];
  /**
   * Judges the first bytes (up to 64 KiB) of a content. Must not throw on anything.
   */
  sniff(head: Uint8Array, hint: SniffHint): SniffResult | undefined;
  /**
   * The first date without a year, with the year it gets: what `before` is for the next older member
   * of a rotated set. Importers whose records state their years have no such method.
   */
  firstDate?(
    input: SourceInput,
    options: Pick<ReadOptions, 'year' | 'before' | 'format'>,
  ): Promise<{ year: number; month: number; day: number } | undefined>;
  /** The columns of a content that is a table; undefined for others. Reads the beginning only. */
  outline?(
    input: SourceInput,
    options: Pick<ReadOptions, 'format' | 'mapping'>,
  ): Promise<TableOutline | undefined>;
  /** Reads the whole content. Bad records are quarantined; it throws only what `input` or `sink` throws. */
  read(input: SourceInput, sink: EventSink, options: ReadOptions): Promise<void>;
}

/** How much an import reads of evidence that may be made to be endless. Undefined: the default. */
export interface ReadLimits {
  /** Bytes that may come out of each byte of a compressed file or an archive. */
  readonly maxRatio?: number | undefined;
  /** Bytes that may come out of one file. */
  readonly maxBytes?: number | undefined;
  /** Archives in archives, and layers of compression. */
  readonly maxDepth?: number | undefined;
  /** Members of one archive. */
  readonly maxMembers?: number | undefined;
  /** Whether bytes are read that fail their checksum. */
  readonly unchecked?: boolean | undefined;
}

/** Where a source lies: plain data, enough to open it again in another thread or years later. */
export interface SourceLocation {
  /** The file on disk. */
  readonly path: string;
  /** Archive members from the outermost in; empty for a plain or merely compressed file. */
  readonly members: readonly string[];
}

/** One source as found by walking the arguments of an import. */
export interface EvidenceItem {
  readonly name: string;
  readonly location: SourceLocation;
  /** Bytes as they are, before decompression, if known. */
  readonly rawSize: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Whether the content is the raw bytes, so that one pass can hash and read. */
  readonly plain: boolean;
  /** Of a member of a compressed archive, where in the archive's content it ends. */
  readonly archiveEnd?: number | undefined;
  /** The bytes as they are: these are hashed. */
  raw(): AsyncIterable<Uint8Array>;
  readonly input: SourceInput;
}

/** Why an encrypted member of an archive was not read: without a password, and with others than its own. */
export const LOCKED = 'encrypted, and its password was not given';
export const NOT_UNLOCKED = 'encrypted, and no password that was given opens it';

export function isLocked(reason: string | undefined): boolean {
  return reason === LOCKED || reason === NOT_UNLOCKED;
}

/** Reason for leaving out a hash manifest, which is no evidence of its own. */
export const HASH_LIST =
  'a list of hashes: it is compared with the files that it lists (as format text its lines are events)';

/** Something met on the way that is no source: a link, a device, an encrypted member. */
export interface Ignored {
  readonly name: string;
  readonly reason: string;
  /** It is evidence that could not be read: damaged, or beyond a limit. */
  readonly failed?: boolean;
}
