import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { verifyCase } from './verify-case.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'daybook-verify-'));
  folder = join(root, 'x.daybook');
  const head = 'ts_start,src_ip,dst_ip,dst_port,proto,bytes,packets';
  for (const day of [1, 2, 3]) {
    const file = join(root, `${day}.csv`);
    writeFileSync(file, `${head}\n2026-11-0${day}T10:00:00Z,10.0.0.1,10.9.9.9,443,TCP,1,1\n`);
    await importInProcess(folder, [file]);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Moves the last segment elsewhere, as a compaction does; returns its new place. */
function replaceLast(): string {
  const catalog = Catalog.open(folder);
  const last = catalog.segments.all().at(-1)!;
  const id = catalog.segments.lastId() + 1;
  const file = last.file.replace(
    /[0-9a-f]+\.duckdb$/,
    `${id.toString(16).padStart(8, '0')}.duckdb`,
  );
  renameSync(join(folder, last.file), join(folder, file));
  catalog.transaction(() => {
    catalog.segments.remove(last.id);
    catalog.segments.add({ ...last, id, file });
  });
  catalog.close();
  return file;
}

/** @param meanwhile runs when the first segment is checked */
async function verified(meanwhile: () => void) {
  const session = CaseSession.open(folder, { memoryLimit: 1e9, threads: 2 });
  let first = true;
  try {
    return await verifyCase(session, {
      repair: false,
      builder: BUILDER,
      onProgress: ({ phase }) => {
        if (phase !== 'segments') return;
        if (first) meanwhile();
        first = false;
      },
    });
  } finally {
    await session.close();
  }
}

it('does not miss segments that others have replaced meanwhile, and looks at those instead', async () => {
  const report = await verified(() => void replaceLast());
  expect([report.case.segments, report.findings]).toEqual([3, []]);
  const damaged = await verified(() => writeFileSync(join(folder, replaceLast()), 'other'));
  expect(damaged.findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/differs/),
  ]);
  const lost = await verified(() => rmSync(join(folder, replaceLast())));
  expect(lost.findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/is missing/),
  ]);
});

it('finds nothing wrong with times that are more than a number holds exactly', async () => {
  const file = join(root, 'far.journal');
  writeFileSync(file, '__CURSOR=s=1\n__REALTIME_TIMESTAMP=9791792001000000\nMESSAGE=far\n\n');
  await importInProcess(folder, [file]);
  const report = await verified(() => undefined);
  expect([report.case.segments, report.findings]).toEqual([4, []]);
});
