/**
 * Loads a hand-over into ClickHouse. Each day is loaded whole into tables beside those that are asked, and is compared with
 * the manifest; then all take the place of those before. Days that are there already, unchanged, are not sent again,
 * whoever loaded them, this run, one that was interrupted or one before.
 *
 * Invariant: each table that is asked holds what a manifest says. Tables are exchanged one after the other, so that a
 * query in between may read two hand-overs.
 */
import { DaybookError } from '../../contract/errors.ts';
import { type HandedOverFile, type HandOverManifest, SUMMED } from '../../contract/hand-over.ts';
import { text } from '../../query/dialect/clickhouse.ts';
import { SCHEMA_VERSION } from '../../store/typed-events.ts';
import type { Cluster } from './cluster.ts';
import { type HandedOverPlace, placeOf } from './handed-over-place.ts';
import {
  commonAttributes,
  countFiles,
  createTable,
  describeDay,
  EVENTS_FORM,
  materialise,
  materialisedColumns,
  pathParts,
  SOURCES_FORM,
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
  /** What was in the tables and not what the manifest says: it was loaded again. */
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

type EventsFile = HandedOverFile & { readonly day: string };

/** @throws DaybookError usage, unreadable, not-found, cancelled */
export async function attach(cluster: Cluster, options: AttachOptions): Promise<AttachReport> {
  const place = placeOf(options.from, cluster);
  const manifest = await place.manifest();
  if (manifest.schema !== SCHEMA_VERSION)
    throw new DaybookError(
      'usage',
      `the hand-over has columns of version ${manifest.schema}; this Daybook knows ${SCHEMA_VERSION}`,
      'use the Daybook that handed it over, or hand it over again',
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
    await cluster.run(`CREATE DATABASE IF NOT EXISTS \`${cluster.address.database}\``);
    for (const table of TABLES) await cluster.run(createTable(table, this.at(table)));
    await this.refuseForeign();
    // Those of an interrupted run hold days that are whole.
    for (const table of TABLES) {
      if (table !== 'events' && table !== 'files')
        await cluster.run(`DROP TABLE IF EXISTS ${this.at(table, true)}`);
      // Parts are moved between tables that are alike.
      await cluster.run(`CREATE TABLE IF NOT EXISTS ${this.at(table, true)} AS ${this.at(table)}`);
    }
    const { whole, differing } = await this.wholeDays(false);
    const { whole: loaded } = await this.wholeDays(true);
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
    await this.materialise();
    const wrong = (await this.wholeDays(true)).differing;
    if (wrong.length > 0) throw differs(wrong);
    for (const table of TABLES) {
      await cluster.run(`EXCHANGE TABLES ${this.at(table)} AND ${this.at(table, true)}`);
      await cluster.run(`DROP TABLE ${this.at(table, true)} SYNC`);
    }
    return {
      ...{ cluster: cluster.address.name, from: this.place.name, events: manifest.events },
      files: [...days.values()].reduce((sum, { length }) => sum + length, 0),
      ...{ sent: this.sent, sentBytes: this.sentBytes, differing },
    };
  }

  private at(table: TableName, isNext = false): string {
    return `\`${this.cluster.address.database}\`.${table}${isNext ? '_next' : ''}`;
  }

  private tell(rows: number, file: string): void {
    this.done += rows;
    this.options.report({ done: this.done, of: this.manifest.events, file });
  }

  /** One database has one case. */
  private async refuseForeign(): Promise<void> {
    const [[id, name] = []] = await this.cluster.rows(
      `SELECT case_id, case_name FROM ${this.at('attached')}`,
    );
    if (id === undefined || id === this.manifest.case.id) return;
    throw new DaybookError(
      'usage',
      `${this.cluster.address.name} holds another case (${String(name)})`,
      'name another database: it is made if need be',
    );
  }

  /**
   * Days whose files are in a table as the manifest has them, and how those that are noted differ from it. Of a day of which
   * nothing is noted nothing is said: it is new, or was interrupted.
   */
  private async wholeDays(
    isNext: boolean,
  ): Promise<{ whole: Set<string>; differing: Difference[] }> {
    const { cluster, days } = this;
    const noted = new Map(
      (await cluster.rows(`SELECT path, sha256 FROM ${this.at('files', isNext)}`)).map(
        ([path, sha256]) => [String(path), String(sha256)],
      ),
    );
    const counted = new Map<string, string[]>();
    for (const [path, ...numbers] of await cluster.rows(countFiles(this.at('events', isNext))))
      counted.set(String(path), numbers.map(String));
    const byDay = Map.groupBy(counted.keys(), (path) => pathParts(path).day);
    const whole = new Set<string>();
    const differing: Difference[] = [];
    for (const [day, files] of days) {
      const isSame = files.every(({ path, sha256 }) => noted.get(path) === sha256);
      const found = files.flatMap((file) => differenceOf(file, counted.get(file.path)) ?? []);
      const others = (byDay.get(day) ?? []).filter((path) => files.every((f) => f.path !== path));
      if (!isSame) continue;
      differing.push(...found);
      for (const path of others) differing.push({ path, message: 'is not of the hand-over' });
      if (found.length + others.length === 0) whole.add(day);
    }
    return { whole, differing };
  }

  /** What an interrupted run left of days that it had not loaded whole, and days that are gone. */
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

  /** A day as it is in the tables that are asked; nothing is copied. */
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
    await this.cluster.run(describeDay(day, files, { events, notes: this.at('files', true) }));
  }

  /** Columns of common attributes, which stay what they are from then on. */
  private async materialise(): Promise<void> {
    const { cluster } = this;
    const there = await cluster.rows(materialisedColumns(cluster.address.database));
    const next = this.at('events', true);
    if (there.length > 0) return;
    const names = await cluster.rows(commonAttributes(next));
    if (names.length === 0) return;
    await cluster.run(
      materialise(
        next,
        names.map(([name]) => String(name)),
      ),
    );
  }

  /** Tags, sources, and which case it is. */
  private async loadTables(): Promise<void> {
    const { cluster, manifest, place } = this;
    for (const file of manifest.files) {
      if (file.path.startsWith('tags/'))
        await place.insert(
          `INSERT INTO ${this.at('tags', true)} SELECT event_id, tag`,
          TAGS_FORM,
          file,
        );
      if (file.path === 'sources/sources.jsonl' && file.rows > 0)
        await place.insert(`INSERT INTO ${this.at('sources', true)} SELECT *`, SOURCES_FORM, file);
    }
    const { case: own, writtenAt, audit } = manifest;
    const values = [own.id, own.name, writtenAt, audit.head].map(text).join(', ');
    await cluster.run(`INSERT INTO ${this.at('attached', true)} VALUES (${values})`);
  }
}

/** @param counted rows and sums as the table has them; undefined: it has none of the file */
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

function differs(differing: readonly Difference[]): DaybookError {
  const [first] = differing;
  return new DaybookError(
    'unreadable',
    `what was loaded is not what the manifest says: ${differing.length} ${differing.length === 1 ? 'file differs' : 'files differ'}, ${first!.path} has ${first!.message}`,
    'what was there before is asked as before; run it again when nobody else loads it',
  );
}
