/**
 * `npm run fields-truth`: fields of log lines against those that other parsers found in the same lines
 * ($DAYBOOK_SHARED/data2/fields-truth). Prints, for each folder and over all, how many values are right, wrong or missing.
 * Text that another parser derived, and lines that are no event of ours, are left out or count as missing; values of
 * the truth that contradict another truth are counted apart (fields-truth-doubts.ts).
 * `--wrong GROUP`, `--missing GROUP` and `--doubtful GROUP` print the values of a group (`device`,
 * `device/sekoia/Cisco`, `all`) one by one, with their lines; `--only PATH` reads evidence of paths that begin so; `--rates FILE` writes the rates by format,
 * engine/fields/rates.json, from which docs/fields.md is made.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { shippedCutter } from '../engine/fields/cutting/extractors.ts';
import { DOUBTS, doubtOf } from './fields-truth-doubts.ts';
import { EventBatch } from '../engine/columns/event-batch.ts';
import type { Kind } from '../engine/contract/event.ts';
import {
  DEFAULT_OPTIONS,
  type CollectedRow,
  inputOf,
  rowOf,
} from '../importers/shared/testing/collect.ts';
import { importers } from '../importers/registry.ts';

const USAGE = `Usage: npm run fields-truth -- [--wrong GROUP] [--missing GROUP] [--doubtful GROUP] [--only PATH] [--rates FILE]

Compares fields of log lines with those of other parsers ($DAYBOOK_SHARED/data2/fields-truth).

  --wrong GROUP    print values that differ, with their lines: all, device, device/sekoia/Cisco
  --missing GROUP  print values that were not found
  --doubtful GROUP print values that differ from a truth that is doubtful, with the numbers of their kinds
  --only PATH      read evidence of paths that begin so
  --rates FILE     write the rates by format (engine/fields/rates.json)`;

/** The truth's names, and ours. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ src_ip: 'src_ip', dst_ip: 'dst_ip', src_port: 'src_port', dst_port: 'dst_port' },
  ...{ user: 'user', url: 'url', http_status: 'http_status', http_method: 'http_method' },
  ...{ host: 'host', event_code: 'event_code' },
};

interface Truth {
  readonly path: string;
  readonly line?: number;
  /** Of an object that is a list of records. */
  readonly record?: number;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly not_verbatim?: readonly string[];
}
interface Count {
  right: number;
  wrong: number;
  missing: number;
  /** Differs from the truth, which is doubtful itself (fields-truth-doubts.ts). */
  doubtful: number;
}

/** IPv6 as 32 hex digits, IPv4 within it as IPv4; everything else in lower case. */
function normal(value: unknown): string {
  const text = String(value)
    .trim()
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, '');
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/.test(text) || !URL.canParse(`http://[${text}]/`)) return text;
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const words = (part: string | undefined): string[] => (part ? part.split(':') : []);
  const after = words(tail);
  const before = words(head);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((word) => word.padStart(4, '0')).join('');
}

/** Folder and product, whoever made the truth: `device/cisco-ios`. */
function formatOf(name: string): string {
  const [folder = '', origin = '', product = '', file = ''] = name.split('/');
  const isProduct = origin === 'elastic' || origin === 'beats';
  const origins = isProduct ? product : origin === 'sekoia' ? path.parse(file).name : origin;
  return `${folder}/${origins.toLowerCase().replaceAll('_', '-')}`;
}

/** Of several values in a line, another parser may have all. */
function isEqual(found: unknown, value: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.some((one) => normal(one) === normal(found));
}

function ours(row: CollectedRow, name: string): unknown {
  if (name !== 'src_ip' && name !== 'dst_ip') return row[name] ?? row.attrs[name];
  const four = row[`${name}4`];
  if (typeof four !== 'number') return row[`${name}6`];
  return [24, 16, 8, 0].map((shift) => (four >>> shift) & 255).join('.');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

async function rowsOf(bytes: Buffer): Promise<CollectedRow[]> {
  const hint = { name: 'x', complete: bytes.length <= 65_536 };
  const [best] = importers
    .map((importer) => ({ importer, sniffed: importer.sniff(bytes.subarray(0, 65_536), hint) }))
    .toSorted((a, b) => (b.sniffed?.score ?? 0) - (a.sniffed?.score ?? 0));
  if (best?.sniffed === undefined) return [];
  const rows: CollectedRow[] = [];
  const batches = new Map<Kind, EventBatch>();
  const take = (batch: EventBatch): void => {
    shippedCutter().cut(batch);
    for (let row = 0; row < batch.length; row++) rows.push(rowOf(batch, row));
    batch.clear();
  };
  const nothing = (): undefined => undefined;
  const sink = {
    batch: (kind: Kind) => {
      const batch = batches.get(kind) ?? new EventBatch(kind, take, 1000);
      batches.set(kind, batch);
      return batch;
    },
    ...{ record: nothing, quarantine: nothing, skip: nothing, note: nothing },
    ...{ metadata: nothing, decide: nothing, drain: nothing },
  };
  const options = { ...DEFAULT_OPTIONS, format: best.sniffed.format };
  await best.importer.read(inputOf(bytes), sink, options);
  for (const batch of batches.values()) take(batch);
  return rows;
}

const { values: asked } = parseArgs({
  options: {
    wrong: { type: 'string' },
    missing: { type: 'string' },
    doubtful: { type: 'string' },
    only: { type: 'string', default: '' },
    rates: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
const isAsked = (verdict: keyof Count, group: string): boolean => {
  const name = verdict === 'right' ? undefined : asked[verdict];
  return name !== undefined && (name === 'all' || group === name || group.startsWith(`${name}/`));
};

const shared = process.env['DAYBOOK_SHARED'];
const data = shared === undefined ? undefined : path.join(shared, 'data2');
const folder = data === undefined ? undefined : path.join(data, 'fields-truth');
if (asked.help === true) console.log(USAGE);
else if (data === undefined || folder === undefined || !existsSync(folder)) {
  console.log('skipped: DAYBOOK_SHARED names no folder that has data2/fields-truth');
} else {
  const counts = new Map<string, Count>();
  const doubted = DOUBTS.map(() => 0);
  for (const file of readdirSync(folder)) {
    const lines = readFileSync(path.join(folder, file), 'utf8').split('\n').filter(Boolean);
    const truths = lines.map((line) => JSON.parse(line) as Truth);
    for (const [name, truthsOfFile] of Map.groupBy(truths, (one) => one.path)) {
      if (!name.startsWith(asked.only)) continue;
      const stored = readFileSync(path.join(data, name));
      const bytes = name.endsWith('.gz') ? gunzipSync(stored) : stored;
      const starts = [0];
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
      const rows = await rowsOf(bytes);
      const byStart = new Map(rows.map((row) => [Number(row['offset']), row]));
      const bySeq = new Map(rows.map((row) => [Number(row['seq']), row]));
      const group = name.split('/').slice(0, 3).join('/');
      for (const {
        line: stated,
        record,
        fields = {},
        not_verbatim: derived = [],
      } of truthsOfFile) {
        const line = stated ?? 1;
        const row = record === undefined ? byStart.get(starts[line - 1] ?? -1) : bySeq.get(record);
        for (const [field, mine] of Object.entries(NAMES)) {
          const value = fields[field];
          if (value === undefined || value === '-' || value === '' || derived.includes(field))
            continue;
          const found = row === undefined ? undefined : ours(row, mine);
          const start = starts[line - 1] ?? 0;
          const text = bytes.toString('utf8', start, starts[line] ?? bytes.length).trimEnd();
          const plain = found === undefined ? 'missing' : isEqual(found, value) ? 'right' : 'wrong';
          const doubt =
            plain === 'right'
              ? -1
              : doubtOf({
                  ...{ path: name, field, value: textOf(value) ?? '', line: text },
                  found: (other) => textOf(row === undefined ? undefined : ours(row, other)),
                });
          if (doubt >= 0) doubted[doubt] = (doubted[doubt] ?? 0) + 1;
          const verdict = doubt < 0 ? plain : 'doubtful';
          if (isAsked(verdict, group)) {
            const not = row === undefined ? 'no event' : `found ${JSON.stringify(found)}`;
            const kind = doubt < 0 ? '' : ` (kind ${doubt})`;
            console.log(
              `${verdict}${kind} ${name}:${record ?? line} ${field} ${JSON.stringify(value)}, ${not}`,
            );
            console.log(`  ${JSON.stringify([row?.['program'], row?.['extractor']])} ${text}`);
          }
          for (const key of [
            group,
            `format ${formatOf(name)}`,
            'all',
            `all ${file.slice(0, -6)}`,
            `field ${field}`,
          ]) {
            const count = counts.get(key) ?? { right: 0, wrong: 0, missing: 0, doubtful: 0 };
            counts.set(key, count);
            count[verdict] += 1;
          }
        }
      }
    }
  }
  if (asked.rates !== undefined) {
    const formats = [...counts].flatMap(([key, { right, wrong, missing, doubtful }]) => {
      const [of, format] = key.startsWith('format ') ? key.slice(7).split('/') : [];
      if (of === undefined || format === undefined) return [];
      const values = right + wrong + missing + doubtful;
      return { folder: of, format, values, right, wrong, doubtful };
    });
    formats.sort((x, y) => (x.folder + x.format < y.folder + y.format ? -1 : 1));
    const doubts = DOUBTS.map(({ why }, i) => ({ why, values: doubted[i] ?? 0 }));
    writeFileSync(asked.rates, `${JSON.stringify({ formats, doubts }, null, 2)}\n`);
  }
  const percent = (part: number, of: number): string => `${((part / of) * 100).toFixed(1)} %`;
  for (const [key, { right, wrong, missing, doubtful }] of [...counts].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    if (key.startsWith('format ')) continue;
    const all = right + wrong + missing + doubtful;
    const parts = Object.entries({ right, wrong, missing, doubtful });
    const rates = parts.map(([name, part]) => `${name} ${percent(part, all)}`).join('  ');
    console.log(`${key.padEnd(52)} ${String(all).padStart(6)}  ${rates}`);
  }
}
