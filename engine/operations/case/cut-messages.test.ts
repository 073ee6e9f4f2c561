/**
 * Messages that are stored as shapes and variables are reproduced exactly: after an import, merging, retiming,
 * deleting.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { retimeSources } from './retime.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { compactAll } from '../../ingest/compaction/compact.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';

const ROWS = 3000;
/** By file: the message of a row. */
const FILES: Readonly<Record<string, (i: number) => string>> = {
  'a-templates.log': (i) =>
    [
      `Failed password for user${i % 70} from 10.${i % 3}.0.${i % 250} port ${i * 20} ssh2`,
      `(root) CMD (it's "quoted" \\ %s {} ${i % 2})`,
      `key SHA256:${(i * 7919).toString(36)} für Bénédicte${i % 9} 日本 code ${String(i).padStart(6, '0')}`,
      `session ${i % 5} closed`,
    ][i % 4]!,
  'b-more.log': (i) =>
    i % 2 === 0
      ? `Failed password for user${i * 90_000} from 10.${i % 3}.0.${i % 250} port ${i * 20} ssh2`
      : `another ${i} of ${ROWS}: ${4_294_967_290 + i}`,
  'c-whole.log': (i) => `${'-'.repeat(1 + (i % 1999))}${i}`,
};

let folder: string;
let path: string;
const lines = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-cut-'));
  path = join(folder, 'x.daybook');
  const evidence = join(folder, 'evidence');
  mkdirSync(evidence);
  let source = 0;
  for (const [name, message] of Object.entries(FILES)) {
    source += 1;
    let text = '';
    for (let i = 0; i < ROWS; i++) {
      const time = new Date(Date.UTC(2026, 9, 5, 12) + i * 1000);
      const stamp = `Oct  5 ${time.toISOString().slice(11, 19)}`;
      lines.set(`${source}:${i + 1}`, `app: ${message(i)}`);
      text += `${stamp} web01 app: ${message(i)}\n`;
    }
    writeFileSync(join(evidence, name), text);
  }
  // One file to a segment.
  await importInProcess(path, [evidence], { workers: 1, chunk: { rows: ROWS - 1 } });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Messages by event, as a query sees them; and the number of shapes of each segment. */
async function messages(): Promise<{ read: Map<string, string>; shapes: number[] }> {
  const writer = await CaseWriter.open(path, 'test', BUILDER);
  const read = new Map<string, string>();
  try {
    const segments = writer.catalog.segments.all();
    for (const segment of segments) {
      const name = await writer.attach(segment);
      const rows = await writer.builder.rows(
        `SELECT source_id::INTEGER, seq::INTEGER, message FROM ${name}.events WHERE rowid >= 0`,
      );
      for (const [source, seq, message] of rows) {
        read.set(`${Number(source)}:${Number(seq)}`, String(message));
      }
    }
    return { read, shapes: segments.map(({ shapes }) => shapes) };
  } finally {
    writer.close();
  }
}

/** The first events that differ from `lines`. */
function differences(read: ReadonlyMap<string, string>): unknown[] {
  return [...new Set([...lines.keys(), ...read.keys()])]
    .filter((event) => lines.get(event) !== read.get(event))
    .map((event) => ({ event, want: lines.get(event), got: read.get(event) }))
    .slice(0, 5);
}

it('after an import, of segments whose messages are cut and others', async () => {
  const { read, shapes } = await messages();
  expect(differences(read)).toEqual([]);
  expect(shapes.filter((n) => n > 0).length).toBeGreaterThanOrEqual(2);
});

it('when segments are merged, which stay cut, and events are deleted', async () => {
  const writer = await CaseWriter.open(path, 'test', BUILDER);
  try {
    const [first] = writer.catalog.segments.all();
    const name = await writer.attach(first!);
    const rows = await writer.builder.rows(
      `SELECT source_id::INTEGER, seq::INTEGER FROM ${name}.events WHERE rowid IN (5, 6, 1700)`,
    );
    for (const [source, seq] of rows) lines.delete(`${Number(source)}:${Number(seq)}`);
    writer.catalog.marks.set(first!.id, 0, Uint32Array.of(5, 6, 1700));
    const before = writer.catalog.segments.all().length;
    const { after } = await compactAll(writer);
    expect([before > 1, after]).toEqual([true, 1]);
  } finally {
    writer.close();
  }
  const { read, shapes } = await messages();
  expect(differences(read)).toEqual([]);
  expect(shapes[0]).toBeGreaterThan(5);
});

it('when the times of a source change', async () => {
  await retimeSources({
    ...{ folder: path, sources: ['2'], timeZone: 'Asia/Tokyo', year: undefined, builder: BUILDER },
  });
  const { read, shapes } = await messages();
  expect(differences(read)).toEqual([]);
  expect(shapes[0]).toBeGreaterThan(5);
});
