/**
 * Every event log of the shared evidence against another reader (the Rust crate `evtx`): the number of records, and
 * every value of some records of each log.
 *
 * Unlisted differences fail, and so do listed ones that do not occur; docs/importers/evtx.md lists them, too.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { collect, inputOf, type CollectedRow } from '../shared/testing/collect.ts';
import { evtxImporter } from './index.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const DATA = path.join(SHARED, 'data2');
const TRUTH = path.join(DATA, 'evtx-truth.tsv');

/** Damaged logs, by the end of their path: number of records that we read, if the other reader's differs. */
const RECORDS: Readonly<Record<string, number>> = {
  // It drops the rest of a chunk after a record that it cannot read.
  'evtx-rs/2-vss_0-Microsoft-Windows-RemoteDesktopServices-RdpCoreTS%4Operational.evtx': 1950,
  'evtx-rs/sample_with_a_bad_chunk_magic.evtx': 298,
  // Its chunk fails its checksum, and the two sizes of its last record differ: that one is quarantined.
  'evtx-rs/Microsoft-Windows-LanguagePackSetup%4Operational.evtx': 16,
};

/** Two members of one name: we have both values, the other reader's JSON has the second under another name. */
const TWICE = 'evtx-rs/Security_with_size_t.evtx: LogonGuid';

type Json = Readonly<Record<string, unknown>>;

/** Our names for the members of `System`. */
const SYSTEM: Readonly<Record<string, string>> = {
  ...{ 'Provider@Name': 'program', 'Provider@Guid': 'Provider_Guid', Computer: 'host' },
  ...{ 'Provider@EventSourceName': 'Provider_EventSourceName', 'EventID@Qualifiers': 'Qualifiers' },
  ...{ 'Correlation@ActivityID': 'Correlation_ActivityID', 'Execution@ProcessID': 'pid' },
  ...{ 'Correlation@RelatedActivityID': 'Correlation_RelatedActivityID' },
  ...{ 'Execution@ThreadID': 'Execution_ThreadID', 'Security@UserID': 'Security_UserID' },
};

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Members and attributes of an element of the other reader's JSON: names and values. */
function* members(element: unknown): Generator<[string, unknown]> {
  if (!isObject(element)) return;
  for (const [name, value] of Object.entries(element)) {
    if (name === '#attributes' || !isObject(value)) {
      if (name !== '#attributes') yield [name, value];
      continue;
    }
    if ('#text' in value) yield [name, value['#text']];
    const attributes = value['#attributes'];
    if (isObject(attributes))
      for (const [key, given] of Object.entries(attributes)) yield [`${name}@${key}`, given];
  }
}

/** `"18446744073709551615"` equals 2^64 in its JSON; times to 100 ns equal those to 1 µs. */
function isSame(theirs: unknown, ours: unknown): boolean {
  const text = Array.isArray(theirs) ? JSON.stringify(theirs.map(String)) : String(theirs ?? '');
  const own = String(ours ?? '');
  if (text === own || (typeof theirs === 'number' && Number(own) === theirs)) return true;
  if (Array.isArray(theirs)) return theirs.every((one) => one === null || one === '') && own === '';
  const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
  return isTime.test(text) && isTime.test(own) && Math.abs(micros(text) - micros(own)) <= 1;
}

function micros(text: string): number {
  const fraction = /\.(\d+)Z/.exec(text)?.[1] ?? '';
  return Date.parse(text.replace(/\.\d+/, '')) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function ours(row: CollectedRow, name: string): unknown {
  const key = SYSTEM[name] ?? name;
  if (key === 'program' || key === 'host' || key === 'pid') return row[key];
  return row.attrs[`EventData.${key}`] ?? row.attrs[key];
}

function timeOf(row: CollectedRow): string {
  const ts = Number(row['ts']);
  const tenths = Number(row['ts_ns'] ?? 0) / 100;
  const fraction = `${String(ts % 1e6).padStart(6, '0')}${tenths}`;
  return `${new Date(ts / 1000).toISOString().slice(0, -5)}.${fraction}Z`;
}

it.skipIf(!existsSync(TRUTH))(
  existsSync(TRUTH) ? 'reads what another reader reads' : 'skipped: no shared evidence',
  { timeout: 300_000 },
  async () => {
    const [head = '', ...lines] = readFileSync(TRUTH, 'utf8').trim().split('\n');
    const at = head.split('\t').indexOf('records');
    const differences: string[] = [];
    let compared = 0;
    for (const line of lines) {
      const cells = line.split('\t');
      const name = cells[0]!;
      const { rows } = await collect(evtxImporter, inputOf(readFileSync(path.join(DATA, name))));
      const listed = Object.entries(RECORDS).find(([end]) => name.endsWith(end))?.[1];
      if (rows.length !== (listed ?? Number(cells[at])))
        differences.push(`${name}: ${rows.length} records, not ${cells[at]!}`);
      const file = path.join(DATA, 'evtx-records', `${name.replace(/^windows\//, '')}.jsonl`);
      if (listed !== undefined || !existsSync(file)) continue;
      const byId = new Map(
        rows.map((row) => [`${row.attrs['Channel']} ${row.attrs['EventRecordID']}`, row]),
      );
      for (const text of readFileSync(file, 'utf8').trim().split('\n')) {
        const record = (JSON.parse(text) as Json)['record'];
        const event = isObject(record) ? record['Event'] : undefined;
        if (!isObject(event)) continue;
        const system = new Map(members(event['System']));
        const row = byId.get(
          `${String(system.get('Channel'))} ${String(system.get('EventRecordID'))}`,
        );
        if (row === undefined) {
          differences.push(`${name}: record ${String(system.get('EventRecordID'))} is missing`);
          continue;
        }
        for (const [key, value] of [...system, ...members(event['EventData'])]) {
          const own = key === 'TimeCreated@SystemTime' ? timeOf(row) : ours(row, key);
          compared += 1;
          if (!isSame(value, own) && !`${name}: ${key}`.endsWith(TWICE))
            differences.push(`${name}: ${key}: ${JSON.stringify([value, own])}`);
        }
      }
    }
    expect(differences.slice(0, 20)).toEqual([]);
    expect(compared).toBeGreaterThan(20_000);
  },
);
