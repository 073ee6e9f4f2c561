/**
 * The location of a hand-over to load: a folder of this machine, whose files are hashed while being sent, or a
 * place that the server reads itself, such as a bucket. There the server hashes files for which the manifest has no
 * sums, that is all but events.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { DaybookError } from '../../../contract/errors.ts';
import {
  type HandedOverFile,
  type HandOverManifest,
  handOverManifest,
  MANIFEST,
} from '../../../contract/hand-over.ts';
import { text } from '../../../query/dialect/clickhouse.ts';
import { UNFINISHED } from '../../hand-over/bucket-mark.ts';
import { JOURNAL, readManifest } from '../../hand-over/folder.ts';
import { cellText, type Cluster } from '../cluster.ts';
import type { FileForm } from './tables.ts';

export interface HandedOverPlace {
  readonly name: string;
  /** @throws DaybookError not-found, unreadable */
  manifest(): Promise<HandOverManifest>;
  /**
   * Inserts a file's rows.
   * @param select the text between INSERT INTO and FROM
   * @throws DaybookError unreadable, also for a hashed file whose hash differs from the manifest
   */
  insert(select: string, form: FileForm, file: HandedOverFile): Promise<void>;
}

/**
 * @param asked a folder, or an address that the server reads: s3://…, https://…
 * @throws DaybookError usage for an address that the server would read as a pattern
 */
export function handedOverPlace(asked: string, cluster: Cluster): HandedOverPlace {
  if (!/^(?:s3|https?):\/\//i.test(asked)) return new LocalPlace(asked, cluster);
  // https://clickhouse.com/docs/sql-reference/table-functions/s3#wildcards-in-path
  if (/[*?{}]/.test(asked))
    throw new DaybookError(
      ...([
        'usage',
        `the server reads ${asked} as a pattern, which may match several places`,
      ] as const),
      'name one place, without *, ?, { and }',
    );
  return new ServerPlace(asked, cluster);
}

const SEND_AGAIN = 'run: daybook verify FOLDER, and hand the case over again';

class LocalPlace implements HandedOverPlace {
  readonly name: string;
  private readonly cluster: Cluster;

  constructor(asked: string, cluster: Cluster) {
    this.name = resolve(asked);
    this.cluster = cluster;
  }

  async manifest(): Promise<HandOverManifest> {
    const { name } = this;
    if (existsSync(join(name, JOURNAL))) throw unfinished(name);
    const manifest = readManifest(name);
    if (manifest !== undefined) return manifest;
    throw new DaybookError(
      ...(['not-found', `${name} has no readable manifest of a hand-over`] as const),
      'name the folder that daybook hand-over CASE FOLDER wrote',
    );
  }

  async insert(select: string, form: FileForm, { path, sha256 }: HandedOverFile): Promise<void> {
    const sum = createHash('sha256');
    const hashed = new Transform({
      transform(part: Buffer, _, done) {
        sum.update(part);
        done(null, part);
      },
      flush(done) {
        if (sum.digest('hex') === sha256) done();
        else done(changed(path));
      },
    });
    // Errors of either stream appear in `hashed`.
    const data = pipeline(createReadStream(join(this.name, path)), hashed, () => undefined);
    try {
      await this.cluster.send(
        `${select} FROM input(${text(form.structure)}) FORMAT ${form.format}`,
        data,
      );
    } catch (error) {
      if (error instanceof DaybookError || !(error instanceof Error)) throw error;
      throw new DaybookError('unreadable', `${path}: ${error.message}`, SEND_AGAIN, error);
    }
  }
}

function unfinished(name: string): DaybookError {
  return new DaybookError(
    ...([
      'unreadable',
      `the hand-over in ${name} was interrupted, or is still being written`,
    ] as const),
    `to finish it, run again: daybook hand-over CASE ${name}`,
  );
}

function changed(path: string): DaybookError {
  return new DaybookError(
    ...(['unreadable', `${path} has changed since the hand-over`, SEND_AGAIN] as const),
  );
}

/** A file as one text. */
const WHOLE = { format: 'RawBLOB', structure: 'content String' };

class ServerPlace implements HandedOverPlace {
  readonly name: string;
  private readonly cluster: Cluster;

  constructor(asked: string, cluster: Cluster) {
    this.name = asked.replace(/\/+$/, '');
    this.cluster = cluster;
  }

  async manifest(): Promise<HandOverManifest> {
    // A folder that was copied there has the mark of a folder.
    for (const mark of [UNFINISHED, JOURNAL]) {
      const found = await this.cluster.rows(
        `SELECT 1 FROM ${this.read(mark, WHOLE)} SETTINGS s3_ignore_file_doesnt_exist = 1`,
      );
      if (found.length > 0) throw unfinished(this.name);
    }
    const [[json] = []] = await this.cluster.rows(
      `SELECT json FROM ${this.read(MANIFEST, { format: 'JSONAsString', structure: 'json String' })}`,
    );
    const read = handOverManifest.safeParse(JSON.parse(cellText(json ?? null)));
    if (read.success) return read.data;
    throw new DaybookError(
      ...(['unreadable', `${this.name}/${MANIFEST} is not the manifest of a hand-over`] as const),
      'name the place to which the case was handed over',
    );
  }

  async insert(select: string, form: FileForm, file: HandedOverFile): Promise<void> {
    const { path, sha256, sums } = file;
    if (sums === undefined) {
      const [[found] = []] = await this.cluster.rows(
        `SELECT lower(hex(SHA256(content))) FROM ${this.read(path, WHOLE)}`,
      );
      if (found !== sha256) throw changed(path);
    }
    await this.cluster.run(`${select} FROM ${this.read(path, form)}`);
  }

  private read(
    path: string,
    { format, structure }: { readonly format: string; readonly structure: string },
  ): string {
    return `s3(${[`${this.name}/${path}`, format, structure].map(text).join(', ')})`;
  }
}
