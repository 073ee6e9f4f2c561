/**
 * The interface of importers: what they are given and where their events go.
 *
 * An importer reads one source from its first byte to its last and emits events in an order that depends only on
 * the bytes and the options. An interrupted import is resumed by reading again and skipping committed events, so
 * the order must never depend on time, chance or block sizes.
 */
import type { EventBatch } from '../columns/event-batch.ts';
import type { DateOrder, Decisions } from '../contract/time/decisions.ts';
import type { BreakState } from '../contract/errors.ts';
import type { ByteOffset, Kind } from '../contract/event.ts';
import type { SourceLocation } from '../contract/source-location.ts';

/** A block of `SourceInput.pieces` that marks missing content. */
export const LOST: Uint8Array = new Uint8Array(0);

/**
 * A source's content: decompressed, in blocks. Blocks may be of any size (typically 1 MiB) and are valid only until
 * the next one is requested.
 */
export interface SourceInput {
  /** Relative to the argument that the source came from; archive members follow `!`. */
  readonly name: string;
  /** Size of the content, if known before reading (unknown for most compressed files). */
  readonly size: number | undefined;
  /** When the file or archive member was last modified (ms since 1970), if known. */
  readonly modifiedMs: number | undefined;
  /** Filled during reading: facts that are not errors but should be known (bytes after compressed data). */
  readonly notes?: readonly string[];
  /**
   * The content from its first byte. May be called again, for a look ahead; each call reads from the start. The
   * importer's main pass is the one that feeds `sink`; all passes see the same bytes. Throws SourceError if the
   * content cannot be read any further (a truncated .gz, say); the error says how much of the delivered content was
   * checked.
   */
  blocks(): AsyncIterable<Uint8Array>;
  /**
   * Like `blocks`, but continues after damage: LOST marks missing content, and readers must not join a record
   * across it. At the end it throws SourceError, which names every gap. Up to the first gap it yields the same
   * bytes as `blocks`. Undefined if nothing can be read after damage.
   */
  readonly pieces?: (() => AsyncIterable<Uint8Array>) | undefined;
  /** Like `blocks`, without waiting for checksums: for looking at the first bytes only. */
  beginning?(): AsyncIterable<Uint8Array>;
}

export interface SniffHint {
  /** The file name breaks ties only: content decides. */
  readonly name: string;
  /** Whether `head` is the whole content. */
  readonly complete: boolean;
  /** Whether the beginning of the content is lost: only formats that do not need it may be recognised. */
  readonly late?: boolean;
}

export interface SniffResult {
  /** 0 (impossible) to 1 (certain). */
  readonly score: number;
  /** The dialect, for people and for `--format`: `pcapng`, `rfc5424`, `zeek-conn-tsv`, …. */
  readonly format: string;
}

/** Columns of a table by event field or `attrs.` name, as `--map src_ip=Source,…` gives them. */
export interface ColumnMapping {
  readonly fields: Readonly<Record<string, string>>;
}

/** A table, as shown to a person who maps its columns. */
export interface TableOutline {
  /** Each with its first values. */
  readonly columns: readonly { readonly name: string; readonly samples: readonly string[] }[];
  /** Mapping of fields to columns: as requested, as defined by the dialect, or guessed. */
  readonly mapping: Readonly<Record<string, string>>;
  /** Fields that a mapping may name, besides `attrs.NAME`. */
  readonly fields: readonly string[];
}

export interface ReadOptions {
  /** IANA zone or fixed offset (`+02:00`) for times that state none. Undefined: the importer decides. */
  readonly timeZone: string | undefined;
  /** Year of the last record, for times that state none. Undefined: inferred. */
  readonly year: number | undefined;
  /** Order of numeric dates. Undefined: inferred from the source. */
  readonly dateOrder: DateOrder | undefined;
  /** The dialect that was requested, or that `sniff` found. */
  readonly format: string;
  readonly packets: boolean;
  readonly flows: boolean;
  /** Whether to emit protocol events of a capture; only together with flows. */
  readonly protocols: boolean;
  readonly mapping: ColumnMapping | undefined;
  /**
   * The requested columns (`a:NAME`, in lower case, for an attribute; `a:*` for all): an importer may omit the
   * others. Undefined: all.
   */
  readonly columns?: ReadonlySet<string>;
  /**
   * For a member of a rotated set: the month and day (1-12, 1-31) of the first record of the next newer member and
   * its year, so that years are consistent across the set.
   */
  readonly before:
    { readonly year: number; readonly month: number; readonly day: number } | undefined;
}

/**
 * Receives an importer's results. Every record of the source must end up in exactly one of: a row of a batch marked
 * by `record`, `quarantine`, `skip`. (Derived events, such as the flows of a capture, are rows but not records:
 * they are not marked.)
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
   * The content ends within a record, or cannot be read beyond `offset`. Called once, in addition to the note and
   * the quarantine that have the details. Optional for a sink without a ledger.
   */
  broken?(state: BreakState, offset: ByteOffset, reason: string): void;
  /** Adds a note about the source for people (`ends inside a record at offset 123`). */
  note(text: string): void;
  /** Facts about the source as a whole: capture hardware, comments, interfaces, columns found. */
  metadata(key: string, value: unknown): void;
  decide(decisions: Decisions): void;
  /**
   * Call between blocks with the number of content bytes consumed so far. A returned promise must be awaited before
   * continuing (back-pressure; a chunk may be committed there). Throws CancelledError if the import was cancelled.
   */
  drain(consumed: ByteOffset): Promise<void> | undefined;
}

/** Single-line records of another format among the lines of a log. */
export interface LineRecords {
  /** Whether the line in `bytes[start, end)` is such a record and not part of the log. */
  isOne(bytes: Uint8Array, start: number, end: number): boolean;
  /** Takes such a line; its event or quarantine goes to the sink. */
  record(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: ByteOffset,
    length: number,
    line: number,
  ): void;
  /** The number (`seq`) of the next record that is not one of these. */
  number(): number;
}

/** Reads a content made of lines: `records`, and all others as lines of a log. */
export type ReadLines = (
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
  records: LineRecords,
) => Promise<void>;

export interface Importer {
  readonly id: string;
  readonly title: string;
  /**
   * Increment it with every change by which the same bytes yield different events, released or not: `daybook verify`
   * takes a difference from a case of the same version for damage.
   */
  readonly version: number;
  /**
   * Whether the events of a content that ends with a line feed are also the first events of every content that
   * begins with it. Then an earlier copy of a growing log is recognised in a later one.
   */
  readonly appendOnly: boolean;
  /** Whether a record never ends within a line: an incomplete last line of a truncated content is not a record. */
  readonly byLines?: boolean;
  /**
   * Whether it continues after damage (`SourceInput.pieces`), even after damage at the beginning
   * (`SniffHint.late`).
   */
  readonly readsOn?: boolean;
  /** The dialects that `--format` may name, besides the id itself. */
  readonly formats: readonly string[];
  /** Judges the first bytes (up to 64 KiB) of a content. Must not throw, whatever the bytes are. */
  sniff(head: Uint8Array, hint: SniffHint): SniffResult | undefined;
  /**
   * The first date without a year, with the year inferred for it: the `before` of the next older member of a
   * rotated set. Importers whose records state their years do not have this method.
   */
  firstDate?(
    input: SourceInput,
    options: Pick<ReadOptions, 'year' | 'before' | 'format'>,
  ): Promise<{ year: number; month: number; day: number } | undefined>;
  /** The columns of a content that is a table; undefined otherwise. Reads only the beginning. */
  outline?(
    input: SourceInput,
    options: Pick<ReadOptions, 'format' | 'mapping'>,
  ): Promise<TableOutline | undefined>;
  /** Reads the whole content. Bad records are quarantined; it throws only what `input` or `sink` throws. */
  read(input: SourceInput, sink: EventSink, options: ReadOptions): Promise<void>;
}

/** One source as found by walking the arguments of an import. */
export interface EvidenceItem {
  readonly name: string;
  readonly location: SourceLocation;
  /** Size in bytes before decompression, if known. */
  readonly rawSize: number | undefined;
  readonly modifiedMs: number | undefined;
  /** Whether the content is the raw bytes, so that one pass can hash and read. */
  readonly plain: boolean;
  /** For a member of a compressed archive: where in the archive's content it ends. */
  readonly archiveEnd?: number | undefined;
  /** The stored bytes: these are hashed. */
  raw(): AsyncIterable<Uint8Array>;
  readonly input: SourceInput;
}
