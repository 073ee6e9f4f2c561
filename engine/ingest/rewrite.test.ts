/** Segments that are rewritten after others could not be: nothing of these is left over. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DaybookError } from '../contract/errors.ts';
import { CaseWriter } from './case-writer.ts';
import { rewriteSegments } from './rewrite.ts';
import { BUILDER, importInProcess } from './testing/in-process.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-rewrite-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('keeps the tags of segments that are merged after others could not be', async () => {
  const folder = join(root, 'work.daybook');
  const evidence = join(root, 'evidence');
  mkdirSync(evidence);
  const days = ['2026-03-01', '2026-03-02'];
  for (const day of days) {
    const lines = [1, 2, 3].map((n) => `<13>1 ${day}T00:00:0${n}Z host app - - - line ${n}\n`);
    writeFileSync(join(evidence, `${day}.log`), lines.join(''));
  }
  await importInProcess(folder, [evidence]);
  const writer = await CaseWriter.open(folder, 'test', BUILDER);
  try {
    const { catalog, builder } = writer;
    const tag = catalog.tagId('seen');
    const [first, second] = catalog.segments();
    for (const { id } of [first!, second!]) catalog.setMarks(id, tag, Uint32Array.of(1));
    const rows = builder.rows.bind(builder);
    const reading = vi.spyOn(builder, 'rows').mockImplementation((sql) => {
      if (sql.includes('made.events'))
        throw new DaybookError('case-damaged', 'a block cannot be read');
      return rows(sql);
    });
    await expect(rewriteSegments(writer, [first!])).rejects.toThrow('a block cannot be read');
    reading.mockRestore();
    const [made] = await rewriteSegments(writer, [second!]);
    expect([...catalog.marks(made!.id, tag)]).toEqual([1]);
  } finally {
    writer.close();
  }
});
