/**
 * Real files against ground truth: rows, sums of bytes and packets, first and last times. The sums
 * are computed here a second time, by plain splitting and JSON.parse.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect, inputOf, type Collected } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const DATA = process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const TRUTH = path.join(DATA, 'data/flows-truth.tsv');
const present = existsSync(TRUTH);

/** Damaged rows in the evidence: a row of 23 cells, its TABs gone, in a log of 26 columns. */
const DAMAGED: Readonly<Record<string, readonly string[]>> = {
  'flows/slips/test10-mixed-zeek-dir/notice.log': ['row has fewer cells than there are columns'],
};

interface Truth {
  readonly path: string;
  readonly format: string;
  readonly rows: number;
  readonly minStart: string;
  readonly maxStart: string;
  readonly sumBytes: string;
}

/** Formats that are not flow tables, and why. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  'nfdump-binary': 'binary',
  'tshark-conversations-text': 'a report for people',
};

const FORMATS: Readonly<Record<string, RegExp>> = {
  binetflow: /^argus$/,
  'zeek-tsv': /^zeek-tsv$/,
  'zeek-json': /^zeek-json$/,
  'json-lines': /^(?:zeek-json|json-lines)$/,
  'json-array': /^nfdump-json$/,
  'nfdump-text': /^nfdump-text$/,
  'nfdump-csv': /^nfdump-csv$/,
  'cicflowmeter-csv': /^cicflowmeter$/,
  'aws-vpc-flow': /^aws-vpc-flow$/,
};

function truths(): Truth[] {
  const [, ...lines] = readFileSync(TRUTH, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const cells = line.split('\t');
    return {
      path: cells[0]!,
      format: cells[2]!,
      rows: Number(cells[3]),
      minStart: cells[7] ?? '',
      maxStart: cells[8] ?? '',
      sumBytes: cells[11] ?? '',
    };
  });
}

interface Sums {
  bytes: number;
  packets: number;
}

const number = (cell: unknown): number => {
  const value = Number(cell ?? 0);
  return Number.isFinite(value) ? value : 0;
};

/** Sums over rows given as records by column name, with the names of all columns that count. */
function sumOf(rows: Record<string, unknown>[], bytes: string[], packets: string[]): Sums {
  const sums = { bytes: 0, packets: 0 };
  for (const row of rows) {
    for (const name of bytes) sums.bytes += number(row[name]);
    for (const name of packets) sums.packets += number(row[name]);
  }
  return sums;
}

/** `1.8 M` and the like. */
function scaled(value: string, unit: string | undefined): number {
  const factors: Record<string, number> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  return Math.round(Number(value) * (unit === undefined ? 1 : factors[unit]!));
}

function independentSums(truth: Truth, text: string): Sums | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const table = (header: string[], rows: string[], delimiter: string) =>
    rows.map((row) => {
      const cells = row.split(delimiter);
      return Object.fromEntries(header.map((name, i) => [name, cells[i]?.trim()]));
    });
  switch (truth.format) {
    case 'binetflow':
      return sumOf(table(lines[0]!.split(','), lines.slice(1), ','), ['TotBytes'], ['TotPkts']);
    case 'cicflowmeter-csv':
      return sumOf(
        table(lines[0]!.split(','), lines.slice(1), ','),
        ['totlen_fwd_pkts', 'totlen_bwd_pkts'],
        ['tot_fwd_pkts', 'tot_bwd_pkts'],
      );
    case 'nfdump-csv': {
      const end = lines.indexOf('Summary');
      const rows = table(lines[0]!.split(','), lines.slice(1, end), ',');
      return sumOf(rows, ['ibyt', 'obyt'], ['ipkt', 'opkt']);
    }
    case 'nfdump-text': {
      const sums = { bytes: 0, packets: 0 };
      for (const line of lines.slice(
        1,
        lines.findIndex((each) => each.startsWith('Summary')),
      )) {
        if (line.includes(',')) {
          const cells = line.split(',');
          sums.packets += Number(cells[5]);
          sums.bytes += Number(cells[6]);
          continue;
        }
        const both = lines[0]!.includes('Out Pkt');
        const tail = both
          ? /\s(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+\s*$/.exec(line)
          : /\s([\d.]+)(?: ([KMGT]))?\s+([\d.]+)(?: ([KMGT]))?\s+\d+\s*$/.exec(line);
        if (tail === null) return undefined;
        if (both) {
          sums.packets += Number(tail[1]) + Number(tail[2]);
          sums.bytes += Number(tail[3]) + Number(tail[4]);
        } else {
          sums.packets += scaled(tail[1]!, tail[2]);
          sums.bytes += scaled(tail[3]!, tail[4]);
        }
      }
      return sums;
    }
    case 'json-array': {
      const rows = JSON.parse(text) as Record<string, unknown>[];
      return sumOf(rows, ['in_bytes', 'out_bytes'], ['in_packets', 'out_packets']);
    }
    case 'zeek-json':
    case 'json-lines': {
      const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      if (!truth.path.includes('conn')) return { bytes: 0, packets: 0 };
      return sumOf(rows, ['orig_ip_bytes', 'resp_ip_bytes'], ['orig_pkts', 'resp_pkts']);
    }
    case 'aws-vpc-flow': {
      if (!lines[0]!.startsWith('version')) return undefined;
      return sumOf(table(lines[0]!.split(' '), lines.slice(1), ' '), ['bytes'], ['packets']);
    }
    case 'zeek-tsv': {
      const fields = lines.find((line) => line.startsWith('#fields'));
      const header = fields?.split('\t').slice(1) ?? [];
      if (!header.includes('conn_state')) return undefined;
      const rows = table(
        header,
        lines.filter((line) => !line.trimStart().startsWith('#')),
        '\t',
      );
      return sumOf(rows, ['orig_ip_bytes', 'resp_ip_bytes'], ['orig_pkts', 'resp_pkts']);
    }
    default: {
      const header = lines[1]!.split('\t');
      const rows = table(header, lines.slice(2), '\t');
      return sumOf(rows, ['orig_ip_bytes', 'resp_ip_bytes'], ['orig_pkts', 'resp_pkts']);
    }
  }
}

function storedSums(collected: Collected): Sums {
  const sums = { bytes: 0, packets: 0 };
  for (const row of collected.rows) {
    sums.bytes += number(row['bytes']) + number(row['bytes_rev']);
    sums.packets += number(row['packets']) + number(row['packets_rev']);
  }
  return sums;
}

/** Microseconds of a time in the truth: epoch seconds, or a local time read as UTC. */
function micros(stated: string): number {
  const epoch = /^(\d+)(?:\.(\d+))?$/.exec(stated);
  if (epoch !== null) return Number(epoch[1]) * 1e6 + Number((epoch[2] ?? '').padEnd(6, '0'));
  const [, base, fraction] = /^(.{19})(?:\.(\d+))?$/.exec(stated)!;
  const iso = `${base!.replaceAll('/', '-').replace(' ', 'T')}Z`;
  return Date.parse(iso) * 1000 + Number((fraction ?? '').padEnd(6, '0'));
}

describe.skipIf(!present)('flow files of the shared evidence', () => {
  const all = present ? truths() : [];
  it.each(all)('$path', async (truth) => {
    const bytes = new Uint8Array(readFileSync(path.join(DATA, 'data', truth.path)));
    const head = bytes.subarray(0, 65_536);
    const sniffed = flowCsvImporter.sniff(head, {
      name: 'evidence',
      complete: head.length === bytes.length,
    });
    if (UNSUPPORTED[truth.format] !== undefined) {
      expect(sniffed).toBeUndefined();
      return;
    }
    const expected = truth.format.startsWith('zeek-cut') ? /^zeek-cut$/ : FORMATS[truth.format]!;
    expect(sniffed?.format).toMatch(expected);
    expect(sniffed!.score).toBeGreaterThan(0.5);
    const collected = await collect(flowCsvImporter, inputOf(bytes), { format: sniffed!.format });
    const damaged = DAMAGED[truth.path] ?? [];
    expect(collected.quarantined.map(({ reason }) => reason)).toEqual(damaged);
    expect(collected.records).toBe(truth.rows - damaged.length);
    expect(collected.rows.length).toBe(collected.records);

    const text = new TextDecoder().decode(bytes);
    const independent = independentSums(truth, text);
    const stored = storedSums(collected);
    if (independent !== undefined) expect(stored).toEqual(independent);
    if (truth.sumBytes !== '') expect(stored.bytes).toBe(Number(truth.sumBytes));

    if (truth.minStart !== '') {
      const times = collected.rows.map((row) => row['ts'] as number);
      expect(Math.min(...times)).toBe(micros(truth.minStart));
      // The last row of the damaged log is the one that cannot be read.
      if (damaged.length === 0) expect(Math.max(...times)).toBe(micros(truth.maxStart));
    }
  });
});

it.skipIf(present)('is skipped: the shared evidence is not on this machine', () => {
  expect(present).toBe(false);
});
