/** Events of Daybook's importer for a capture, for comparisons with other readers of captures. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { collect, type CollectedRow, inputOf } from '../importers/shared/testing/collect.ts';
import { pcapImporter } from '../importers/pcap/index.ts';

export interface CaptureEvent {
  readonly row: CollectedRow;
  /** In the form that `between` returns. */
  readonly ends: string;
}

/** The folder of other readers' results; if it is missing, says so and returns undefined. */
export function protocolTruth(shared: string | undefined): string | undefined {
  const folder = path.join(shared ?? '', 'data2/proto-truth');
  if (shared !== undefined && existsSync(folder)) return folder;
  console.log('skipped: DAYBOOK_SHARED names no folder that has data2/proto-truth');
  return undefined;
}

/** Events of protocols in a capture of the shared evidence. */
export async function captureEvents(shared: string, capture: string): Promise<CaptureEvent[]> {
  const root = capture.startsWith('pcap/') ? 'data' : 'data2';
  const stored = readFileSync(path.join(shared, root, capture));
  const bytes = capture.endsWith('.gz') ? gunzipSync(stored) : stored;
  const { rows } = await collect(pcapImporter, inputOf(bytes), {
    ...{ protocols: true, packets: false },
  });
  return rows
    .filter(({ kind }) => kind !== 'flow')
    .map((row) => ({
      row,
      ends: between(
        `${addressOf(row, 'src')}:${String(row['src_port'])}`,
        `${addressOf(row, 'dst')}:${String(row['dst_port'])}`,
      ),
    }));
}

/** Both ends of a connection, whichever sends. */
export function between(...ends: readonly string[]): string {
  return ends.toSorted().join(' ');
}

function addressOf(row: CollectedRow, side: 'src' | 'dst'): string {
  const four = row[`${side}_ip4`];
  if (typeof four === 'number') return [24, 16, 8, 0].map((by) => (four >>> by) & 255).join('.');
  const six = String(row[`${side}_ip6`]).match(/.{4}/g)?.join(':') ?? '';
  return URL.canParse(`http://[${six}]/`) ? new URL(`http://[${six}]/`).hostname.slice(1, -1) : six;
}

/** Values of an attribute or a column; those of a list one by one. */
export function valuesOf(row: CollectedRow, name: string): readonly unknown[] {
  const value = row.attrs[name] ?? row[name];
  return typeof value === 'string' && value.startsWith('["')
    ? (JSON.parse(value) as unknown[])
    : [value];
}
