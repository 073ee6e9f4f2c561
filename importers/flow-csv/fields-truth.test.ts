/**
 * Columns of real JSON and tables against the results of other parsers for the same lines: a column may be absent,
 * but a present one must be right.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { collect, inputOf, type CollectedRow } from '../shared/testing/collect.ts';
import { importers } from '../registry.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const DATA = path.join(SHARED, 'data2');
const TRUTH = path.join(DATA, 'fields-truth');

interface TruthLine {
  readonly path: string;
  readonly line?: number;
  readonly record?: number;
  readonly fields?: Readonly<Record<string, unknown>>;
}

function truths(): Map<string, TruthLine[]> {
  const byPath = new Map<string, TruthLine[]>();
  for (const file of readdirSync(TRUTH)) {
    for (const line of readFileSync(path.join(TRUTH, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const truth = JSON.parse(line) as TruthLine;
      byPath.set(truth.path, [...(byPath.get(truth.path) ?? []), truth]);
    }
  }
  return byPath;
}

const dotted = (ip: number): string =>
  [ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255].join('.');

/** An IPv4 address in an IPv6 one is that address; all others are compared as 32 hex digits. */
function addressOf(row: CollectedRow, side: 'src' | 'dst'): string | undefined {
  const four = row[`${side}_ip4`];
  if (typeof four === 'number') return dotted(four);
  const six = row[`${side}_ip6`];
  if (typeof six !== 'string') return undefined;
  return six.startsWith('00000000000000000000ffff') ? dotted(parseInt(six.slice(24), 16)) : six;
}

function hexOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.replace(/%.*/, '').split('::');
  const words = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [words(head), words(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .map((word) => word.padStart(4, '0'))
    .join('')
    .toLowerCase();
}

/** States two times, `CreationDate` with a zone and another within a cell, two hours apart. */
const CONTRADICTS_ITSELF = 'cloud/o365/auditrecords-first600.csv';

/** Says that the instance began the connection; the truth takes the other side for the source. */
const BEGUN_INSIDE = /"connectionDirection": ?"OUTBOUND"/;

const OPEN_BRACE = 123;
/** Differences of less than a second are roundings of the other parsers. */
const SECOND = 1_000_000;

it.skipIf(!existsSync(TRUTH))('columns of JSON and tables agree with other parsers', async () => {
  const wrong: Record<string, number> = { src_ip: 0, dst_ip: 0, src_port: 0, dst_port: 0, ts: 0 };
  const right = { ...wrong };
  for (const [name, lines] of truths()) {
    if (name === CONTRADICTS_ITSELF) continue;
    const bytes = readFileSync(path.join(DATA, name));
    const head = bytes.subarray(0, 65_536);
    const hint = { name: 'x', complete: head.length === bytes.length };
    const [best] = importers
      .map((importer) => ({ importer, sniffed: importer.sniff(head, hint) }))
      .toSorted((a, b) => (b.sniffed?.score ?? 0) - (a.sniffed?.score ?? 0));
    if (best?.importer.id !== 'flow-csv' || best.sniffed === undefined) continue;
    const { rows } = await collect(best.importer, inputOf(bytes), { format: best.sniffed.format });
    const starts = [0];
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
    const bySeq = new Map(rows.map((row) => [Number(row['seq']), row]));
    const byOffset = new Map(rows.map((row) => [Number(row['offset']), row]));
    for (const { line, record, fields } of lines) {
      if (fields === undefined) continue;
      const row = record === undefined ? byOffset.get(starts[line! - 1]!) : bySeq.get(record);
      if (row === undefined) continue;
      const start = Number(row['offset']);
      if (BEGUN_INSIDE.test(bytes.toString('latin1', start, start + Number(row['length']))))
        continue;
      // Lines of a log among records have no columns.
      if (best.sniffed.format === 'json-lines' && bytes[Number(row['offset'])] !== OPEN_BRACE)
        continue;
      const compare = (field: string, got: unknown, agrees: (want: string) => boolean): void => {
        const want = fields[field];
        if (want === undefined || got === undefined || Array.isArray(want)) return;
        (agrees(String(want)) ? right : wrong)[field]! += 1;
      };
      for (const side of ['src', 'dst'] as const) {
        const got = addressOf(row, side);
        compare(`${side}_ip`, got, (want) => got === hexOf(want));
        const port = row[`${side}_port`];
        compare(`${side}_port`, port, (want) => port === Number(want));
      }
      // The time of a flow is its start; other parsers use that of its record.
      const states = fields['tz_assumed'] === undefined && fields['ts_note'] === undefined;
      if (!states || row.kind === 'flow' || !Number.isFinite(Date.parse(String(fields['ts']))))
        continue;
      const ts = row['ts'];
      compare('ts', ts, (want) => Math.abs(Number(ts) - Date.parse(want) * 1000) < SECOND);
    }
  }
  // A load balancer may state two servers, and a sensor an attempt without its direction.
  for (const field of ['dst_ip', 'src_port', 'dst_port'])
    expect(wrong[field]).toBeLessThanOrEqual(2);
  // A caller may state two addresses, and other parsers choose another of several times for the event.
  expect(wrong['src_ip']).toBeLessThanOrEqual(7);
  expect(wrong['ts']).toBeLessThanOrEqual(176);
  expect(right['src_ip']).toBeGreaterThanOrEqual(1_985);
  expect(right['dst_ip']).toBeGreaterThanOrEqual(645);
  expect(right['ts']).toBeGreaterThanOrEqual(7_139);
});
