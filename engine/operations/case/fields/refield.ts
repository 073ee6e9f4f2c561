/**
 * `case.refield`: extracts fields from the messages of a case again, without the evidence, with the current
 * extractors of Daybook and the case.
 *
 * What a source states is never changed. Events that an extractor had cut get all extractor fields again; other
 * events get those that they lack. If records state such fields themselves (JSON, tables, event logs), it is
 * unknown which of an event's fields an extractor had cut: such events stay unchanged, and are counted. A host
 * named by a message stays the event's if its header named none.
 *
 * Invariant: a segment is rewritten only if the extractor of some event, or its version, changes, and is swapped in
 * one transaction: after a cancellation, the next call continues where it stopped.
 */
import { join } from 'node:path';
import type { SegmentRow, SourceRow } from '../../../catalog/index.ts';
import { CancelledError } from '../../../contract/errors.ts';
import { EventBatch } from '../../../columns/event-batch.ts';
import { COLUMNS, type ColumnName } from '../../../contract/event.ts';
import { CUT_COLUMNS, type Cutter } from '../../../fields/cutting/cutter.ts';
import { cutterWith } from '../../../fields/cutting/own-extractors.ts';
import { shippedExtractors } from '../../../fields/cutting/extractors.ts';
import {
  CaseWriter,
  type RewriteOptions,
  rewriteSegments,
  mergeRollups,
} from '../../../ingest/index.ts';
import {
  rowList,
  SQL_TYPES,
  ParquetPart,
  type BuilderOptions,
  identifier,
  literal,
  numberedRows,
  withBeside,
} from '../../../store/index.ts';
import { removeFromCase } from '../../../util/files/case-files.ts';
import { findSource } from '../find-source.ts';

/** Number of rows cut at a time. */
const ROWS = 32_768;
/** The importer whose records state none of the fields that extractors fill. */
const LINES = 'syslog';
const BESIDE = 'cut:';
/** Numbers of rows, in the part. */
const ROW = 'seq';

interface RefieldParameters {
  folder: string;
  /** Number or name of a source; undefined: all. */
  source: string | undefined;
  builder: BuilderOptions;
  signal?: AbortSignal | undefined;
  onProgress?: (progress: RefieldProgress) => void;
}

interface RefieldProgress {
  readonly events: number;
  readonly total: number;
}

export interface RefieldReport {
  /** Number of events examined: log events of these sources that have a message. */
  readonly events: number;
  /** Events that an extractor has cut, before and now. */
  readonly before: number;
  readonly after: number;
  /** Events whose extractor, or its version, is another than before. */
  readonly changed: number;
  /** Number of events whose records state fields themselves, and which stayed unchanged. */
  readonly left: number;
  readonly segments: { readonly rewritten: number; readonly unchanged: number };
  /** Number of events cut by each extractor now. */
  readonly extractors: Readonly<Record<string, number>>;
}

interface Tally {
  events: number;
  before: number;
  after: number;
  changed: number;
  left: number;
  readonly extractors: Map<string, number>;
}

/** @throws DaybookError not-found, usage, case-locked, cancelled */
export async function refieldCase(parameters: RefieldParameters): Promise<RefieldReport> {
  const { signal } = parameters;
  const builder = { ...parameters.builder, ...(signal === undefined ? {} : { signal }) };
  const writer = await CaseWriter.open(parameters.folder, 'refield', builder);
  try {
    const { catalog } = writer;
    const sources =
      parameters.source === undefined
        ? catalog.sources.all()
        : [findSource(catalog, parameters.source)];
    return await new Refield(writer, sources, parameters).run();
  } catch (error) {
    if (signal?.aborted === true) throw new CancelledError();
    throw error;
  } finally {
    writer.close();
  }
}

class Refield {
  private readonly writer: CaseWriter;
  private readonly sources: ReadonlyMap<number, SourceRow>;
  private readonly parameters: RefieldParameters;
  private readonly cutter: Cutter;
  /** Names and versions of the extractors, for the ledger. */
  private readonly extractors: string;
  private readonly tally: Tally = {
    ...{ events: 0, before: 0, after: 0, changed: 0, left: 0 },
    extractors: new Map(),
  };

  constructor(writer: CaseWriter, sources: readonly SourceRow[], parameters: RefieldParameters) {
    this.writer = writer;
    this.sources = new Map(sources.map((source) => [source.id, source]));
    this.parameters = parameters;
    const added = writer.catalog.extractors.all();
    this.cutter = cutterWith(added.map(({ document }) => document));
    this.extractors = extractorsText(added);
  }

  async run(): Promise<RefieldReport> {
    const { catalog } = this.writer;
    const { tally, parameters, sources } = this;
    const segments = catalog.segments
      .all()
      .filter(
        (segment) =>
          segment.kind === 'log' &&
          segment.columns.includes('message') &&
          segment.sources.some((id) => sources.has(id)),
      );
    const total = segments.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    let rewritten = 0;
    for (const segment of segments) {
      parameters.signal?.throwIfAborted();
      const isChanged = await this.segment(segment, (rows) =>
        parameters.onProgress?.({ events: done + rows, total }),
      );
      done += segment.rows;
      if (isChanged) rewritten += 1;
    }
    const report: RefieldReport = {
      ...tally,
      segments: { rewritten, unchanged: segments.length - rewritten },
      extractors: Object.fromEntries([...tally.extractors].sort()),
    };
    catalog.transaction(() => {
      for (const source of sources.values()) {
        source.decisions['extractors'] = this.extractors;
        catalog.sources.update(source);
      }
      catalog.audit.add('refield', { ...this.about, ...report });
    });
    try {
      if (rewritten > 0) await mergeRollups(this.writer);
    } finally {
      catalog.changes.add('refield', { sources: [...sources.keys()], rows: tally.changed });
    }
    return report;
  }

  private get about(): Record<string, unknown> {
    const { source } = this.parameters;
    const only = source === undefined ? {} : { sources: [...this.sources.keys()] };
    return { ...only, extractors: this.extractors };
  }

  /** Cuts a segment; rewrites it if any event is cut by another extractor than before. */
  private async segment(segment: SegmentRow, onRows: (rows: number) => void): Promise<boolean> {
    const { writer } = this;
    const name = `refield-${segment.id}.parquet`;
    const part = new ParquetPart(join(writer.staging, name));
    try {
      const isChanged = await this.cut(segment, part, onRows);
      this.parameters.signal?.throwIfAborted();
      if (!isChanged) {
        part.abandon();
        return false;
      }
      part.finish();
      const options = await this.rewriteOptions(segment, part);
      await rewriteSegments(writer, [segment], {
        ...options,
        audit: { operation: 'refield', detail: this.about },
        commit: () => writer.catalog.changes.add('refield', { sources: [...this.sources.keys()] }),
      });
      return true;
    } finally {
      part.abandon();
      await writer.builder.detach(`seg_${segment.id}`);
      removeFromCase(writer.folder, `staging/${name}`);
    }
  }

  /** Writes the re-extracted rows into a part; returns whether the extractor of any row changed. */
  private async cut(
    segment: SegmentRow,
    part: ParquetPart,
    onRows: (rows: number) => void,
  ): Promise<boolean> {
    const { writer, tally } = this;
    const database = await writer.attach(segment);
    const has = (name: string): boolean => segment.columns.includes(name);
    const select = (name: string): string => (has(name) ? identifier(name) : 'NULL');
    // An event whose source states addresses, ports or numbers is not cut.
    const stated = NUMBERS.filter(has).map((name) => `${identifier(name)} IS NOT NULL`);
    const columns = [
      'source_id::DOUBLE',
      select('extractor'),
      select('program'),
      'message',
      // What an extractor puts in place of the header's host is extracted again as well.
      `coalesce(${select('header_host')}, ${select('host')})`,
      stated.length === 0 ? 'false' : stated.join(' OR '),
    ];
    const batch = new EventBatch('log', () => undefined, ROWS + 1);
    const before: (string | undefined)[] = [];
    let isChanged = false;
    let seen = 0;
    const flush = (): void => {
      if (batch.length === 0) return;
      if (this.take(batch, before, part)) isChanged = true;
      before.length = 0;
      onRows(seen);
    };
    for await (const { columns: values, rows } of writer.builder.stream(
      numberedRows(`${database}.events`, columns),
    )) {
      this.parameters.signal?.throwIfAborted();
      const [numbers, ids, marks, programs, messages, hosts, states] = values;
      for (let i = 0; i < rows; i++) {
        seen += 1;
        const source = this.sources.get(Number(ids![i]));
        const message = messages![i];
        if (source === undefined || typeof message !== 'string') continue;
        tally.events += 1;
        const mark = marks![i];
        const was = typeof mark === 'string' ? mark : undefined;
        if (was !== undefined) tally.before += 1;
        if (was === undefined ? states![i] === true : source.importer !== LINES) {
          if (was !== undefined) this.count(was);
          if (was !== undefined) tally.left += 1;
          continue;
        }
        const row = batch.length;
        batch.seq.set(row, Number(numbers![i]));
        batch.message.setString(row, message);
        const program = programs![i];
        if (typeof program === 'string') batch.program.setString(row, program);
        const host = hosts![i];
        if (typeof host === 'string') batch.host.setString(row, host);
        before.push(was);
        batch.endRow();
        if (batch.length >= ROWS) flush();
      }
      // Texts of a batch are bounded, however long messages are.
      if (batch.textBytes > MOST_TEXT_BYTES) flush();
    }
    flush();
    return isChanged;
  }

  private take(
    batch: EventBatch,
    before: readonly (string | undefined)[],
    part: ParquetPart,
  ): boolean {
    const { tally } = this;
    this.cutter.cut(batch);
    const marks = batch.cutText('extractor');
    const rows: number[] = [];
    let isChanged = false;
    for (let row = 0; row < batch.length; row++) {
      const now = marks.present[row] === 1 ? textAt(marks, row) : undefined;
      if (now !== undefined) this.count(now);
      if (now !== before[row]) {
        tally.changed += 1;
        isChanged = true;
      }
      if (now !== undefined || before[row] !== undefined) rows.push(row);
    }
    // Only the rows' extractors and extracted values are stored.
    for (const [name, column] of batch.columns())
      if (name !== ROW && !CUT_COLUMNS.has(name)) column.clear();
    if (rows.length > 0) part.addRowGroup(batch, rowList(Uint32Array.from(rows)));
    batch.clear();
    return isChanged;
  }

  private count(mark: string): void {
    this.tally.after += 1;
    this.tally.extractors.set(mark, (this.tally.extractors.get(mark) ?? 0) + 1);
  }

  /** Options for rewriting a segment with the extracted values. */
  private async rewriteOptions(segment: SegmentRow, part: ParquetPart): Promise<RewriteOptions> {
    const cut = part.columns.filter((name) => name !== ROW);
    const had = segment.columns.filter((name) => CUT_COLUMNS.has(name));
    const select = [ROW, ...cut].map(
      (name) => `${identifier(name)} AS ${identifier(BESIDE + name)}`,
    );
    const read = `SELECT ${select.join(', ')} FROM read_parquet(${literal(part.path)})`;
    const replace: Record<string, string> = {};
    for (const name of new Set([...had, ...cut])) {
      const now = cut.includes(name) ? identifier(BESIDE + name) : 'NULL';
      const current = had.includes(name) ? identifier(name) : 'NULL';
      const wasCut = had.includes('extractor') ? 'extractor IS NOT NULL' : 'false';
      // What a source states stays, and so does a host named by a message. Cutting messages depends on their
      // process, which stays.
      const first =
        name === 'host' ? `coalesce(${now}, ${current})` : `coalesce(${current}, ${now})`;
      const resolved = name === 'host' || name === 'pid' ? first : now;
      replace[name] =
        `CASE WHEN ${identifier(BESIDE + ROW)} IS NULL THEN ${current} WHEN ${wasCut} THEN ${resolved} ` +
        `ELSE ${first} END`;
    }
    const beside = { select: read, row: BESIDE + ROW };
    const need = Object.fromEntries(
      cut.filter((name) => !had.includes(name)).map((name) => [name, sqlType(name)]),
    );
    const empty = await this.empty(
      segment,
      beside.select,
      had.filter((name) => !cut.includes(name)),
      replace,
    );
    const helpers = [ROW, ...cut].map((name) => BESIDE + name);
    return { replace, need, beside, drop: [...helpers, ...empty], keepsTimes: true };
  }

  /** Columns that no longer have any value. */
  private async empty(
    segment: SegmentRow,
    beside: string,
    columns: readonly string[],
    replace: Readonly<Record<string, string>>,
  ): Promise<string[]> {
    if (columns.length === 0) return [];
    const database = await this.writer.attach(segment);
    const counts = columns.map((name) => `count(${replace[name]!})::DOUBLE`);
    const [row] = await this.writer.builder.rows(
      `SELECT ${counts.join(', ')} FROM ${withBeside(database, 'events', beside, identifier(BESIDE + ROW))}`,
    );
    return columns.filter((_, i) => Number(row?.[i]) === 0);
  }
}

const MOST_TEXT_BYTES = 32 << 20;
const NUMBERS = [...CUT_COLUMNS].filter(
  (name) => name !== 'pid' && COLUMNS[name as ColumnName] !== 'text',
);

function sqlType(name: string): string {
  return SQL_TYPES[COLUMNS[name as ColumnName]];
}

const utf8 = new TextDecoder();

function textAt(
  { data, starts }: { readonly data: Uint8Array; readonly starts: Uint32Array },
  row: number,
): string {
  const at = starts[row]!;
  const length = new DataView(data.buffer, data.byteOffset).getUint32(at, true);
  return utf8.decode(data.subarray(at + 4, at + 4 + length));
}

/** `74 of Daybook, acme/2`. */
function extractorsText(
  ofCase: readonly { readonly name: string; readonly version: number }[],
): string {
  const names = ofCase.map(({ name, version }) => `${name}/${version}`);
  return [`${shippedExtractors().length} of Daybook`, ...names].join(', ');
}
