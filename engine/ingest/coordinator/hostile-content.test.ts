/**
 * Whatever bytes an import gets, it ends, and its ledger adds up: every prefix of a small file of each format, and
 * bit flips with a fixed seed. Real importers, catalog and segments.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import type { ImportReport } from './import-report.ts';
import { importInProcess, quarantined, rowsOf } from '../testing/in-process.ts';
import {
  PCAP_HEADER,
  PCAP_RECORD,
  smallEvidence,
  type SmallFile,
} from '../testing/small-evidence.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Imports the files in one run and checks what holds for any content. */
async function importAll(
  name: string,
  files: readonly (readonly [string, Uint8Array])[],
): Promise<ImportReport> {
  const evidence = join(folder, name);
  const path = join(folder, `${name}.daybook`);
  mkdirSync(evidence);
  for (const [file, bytes] of files) writeFileSync(join(evidence, file), bytes);
  const report = await importInProcess(path, [evidence]);

  // Every file ended in some state.
  const met = new Set(report.sources.map(({ source }) => source.split('!')[0]));
  expect([...met].sort()).toEqual(files.map(([file]) => file).sort());
  for (const line of report.sources) {
    const sum = line.stored + line.duplicate + line.quarantined + line.skipped;
    expect(line.read, line.source).toBe(sum);
    for (const n of [line.stored, line.duplicate, line.quarantined, line.skipped])
      expect(n, line.source).toBeGreaterThanOrEqual(0);
    expect(['complete', 'partial', 'damaged', 'duplicate', 'ignored', 'failed']).toContain(
      line.status,
    );
    if (line.status !== 'complete') expect(line.message, line.source).toMatch(/\S/);
  }
  // The case holds what the ledger says: quarantined records, and rows by source and kind.
  expect(quarantined(path).length).toBe(report.total.quarantined);
  const counted = await rowsOf(
    path,
    'SELECT source_id::DOUBLE, kind, count(*)::DOUBLE FROM events GROUP BY ALL ORDER BY ALL',
  );
  const catalog = Catalog.open(path);
  const said = catalog.sources
    .all()
    .flatMap((source) =>
      Object.entries(source.byKind)
        .filter(([, n]) => n > 0)
        .map(([kind, n]) => [source.id, kind, n]),
    )
    .sort((a, b) => Number(a[0]) - Number(b[0]) || (String(a[1]) < String(b[1]) ? -1 : 1));
  expect(catalog.sources.all().every(({ status }) => status === 'complete')).toBe(true);
  expect(catalog.integrityProblems()).toEqual([]);
  catalog.close();
  expect(counted).toEqual(said);
  return report;
}

describe.each(smallEvidence().map((file): [string, SmallFile] => [file.name, file]))(
  '%s',
  (name, file) => {
    it('every prefix: the import ends and the ledger adds up', async () => {
      const files: [string, Uint8Array][] = [];
      for (let size = 0; size <= file.bytes.length; size++)
        files.push([String(size).padStart(6, '0'), file.bytes.subarray(0, size)]);
      const report = await importAll(`prefixes-${name}`, files);
      const stored = new Map<string, number>();
      for (const { source, stored: n, duplicate } of report.sources) {
        const key = source.split('!')[0]!;
        stored.set(key, (stored.get(key) ?? 0) + n + duplicate);
      }
      expect(stored.get(files.at(-1)![0]), 'the whole file').toBe(file.records);
      for (const [prefix] of files)
        expect(stored.get(prefix)!, prefix).toBeLessThanOrEqual(file.records);
      if (name === 'a.pcap') {
        // Three bytes are not yet a magic number: they may be text.
        for (const [prefix, bytes] of files.slice(4)) {
          const whole = Math.max(0, Math.floor((bytes.length - PCAP_HEADER) / PCAP_RECORD));
          expect(stored.get(prefix), prefix).toBe(whole);
        }
      }
    });
  },
);

it('bit flips with a fixed seed: the import ends and the ledger adds up', async () => {
  let state = 20261121;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const files: [string, Uint8Array][] = [];
  for (const { name, bytes } of smallEvidence()) {
    for (let round = 0; round < 20; round++) {
      const flipped = Buffer.from(bytes);
      for (let flips = 1 + random(4); flips > 0; flips--) {
        const bit = random(flipped.length * 8);
        flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7));
      }
      files.push([`${name}-${String(round).padStart(2, '0')}`, flipped]);
    }
  }
  await importAll('flips', files);
});
