/**
 * Loads a hand-over into ClickHouse. Each day is loaded into staging tables next to those that queries read, and
 * compared with the manifest; then one statement exchanges the tables. Days that are already there and unchanged
 * are not sent again, whether this run, an interrupted one or an earlier one loaded them. Tables to which people
 * add rows are never exchanged: a row added meanwhile would be lost with the table.
 *
 * Invariant: each table that queries read holds what a manifest says, and what people added. The server exchanges
 * tables one after the other: one that stops meanwhile has tables of two hand-overs until the next run.
 */
import { DaybookError } from '../../../contract/errors.ts';
import { type HandedOverFile, type HandOverManifest, SUMMED } from '../../../contract/hand-over.ts';
import { text } from '../../../query/dialect/clickhouse.ts';
import { SCHEMA_VERSION } from '../../../store/index.ts';
import { cellText, type Cluster, type ClusterRow } from '../cluster.ts';
import { handedOverPlace, type HandedOverPlace } from './handed-over-place.ts';
import {
  addColumns,
  commonAttributes,
  countFiles,
  createTable,
  describeFiles,
  EVENTS_FORM,
  FILES_AT_ONCE,
  FINDINGS_FORM,
  foreignTables,
  insertFindings,
  insertNotes,
  insertSearches,
  insertSources,
  insertTags,
  materialise,
  materialisedColumns,
  NOTES_FORM,
  pathParts,
  reconciled,
  REPLACED,
  SAMPLE_TABLE,
  sampleOf,
  SEARCHES_FORM,
  SHARED,
  SOURCES_FORM,
  type SharedTable,
  type TableName,
  TABLES,
  TAGS_FORM,
} from './tables.ts';

interface AttachProgress {
  /** Rows of events. */
  readonly done: number;
  readonly of: number;
  readonly file: string;
}

interface AttachReport {
  readonly cluster: string;
  readonly from: string;
  readonly events: number;
  /** Files of events, and those of them that were sent. */
  readonly files: number;
  readonly sent: number;
  readonly sentBytes: number;
  /** Rows that were in the tables and in no hand-over: they were replaced or removed. */
  readonly differing: readonly Difference[];
  /** Tags that people added there and that are there still. */
  readonly addedTags: number;
}

/** The content of a table compared with the manifest. */
interface Comparison {
  /** Days that match the manifest. */
  readonly whole: ReadonlySet<string>;
  /** Days of files that the manifest does not have. */
  readonly others: ReadonlySet<string>;
  /** Files that differ from their record. A day without a record is new, or was not loaded completely. */
  readonly differing: readonly Difference[];
}

interface Difference {
  readonly path: string;
  /** Such as `rows 12 instead of 14`. */
  readonly message: string;
}

interface AttachOptions {
  readonly from: string;
  readonly report: (progress: AttachProgress) => void;
}

/** Days that an error names. */
const MOST_SAID = 10;

/** Tables other than that of events, each with the function that loads a file of a hand-over into it. */
const SMALL = [
  { name: 'tags', form: TAGS_FORM, insert: insertTags },
  { name: 'notes', form: NOTES_FORM, insert: insertNotes },
  { name: 'sources', form: SOURCES_FORM, insert: insertSources },
  { name: 'searches', form: SEARCHES_FORM, insert: insertSearches },
  { name: 'findings', form: FINDINGS_FORM, insert: insertFindings },
] as const;

type EventsFile = HandedOverFile & { readonly day: string };

/** @throws DaybookError usage, unreadable, not-found, cancelled */
export async function attach(cluster: Cluster, options: AttachOptions): Promise<AttachReport> {
  const place = handedOverPlace(options.from, cluster);
  const manifest = await place.manifest();
  if (manifest.schema !== SCHEMA_VERSION)
    throw new DaybookError(
      'usage',
      `the hand-over has columns of version ${manifest.schema}; this Daybook knows ${SCHEMA_VERSION}`,
      'use the version of Daybook that wrote it, or hand the case over again',
    );
  return new Attaching(cluster, place, manifest, options).run();
}

class Attaching {
  private readonly cluster: Cluster;
  private readonly place: HandedOverPlace;
  private readonly manifest: HandOverManifest;
  private readonly options: AttachOptions;
  private readonly days: ReadonlyMap<string, readonly EventsFile[]>;
  private done = 0;
  private sent = 0;
  private sentBytes = 0;

  constructor(
    cluster: Cluster,
    place: HandedOverPlace,
    manifest: HandOverManifest,
    options: AttachOptions,
  ) {
    this.cluster = cluster;
    this.place = place;
    this.manifest = manifest;
    this.options = options;
    const events = manifest.files.filter(
      (file): file is EventsFile => file.day !== undefined && file.kind !== undefined,
    );
    this.days = Map.groupBy(events, ({ day }) => day);
  }

  async run(): Promise<AttachReport> {
    const { cluster, days, manifest } = this;
    await this.refuseTables();
    await cluster.run(
      `CREATE DATABASE IF NOT EXISTS \`${cluster.address.database}\` ENGINE = Atomic`,
    );
    for (const table of TABLES) {
      await cluster.run(createTable(table, this.at(table)));
      const more = addColumns(table, this.at(table));
      if (more !== undefined) await cluster.run(more);
    }
    await this.refuseOtherCase();
    const { whole, differing } = await this.compare(false);
    await this.makeNext(whole.size > 0);
    await this.materialise();
    const { whole: loaded } = await this.compare(true);
    await this.dropOthers(loaded);
    for (const [day, files] of days) {
      if (!loaded.has(day)) {
        if (whole.has(day)) await this.keepDay(day);
        else await this.loadDay(day, files);
      }
      this.tell(
        files.reduce((sum, { rows }) => sum + rows, 0),
        files.at(-1)!.path,
      );
    }
    await this.loadTables();
    await this.requireAll();
    for (const table of SHARED) await this.reconcile(table);
    const pairs = REPLACED.map((table) => `${this.at(table)} AND ${this.at(table, true)}`);
    await cluster.run(`EXCHANGE TABLES ${pairs.join(', ')}`);
    const addedTags = await this.count(this.at('tags'), 'NOT handed_over', 'event_id, tag');
    for (const table of TABLES) await cluster.run(`DROP TABLE ${this.at(table, true)} SYNC`);
    return {
      ...{ cluster: cluster.address.name, from: this.place.name, events: manifest.events },
      files: [...days.values()].reduce((sum, { length }) => sum + length, 0),
      ...{ sent: this.sent, sentBytes: this.sentBytes, differing, addedTags },
    };
  }

  private at(table: TableName, isNext = false): string {
    return `\`${this.cluster.address.database}\`.${table}${isNext ? '_next' : ''}`;
  }

  private tell(rows: number, file: string): void {
    this.done += rows;
    this.options.report({ done: this.done, of: this.manifest.events, file });
  }

  /** @throws DaybookError usage if a foreign table would be replaced, or tables cannot be exchanged together */
  private async refuseTables(): Promise<void> {
    const { cluster } = this;
    const { database, name } = cluster.address;
    const [[engine] = []] = await cluster.rows(
      `SELECT engine FROM system.databases WHERE name = ${text(database)}`,
    );
    const foreign = textsOf(await cluster.rows(foreignTables(database)));
    const isAtomic = engine === undefined || engine === 'Atomic';
    if (isAtomic && foreign.length === 0) return;
    throw new DaybookError(
      'usage',
      isAtomic
        ? `${name} has tables that daybook attach did not create: ${foreign.join(', ')}`
        : `${name} is a database of the engine ${cellText(engine)}, which cannot exchange several tables at once`,
      'name another database; it is created if necessary',
    );
  }

  /** One database has one case. */
  private async refuseOtherCase(): Promise<void> {
    const [[id, name] = []] = await this.cluster.rows(
      `SELECT case_id, case_name FROM ${this.at('attached')}`,
    );
    if (id === undefined || id === this.manifest.case.id) return;
    throw new DaybookError(
      'usage',
      `${this.cluster.address.name} holds another case (${String(name)})`,
      'name another database; it is created if necessary',
    );
  }

  /**
   * Makes the tables that are loaded. Those of an interrupted run hold days that are whole.
   * @param isKept whether days are moved there from the tables that queries read, which needs tables with the same columns
   */
  private async makeNext(isKept: boolean): Promise<void> {
    const [now, next] = await Promise.all([this.materialised(false), this.materialised(true)]);
    const isAlike = now.join('\n') === next.join('\n');
    for (const table of TABLES) {
      const at = this.at(table, true);
      const isDay = table === 'events' || table === 'files';
      if (!isDay || (isKept && !isAlike)) await this.cluster.run(`DROP TABLE IF EXISTS ${at} SYNC`);
      await this.cluster.run(
        isDay ? `CREATE TABLE IF NOT EXISTS ${at} AS ${this.at(table)}` : createTable(table, at),
      );
    }
  }

  private async compare(isNext: boolean): Promise<Comparison> {
    const { cluster, days } = this;
    const listed = new Set([...days.values()].flatMap((files) => files.map(({ path }) => path)));
    const noted = new Map<string, string>();
    const counted = new Map<string, string[]>();
    const others = new Set<string>();
    const differing: Difference[] = [];
    for (const [path, day, sha256] of await cluster.rows(
      `SELECT path, day, sha256 FROM ${this.at('files', isNext)}`,
    )) {
      noted.set(String(path), String(sha256));
      if (!listed.has(String(path))) others.add(String(day));
    }
    for (const [file, day, ...numbers] of await cluster.rows(
      countFiles(this.at('events', isNext)),
    )) {
      const path = String(file);
      counted.set(path, numbers.map(String));
      if (listed.has(path)) continue;
      others.add(String(day));
      if (!noted.has(path)) differing.push({ path, message: 'does not belong to a hand-over' });
    }
    const whole = new Set<string>();
    for (const [day, files] of days) {
      if (!files.every(({ path, sha256 }) => noted.get(path) === sha256)) continue;
      const found = files.flatMap((file) => differenceOf(file, counted.get(file.path)) ?? []);
      differing.push(...found);
      if (found.length === 0 && !others.has(day)) whole.add(day);
    }
    return { whole, others, differing };
  }

  /** @throws DaybookError unreadable unless the loaded tables match the manifest exactly */
  private async requireAll(): Promise<void> {
    const { days, manifest } = this;
    const { whole, others, differing } = await this.compare(true);
    const wrong = new Set([...[...days.keys()].filter((day) => !whole.has(day)), ...others]);
    const said = [...wrong].map((day) => `day ${day}`);
    for (const table of [...SHARED, 'sources'] as const) {
      const found = await this.count(this.at(table, true), 'true');
      const rows = manifest.files
        .filter(({ path }) => path.startsWith(`${table}/`))
        .reduce((sum, file) => sum + file.rows, 0);
      if (found !== rows) said.push(`${table} (rows ${found} instead of ${rows})`);
    }
    const attached = await this.cluster.rows(`SELECT case_id FROM ${this.at('attached', true)}`);
    if (attached.length !== 1 || attached[0]![0] !== manifest.case.id) said.push('attached');
    if (said.length === 0) return;
    const [first] = differing;
    throw new DaybookError(
      'unreadable',
      `the loaded data differ from the manifest: ${said.slice(0, MOST_SAID).join(', ')}${said.length > MOST_SAID ? ` and ${said.length - MOST_SAID} more` : ''}${first === undefined ? '' : `; ${first.path}: ${first.message}`}`,
      'queries still read the previous state; run daybook verify FOLDER, then attach again while nobody else does',
    );
  }

  /** Drops days that an interrupted run loaded only in part, and days that are gone. */
  private async dropOthers(loaded: ReadonlySet<string>): Promise<void> {
    const { cluster } = this;
    const events = this.at('events', true);
    const files = this.at('files', true);
    const there = await cluster.rows(
      `SELECT DISTINCT day FROM ${events} UNION DISTINCT SELECT DISTINCT day FROM ${files}`,
    );
    for (const [day] of there) {
      if (loaded.has(String(day))) continue;
      await cluster.run(`ALTER TABLE ${events} DROP PARTITION ${text(String(day))}`);
      await cluster.run(`DELETE FROM ${files} WHERE day = ${text(String(day))}`);
    }
  }

  /** Takes over a day from the queried tables without copying it. */
  private async keepDay(day: string): Promise<void> {
    const { cluster } = this;
    const [events, files] = [this.at('events', true), this.at('files', true)];
    await cluster.run(
      `ALTER TABLE ${events} ATTACH PARTITION ${text(day)} FROM ${this.at('events')}`,
    );
    await cluster.run(
      `INSERT INTO ${files} SELECT * FROM ${this.at('files')} WHERE day = ${text(day)}`,
    );
  }

  private async loadDay(day: string, files: readonly EventsFile[]): Promise<void> {
    const events = this.at('events', true);
    for (const file of files) {
      const { kind, file: name } = pathParts(file.path);
      this.tell(0, file.path);
      await this.place.insert(
        `INSERT INTO ${events} SELECT ${text(kind)} AS kind, ${text(day)} AS day, *, ${text(name)} AS file`,
        EVENTS_FORM,
        file,
      );
      this.sent += 1;
      this.sentBytes += file.bytes;
    }
    const at = { events, notes: this.at('files', true) };
    for (let from = 0; from < files.length; from += FILES_AT_ONCE)
      await this.cluster.run(describeFiles(day, files.slice(from, from + FILES_AT_ONCE), at));
  }

  /** Gives a table the rows of this hand-over in place of those of the one before. */
  private async reconcile(table: SharedTable): Promise<void> {
    const at = this.at(table);
    const { add, gone, remove } = reconciled(table, at, this.at(table, true));
    await this.cluster.run(add);
    if ((await this.count(at, gone)) > 0) await this.cluster.run(remove);
  }

  /** @param each columns whose duplicates count once */
  private async count(at: string, where: string, each?: string): Promise<number> {
    const counted = each === undefined ? 'count()' : `uniqExact(${each})`;
    const [[rows] = []] = await this.cluster.rows(`SELECT ${counted} FROM ${at} WHERE ${where}`);
    return Number(rows);
  }

  private async materialised(isNext: boolean): Promise<string[]> {
    const table = isNext ? 'events_next' : 'events';
    return textsOf(
      await this.cluster.rows(materialisedColumns(this.cluster.address.database, table)),
    );
  }

  /**
   * Makes columns for common attributes, which are never changed afterwards. This precedes loading events:
   * computing a column for existing rows costs as much as loading them.
   */
  private async materialise(): Promise<void> {
    const { cluster } = this;
    for (const isNext of [false, true]) if ((await this.materialised(isNext)).length > 0) return;
    const files = [...this.days.values()].flat();
    await cluster.run(SAMPLE_TABLE);
    for (const ofKind of Map.groupBy(files, ({ kind }) => kind).values()) {
      const largest = ofKind.reduce((most, one) => (one.rows > most.rows ? one : most));
      const rows = ofKind.reduce((sum, one) => sum + one.rows, 0);
      await this.place.insert(...sampleOf(largest, rows));
    }
    const names = textsOf(await cluster.rows(commonAttributes()));
    if (names.length > 0) await cluster.run(materialise(this.at('events', true), names));
  }

  /** Loads everything but events, and the identity of the case. */
  private async loadTables(): Promise<void> {
    const { cluster, manifest, place } = this;
    for (const file of manifest.files) {
      const table = SMALL.find(({ name }) => file.path.startsWith(`${name}/`));
      if (table === undefined || file.rows === 0) continue;
      await place.insert(table.insert(this.at(table.name, true)), table.form, file);
    }
    const { case: caseAbout, writtenAt, audit } = manifest;
    const values = [caseAbout.id, caseAbout.name, writtenAt, audit.head].map(text).join(', ');
    await cluster.run(`INSERT INTO ${this.at('attached', true)} VALUES (${values})`);
  }
}

/** @param counted rows and sums in the table; undefined: it has none of the file */
function differenceOf(
  { path, rows, sums }: EventsFile,
  counted: readonly string[] | undefined,
): Difference | undefined {
  const [found = '0', ...foundSums] = counted ?? [];
  if (found !== String(rows)) return { path, message: `rows ${found} instead of ${rows}` };
  for (const [i, name] of SUMMED.entries()) {
    const [want, have] = [sums?.[name] ?? '0', foundSums[i] ?? '0'];
    if (want !== have) return { path, message: `sum of ${name} ${have} instead of ${want}` };
  }
  return undefined;
}

function textsOf(rows: readonly ClusterRow[]): string[] {
  return rows.map(([text]) => String(text));
}
