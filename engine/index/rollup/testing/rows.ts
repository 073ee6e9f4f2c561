/** Rows of evidence as plain objects, and as an importer hands them over; for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ColumnName, Kind } from '../../../contract/event.ts';
import type { IndexRows, Ip6Rows, NumberRows, TextRows } from '../../rows.ts';
import { type Section, SideFile, writeSideFile } from '../../side-file.ts';
import { ColumnIndexBuilder } from '../column-index-builder.ts';

const NUMBERS = [
  'ts',
  'src_ip4',
  'dst_ip4',
  'src_port',
  'dst_port',
  'proto',
  'source_id',
  'facility',
  'severity',
  'flow_id',
  'bytes',
  'bytes_rev',
  'packets',
  'packets_rev',
] as const satisfies readonly ColumnName[];
const TEXTS = ['host', 'program', 'event_type', 'service', 'conn_state', 'a:role'] as const;
const ADDRESSES = ['src_ip6', 'dst_ip6'] as const;

/** A missing value is not in the object. IPv6 addresses are 16 bytes in hexadecimal. */
export type TestRow = Partial<
  Record<(typeof NUMBERS)[number], number> &
    Record<(typeof TEXTS)[number] | (typeof ADDRESSES)[number], string>
>;

/** As one batch. Columns that no row has are missing. */
function indexRows(kind: Kind, rows: readonly TestRow[]): IndexRows {
  const numbers = new Map<ColumnName, NumberRows>();
  for (const name of NUMBERS) {
    if (rows.every((row) => row[name] === undefined)) continue;
    const present = presence(rows, name);
    numbers.set(name, {
      values: Float64Array.from(rows, (row) => row[name] ?? 0),
      present: present.includes(0) ? present : undefined,
    });
  }
  const texts = new Map<string, TextRows>();
  for (const name of TEXTS) {
    if (rows.every((row) => row[name] === undefined)) continue;
    const starts = new Uint32Array(rows.length);
    const parts: Buffer[] = [];
    let at = 0;
    rows.forEach((row, i) => {
      const bytes = Buffer.from(row[name] ?? '');
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      starts[i] = at;
      parts.push(length, bytes);
      at += 4 + bytes.length;
    });
    texts.set(name, { data: Buffer.concat(parts), starts, present: presence(rows, name) });
  }
  const ip6 = new Map<'src_ip6' | 'dst_ip6', Ip6Rows>();
  for (const name of ADDRESSES) {
    if (rows.every((row) => row[name] === undefined)) continue;
    const values = Buffer.concat(
      rows.map((row) => Buffer.from(row[name] ?? '0'.repeat(32), 'hex')),
    );
    ip6.set(name, { values, present: presence(rows, name) });
  }
  return { kind, length: rows.length, texts, numbers, ip6 };
}

function presence(rows: readonly TestRow[], name: keyof TestRow): Uint8Array {
  return Uint8Array.from(rows, (row) => (row[name] === undefined ? 0 : 1));
}

/** Sections of rows that came in this order, in batches of `batch`, and are in that of their times. */
export function sectionsOf(kind: Kind, came: readonly TestRow[], batch: number): Section[] {
  const builder = new ColumnIndexBuilder(kind);
  for (let at = 0; at < came.length; at += batch)
    builder.add(indexRows(kind, came.slice(at, at + batch)));
  const order = segmentOrder(came);
  return builder.finish(order.every((row, i) => row === i) ? undefined : order, new Set());
}

/** Dated rows by time, then the others; equal ones as they came. */
function segmentOrder(came: readonly TestRow[]): Uint32Array {
  const time = (row: number): number => came[row]!.ts ?? Infinity;
  const rows = came.map((_, row) => row);
  return Uint32Array.from(
    rows.sort((a, b) => (time(a) === time(b) ? a - b : time(a) < time(b) ? -1 : 1)),
  );
}

export function inSegmentOrder(came: readonly TestRow[]): TestRow[] {
  return Array.from(segmentOrder(came), (row) => came[row]!);
}

/** Runs `use` with a side file of these sections in a folder that is removed afterwards. */
export function withSideFile<T>(
  rows: number,
  sections: readonly Section[],
  use: (file: SideFile) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-index-'));
  try {
    const path = join(folder, 'days.idx');
    writeSideFile(path, rows, sections);
    const file = SideFile.open(path);
    if (file === undefined) throw new Error('the side file that was just written is not there');
    try {
      return use(file);
    } finally {
      file.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
