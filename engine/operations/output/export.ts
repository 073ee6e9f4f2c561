/** Writes rows as Parquet, in a small separate DuckDB that can access one temporary folder only. */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessError, diskError } from '../../util/files/files.ts';
import { exportParquet } from '../../store/index.ts';
import type { Write } from './output-file.ts';

interface ParquetSink {
  add(record: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Streams the bytes of the file; returns its number of rows. Without rows it has the columns `names`.
   * @throws DaybookError disk-full, and whatever `write` throws
   */
  finish(write: Write, names: readonly string[]): Promise<number>;
  /** Removes temporary files; needed if `finish` is not called. */
  abandon(): void;
}

/** Collects rows, since Parquet cannot be written front to back. */
export function parquetSink(): ParquetSink {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-export-'));
  const rows = join(folder, 'rows.ndjson');
  const stream = createWriteStream(rows);
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  let count = 0;
  let bytes = 0;
  let longest = 0;
  const seen = new Set<string>();
  return {
    async add(record) {
      const flat: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(record)) {
        flat[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
        seen.add(name);
      }
      count += 1;
      if (failure !== undefined) throw inWords(failure);
      const line = Buffer.from(`${JSON.stringify(flat)}\n`);
      bytes += line.length;
      longest = Math.max(longest, line.length);
      if (!stream.write(line)) await once(stream, 'drain');
    },
    async finish(write, names) {
      try {
        await new Promise<void>((resolve) => {
          if (stream.closed) resolve();
          else stream.once('close', resolve);
          stream.end();
        });
        if (failure !== undefined) throw failure;
        const out = join(folder, 'rows.parquet');
        const columns = count === 0 ? names : [...seen];
        const lines = count === 0 ? undefined : { file: rows, count, bytes, longest };
        await exportParquet(folder, lines, out, columns);
        for await (const bytes of createReadStream(out) as AsyncIterable<Uint8Array>)
          await write(bytes);
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

function inWords(error: unknown): unknown {
  return diskError(error) ?? accessError(error) ?? error;
}
