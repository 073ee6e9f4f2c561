/**
 * For tests: a case of some small files, imported in this process and kept open until the file's tests are done.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../session/case-session.ts';

export async function caseOfFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<CaseSession> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-case-'));
  const paths = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  });
  await importInProcess(join(folder, 'case'), paths);
  const session = CaseSession.open(join(folder, 'case'), { memoryLimit: 3e8, threads: 2 });
  afterAll(async () => {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return session;
}

/** JSON documents, one per line. */
export function ndjson(records: readonly object[]): string {
  return records.map((one) => `${JSON.stringify(one)}\n`).join('');
}
