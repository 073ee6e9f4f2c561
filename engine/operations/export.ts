/** Writes shown rows as Parquet: a small DuckDB of its own, that sees one temporary folder only. */
import { copyFileSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessError, diskError } from '../base/files.ts';
import { DaybookError } from '../contract/errors.ts';
import { exportParquet } from '../store/parquet-export.ts';

export interface ParquetSink {
  add(record: Readonly<Record<string, unknown>>): Promise<void>;
  /** Writes the file; with no rows it has no columns to write, and is not made. */
  finish(): Promise<number>;
  abandon(): void;
}

/** Collects rows and writes them to `path` when they are complete. */
export function parquetSink(path: string): ParquetSink {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-export-'));
  const rows = join(folder, 'rows.ndjson');
  const stream = createWriteStream(rows);
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  let count = 0;
  const names = new Set<string>();
  return {
    async add(record) {
      const flat: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(record)) {
        flat[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
        names.add(name);
      }
      count += 1;
      if (failure !== undefined) throw inWords(failure);
      if (!stream.write(`${JSON.stringify(flat)}\n`)) await once(stream, 'drain');
    },
    async finish() {
      try {
        await new Promise<void>((resolve) => {
          if (stream.closed) resolve();
          else stream.once('close', resolve);
          stream.end();
        });
        if (failure !== undefined) throw failure;
        if (count === 0) return 0;
        const out = join(folder, 'rows.parquet');
        await exportParquet(folder, rows, out, [...names]);
        copyTo(path, out);
        return count;
      } catch (error) {
        throw inWords(error);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    abandon() {
      stream.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws DaybookError unreadable, when `path` cannot be written */
function copyTo(path: string, from: string): void {
  try {
    copyFileSync(from, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new DaybookError(
      'unreadable',
      `${path} cannot be written: ${code}`,
      'check that its folder exists, may be written and has room',
      error,
    );
  }
}

function inWords(error: unknown): unknown {
  return diskError(error) ?? accessError(error) ?? error;
}
