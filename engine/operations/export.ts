/** Writes shown rows as Parquet: a small DuckDB of its own, that sees one temporary folder only. */
import { copyFileSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
      if (!stream.write(`${JSON.stringify(flat)}\n`)) await once(stream, 'drain');
    },
    async finish() {
      stream.end();
      await once(stream, 'close');
      try {
        if (count === 0) return 0;
        const out = join(folder, 'rows.parquet');
        await exportParquet(folder, rows, out, [...names]);
        copyFileSync(out, path);
        return count;
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
