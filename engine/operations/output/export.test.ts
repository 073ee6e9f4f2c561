import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { parquetSink } from './export.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'daybook-export-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes records, and reads them back with DuckDB. */
async function written(
  records: readonly Record<string, unknown>[],
  names: readonly string[],
): Promise<unknown[]> {
  const sink = parquetSink();
  for (const record of records) await sink.add(record);
  const parts: Uint8Array[] = [];
  const rows = await sink.finish(async (bytes) => void parts.push(bytes.slice()), names);
  expect(rows).toBe(records.length);
  const file = path.join(folder, `${Math.random()}.parquet`);
  writeFileSync(file, Buffer.concat(parts));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const reader = await connection.runAndReadAll(
    `SELECT COLUMNS(*)::VARCHAR FROM read_parquet('${file}')`,
  );
  const found = records.length === 0 ? reader.columnNames() : reader.getRowObjects();
  connection.closeSync();
  instance.closeSync();
  return found;
}

describe('Parquet', () => {
  it('keeps nanoseconds, beside the timestamp', async () => {
    const records = [
      { ts: '2026-03-01T10:00:00.729856830Z', n: 1 },
      { ts: '2026-03-01T10:00:00.5Z', n: 2 },
    ];
    expect(await written(records, ['ts', 'n'])).toEqual([
      { ts: '2026-03-01 10:00:00.729856+00', ts_ns: '830', n: '1' },
      { ts: '2026-03-01 10:00:00.5+00', ts_ns: null, n: '2' },
    ]);
  });

  it('has its columns without any row', async () => {
    expect(await written([], ['ts', 'host'])).toEqual(['ts', 'ts_ns', 'host']);
  });
});
