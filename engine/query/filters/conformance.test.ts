/**
 * Every face of every filter operator, on the same rows: DuckDB's SQL defines the result, and the rows by a real
 * index, the columns of batches in memory, the conditions on rollups, the records as text and the description agree
 * with it. An operator without an entry fails.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatIp4, formatIp6, parseIp4, uuidToIp6 } from '../values/address.ts';
import { batchScope } from '../batch/batch-scope.ts';
import { Params } from '../dialect/duckdb.ts';
import { type MatchList, readList } from '../lists/match-list.ts';
import { conditionOf, restrictionsIn } from '../../search/access-paths/restrictions.ts';
import { countOf, sliceOf } from '../plan/known-rows/rows.ts';
import { type SegmentInfo, judgingScope, segmentScope } from '../plan/scope.ts';
import { batchesOf } from '../testing/batches.ts';
import { DAY1, DAY2, EVENTS } from '../testing/fixture.ts';
import { type IndexedSegment, indexBatch } from '../testing/segment-view.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';
import type { ArrivedFilter } from './arrived.ts';
import {
  FILTER_OPERATORS,
  type Filter,
  type LeafFilter,
  compileFilter,
  filterColumns,
  isLeaf,
  operatorOf,
} from './filter.ts';
import { keyColumn } from './list.ts';
import { UNFLOWED } from './unflowed.ts';

type Name = LeafFilter['filter'];

/** Queries whose conditions belong to an operator, or its filters. */
interface Entry {
  readonly queries?: readonly string[];
  readonly filters?: (test: TestCase) => readonly LeafFilter[];
  /** Whether its description, parsed again, gives another filter or none. */
  readonly isOneWay?: true;
  /** Whether it applies to stored events only: batches do not have it. */
  readonly isOfCase?: true;
}

const ENTRIES: Readonly<Record<Name, Entry>> = {
  address: {
    queries: [
      'src_ip:10.0.0.1',
      'src_ip:10.0.0.0/8',
      'ip:10.0.0.1',
      'ip:(10.0.0.1 OR 2001:db8::1)',
      'dst_ip:(10.0.0.1 OR 10.9.9.9)',
      'src_ip:>10.200.0.0',
      'ip:*.168.*.7',
      'ip:172.*.0.7',
      'src_ip:2001:db8::/32',
      'dst_ip:2001:db8::ff',
      'ip:[2001:db8::1 TO 2001:db8::f]',
      'src_ip:172.16.0.7',
      'dst_ip:1.2.3.4',
      'src_ip:private',
      'ip:public',
      'dst_ip:(multicast OR loopback OR linklocal)',
    ],
  },
  arrived: {
    filters: () => {
      const at = (sources: number, ...open: [number, number][]): ArrivedFilter['after'] => ({
        sources,
        open: open.map(([source, record]) => ({ source, record })),
      });
      return [
        { filter: 'arrived', after: at(0), until: at(9) },
        { filter: 'arrived', after: at(1), until: at(2, [2, 4]) },
        { filter: 'arrived', after: at(2, [2, 3]), until: at(3, [3, 2]) },
      ];
    },
    isOneWay: true,
    isOfCase: true,
  },
  'community-id': {
    queries: ['community_id:1:*=', 'community_id:1:A*', 'community_id:nothing'],
  },
  comparison: {
    queries: [
      'src_ip = dst_ip',
      'program = host',
      'user = host',
      'bytes >= packets',
      'src_port != dst_port',
      '* | where len(message) > 20',
      '* | where bytes > 2 * packets',
      '* | where src_ip/24 = dst_ip/24',
      '* | where lower(host) = lower(program) or hour(ts) >= 2',
      '* | where match(message, /job \\d/)',
      '* | where ts + 1m > "2026-11-20T01"',
    ],
    isOneWay: true,
  },
  day: {
    queries: [
      'day:2026-11-20',
      'day:2026-11-2*',
      'day:undated',
      'day:>=2026-11-21',
      'day:[2026-11-01 TO 2026-11-20]',
    ],
  },
  'event-id': { queries: ['event_id:1:2', 'event_id:3:f1', 'event_id:9:9'] },
  flow: {
    queries: [
      'flow:10.0.0.1:4444-10.9.9.9:443/tcp',
      'flow:10.9.9.9-10.0.0.1',
      'flow:*:22',
      'flow:*/udp',
      'flow:10.0.0.0/8:*-10.9.9.9',
      'flow:[2001:db8::1]:5353-*',
    ],
  },
  kind: { queries: ['kind:flow', 'kind:(log OR packet)', 'kind:*'] },
  list: {
    filters: ({ plan }) => [
      {
        filter: 'list',
        list: list('src_ip,dst_port\n10.0.0.1,443\n172.16.0.9,80\n', plan('*').resolve),
      },
      { filter: 'list', list: list('host\nweb01\nhost7\n', plan('*').resolve) },
      { filter: 'list', list: list('dst_ip\n10.0.0.0/8\n', plan('*').resolve) },
    ],
    isOneWay: true,
    isOfCase: true,
  },
  'list-text': {
    filters: ({ plan }) => [
      { filter: 'list-text', list: list('10.0.0.1\n172.16.5.5\n', plan('*').resolve) },
    ],
    isOneWay: true,
    isOfCase: true,
  },
  mac: {
    queries: [
      'src_mac:92:dd:ae:01:02:0f',
      'src_mac:92-DD-AE-01-02-0F',
      'src_mac:92dd.ae01.020f',
      'src_mac:92ddae01020f',
      'dst_mac:"92DDAE-01020F"',
      'src_mac:92-dd-ae*',
      'src_mac = 92dd.ae01.020f',
      'client_mac:92:dd:ae:1:2:f',
      'client_mac:92dd.ae*',
      'user:92-dd-ae-01-02-0f',
      'host:92-dd-ae-01-02-0f',
      'src_mac:00:00:00:00:00:01',
    ],
  },
  number: {
    queries: [
      'bytes:100',
      'bytes:>100',
      'bytes:<50',
      'bytes:[5 TO 100]',
      'bytes:{50 TO 100}',
      'port:(22 OR >5000)',
      'proto:udp',
      'severity:<=err',
      'status:>=300',
      'status:[200 TO 404]',
      'n:>11',
      'hour:22-2',
      'hour:1',
      'hour:>=2',
      'weekday:fri',
      'weekday:sat,sun',
      'weekday:fri-mon',
    ],
  },
  present: {
    queries: [
      'host:*',
      'src_ip:*',
      'user:*',
      'attributes:*',
      'flow:*',
      'ts:*',
      'community_id:*',
      'duration:*',
      'program:*',
    ],
  },
  regex: {
    queries: [
      'message:/^Fa.*ssh2$/',
      'message:/NAÏVE/i',
      'host:/^web/',
      'user:/^a/i',
      'attributes:/overflow$/',
      'message:/unusual [0-9]+ here/',
      '/portal[.]example|unusual/',
      '/overflow$/',
      '/^granted$/',
    ],
  },
  source: { queries: ['source:fw.log', 'source:*.log', 'source:*'] },
  tag: { queries: ['tag:lateral', 'tag:ioc*', 'tag:*'], isOfCase: true },
  text: {
    queries: [
      'failed',
      'fail*',
      '*word',
      'f?iled',
      '*?',
      '"failed password"',
      'a@b.c',
      'naïve_user',
      'message:password',
      'needle',
      'unusual',
      'svc23',
      'portal*',
      '"ann poe"',
      'granted',
      'success',
    ],
  },
  'text-range': { queries: ['host:>m', 'host:[a TO n]', 'host:{db-2 TO mx]', 'user:>a'] },
  'text-value': {
    queries: [
      'host:web01',
      'host:WEB*',
      'host:"db-2"',
      'host:d?-*',
      'user:root',
      'status:404',
      'attributes:root',
      '"odd/key":needle*',
      'host:host7',
      'program:sshd',
    ],
  },
  time: {
    queries: [
      'ts:[2026-11-20 TO 2026-11-21]',
      'ts:>=2026-11-21T00:06',
      'ts:<2026-11-20T01:01',
      'ts:2026-11-20T01',
      'last:1m',
    ],
  },
  unflowed: { filters: () => [UNFLOWED], isOneWay: true },
};

let digests = 0;
function list(text: string, resolve: ReturnType<TestCase['plan']>['resolve']): MatchList {
  return readList({ text, digest: (digests += 1).toString(16).padStart(8, '0'), resolve });
}

/** Texts that a table states, and texts that an extractor cut or inferred. */
function cutTexts(i: number): TestEvent['fields'] {
  const concluded = { category: 'web', outcome: 'success' };
  if (i % 20 === 3) return { ...concluded, user: `svc${i}`, action: 'granted', extractor: 'x/1' };
  if (i % 20 !== 6) return {};
  return { ...concluded, url: `http://portal.example/p${i}`, action: 'granted', user: 'Ann Poe' };
}

/** Enough rows that looking up beats reading them. */
function manyEvents(): TestEvent[] {
  const rare = (i: number) => (i % 97 === 0 ? `unusual ${i} here` : 'nothing of note');
  const logs = Array.from({ length: 400 }, (_, i): TestEvent => ({
    ...{ kind: 'log', source: 2, seq: 1000 + i, ts: DAY1 + 7200e6 + i * 1e6 },
    fields: {
      message: `job ${i % 13} of 172.16.${i % 7}.${i % 11} done: ${rare(i)}`,
      host: `host${i % 23}`,
      ...(i % 3 === 0 ? {} : { program: `tool${i % 5}` }),
      severity: i % 8,
      ...cutTexts(i),
    },
    attributes: i % 4 === 0 ? { user: `user${i % 9}`, status: String(200 + (i % 6)) } : {},
    tags: i % 50 === 0 ? [2] : [],
    deleted: i % 61 === 7,
  }));
  const flows = Array.from({ length: 400 }, (_, i): TestEvent => ({
    ...{ kind: 'flow', source: 1, seq: 1000 + i, ts: DAY2 + 7200e6 + i * 1e6 },
    fields: {
      src_ip4: parseIp4(`172.16.0.${i % 41}`)!,
      dst_ip4: parseIp4(`10.${i % 5}.0.${i % 29}`)!,
      src_port: 1024 + i,
      dst_port: [22, 53, 80, 443][i % 4]!,
      proto: i % 4 === 1 ? 17 : 6,
      bytes: i * 10,
      bytes_rev: i,
      packets: 1 + (i % 9),
      packets_rev: i % 3,
    },
    attributes: {},
  }));
  const packets = Array.from({ length: 200 }, (_, i): TestEvent => ({
    ...{ kind: 'packet', source: 3, seq: 1000 + i, ts: DAY2 + 7200e6 + i * 1e6 },
    fields: {
      src_ip4: parseIp4(`172.16.0.${i % 41}`)!,
      dst_ip4: parseIp4('10.1.1.1')!,
      ...{ src_port: 5000, dst_port: 53, proto: 17, length: 60 + i },
      ...(i % 20 === 0 ? {} : { flow_id: i % 7 }),
    },
    attributes: {},
  }));
  return [...logs, ...flows, ...packets];
}

/** One hardware address in each way to write it, and others. */
function stations(): TestEvent[] {
  const written = [
    ...['92:dd:ae:01:02:0f', '92-DD-AE-01-02-0F', '92dd.ae01.020f', '92DD-AE01-020F'],
    ...['92ddae-01020f', '92DDAE01020F', '92:dd:ae:1:2:f', '92:dd:ae:01:02:10', '92', 'unknown'],
  ];
  return written.map((mac, i) => ({
    ...{ kind: 'log', source: 2, seq: 5000 + i, ts: DAY2 + 9000e6 + i * 1e6 },
    fields: {
      ...(i % 2 === 0 ? { src_mac: mac, dst_mac: 'ff:ff:ff:ff:ff:ff' } : { dst_mac: mac }),
      ...(i % 3 === 0 ? { host: mac } : {}),
    },
    attributes: {
      client_mac: i % 3 === 0 ? `["${mac}","00-00-5e-00-53-01"]` : mac,
      ...(i % 4 === 0 ? { user: mac } : {}),
    },
  }));
}

interface Indexed {
  readonly segment: SegmentInfo;
  readonly events: readonly TestEvent[];
  readonly batch: ReturnType<typeof batchesOf>[number];
  readonly known: IndexedSegment;
}

let test: TestCase;
let indexed: Indexed[];
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-faces-'));
  test = await openTestCase(
    [...EVENTS, ...manyEvents(), ...stations()],
    (kind) => kind === 'flow' || kind === 'dns',
  );
  await test.connection.run("ATTACH ':memory:' AS lists");
  indexed = test.context.segments.map((segment) => {
    const events = test.eventsOf(segment);
    // Deleted rows are still rows of the segment.
    const [batch] = batchesOf(events.map((event) => ({ ...event, deleted: false })));
    if (batch === undefined) throw new TypeError('a segment without events');
    return {
      segment,
      events,
      batch,
      known: indexBatch(join(folder, `${segment.id}`), batch, events),
    };
  });
});
afterAll(() => {
  for (const { known } of indexed) known.close();
  test.close();
  rmSync(folder, { recursive: true });
});

/** The rows of a segment for which the SQL of a filter is true. */
async function rowsBySql(filter: Filter, segment: SegmentInfo): Promise<number[]> {
  const params = new Params();
  const predicate = compileFilter(filter, segmentScope(segment, params));
  const condition = 'sql' in predicate ? predicate.sql : predicate.value ? 'TRUE' : 'FALSE';
  const sql = `SELECT rowid FROM seg_${segment.id}.events WHERE ${condition} ORDER BY rowid`;
  const rows = await test.raw({ ...params.finish(sql), columns: [] });
  return rows.map(([row]) => Number(row));
}

/** The rows of all segments, as one text. */
async function identityOf(filter: Filter): Promise<string> {
  const rows: string[] = [];
  for (const { segment } of indexed) rows.push((await rowsBySql(filter, segment)).join());
  return rows.join('; ');
}

async function makeTables(given: MatchList): Promise<void> {
  for (const { table, keys } of given.groups) {
    const columns = keys.flatMap(({ key, type, values }, at) =>
      key.key === 'present' ? [] : [{ name: keyColumn(at), type, values }],
    );
    const rows = Array.from(
      { length: columns[0]?.values.length ?? 0 },
      (_, row) =>
        `(${columns.map(({ values, type }) => `CAST('${String(values[row])}' AS ${type})`).join(', ')})`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await test.connection.run(
      `CREATE TABLE lists.main."${table}" AS SELECT * FROM (VALUES ${rows.join(', ')}) AS v(${names})`,
    );
  }
}

/** The conditions of a query that one operator has. */
function leavesOf(filter: Filter, name: Name): LeafFilter[] {
  if ('items' in filter) return filter.items.flatMap((item) => leavesOf(item, name));
  if ('item' in filter) return leavesOf(filter.item, name);
  return isLeaf(filter) && filter.filter === name ? [filter] : [];
}

function filtersOf(name: Name, text: string): LeafFilter[] {
  return test.plan(text).filters.flatMap((filter) => leavesOf(filter, name));
}

/** Every text of an event, separately. */
function textsOf({ fields, attributes, overflow }: TestEvent): string[] {
  return [
    ...Object.entries(fields).map(([name, value]) => {
      if (name.endsWith('_ip4')) return formatIp4(Number(value));
      return name.endsWith('_ip6') ? formatIp6(uuidToIp6(String(value))) : String(value);
    }),
    ...Object.values(attributes),
    ...Object.values(overflow ?? {}),
  ];
}

/** Descriptions that are not queries: of masks, and of sources and tags by number. */
function isQuery(text: string): boolean {
  return !text.includes(' & ') && !/^(?:tag|source):/.test(text);
}

/** What was compared for each operator: every existing face must answer at least once. */
const answered = new Map<Name, Set<string>>();
function note(name: Name, face: string): void {
  const faces = answered.get(name) ?? new Set();
  answered.set(name, faces.add(face));
}

async function compareFaces(name: Name, filter: LeafFilter, entry: Entry): Promise<void> {
  const operator = operatorOf(filter);
  for (const { segment, events, batch, known } of indexed) {
    const where = `${operator.describe(filter)} in ${segment.kind} of ${segment.day}`;
    const right = await rowsBySql(filter, segment);
    const verdict = compileFilter(filter, judgingScope(segment, new Params()));
    const isDecided = !('sql' in verdict);

    const found = isDecided ? undefined : operator.rows?.(filter, segment, known, false);
    if (found !== undefined) {
      note(name, 'rows');
      const rows = [...sliceOf(found.rows, segment.rows, 0, countOf(found.rows, segment.rows))];
      const certain = new Set(rows);
      if (found.exact) expect(rows.join(), where).toBe(right.join());
      else expect(right.filter((row) => !certain.has(row)).join(), where).toBe('');
    }

    if (entry.isOfCase !== true && operator.columns !== undefined) {
      note(name, 'columns');
      const rows = Int32Array.from({ length: batch.length }, (_, i) => i);
      const n = filterColumns(filter, batchScope(batch, undefined))(rows, batch.length);
      expect(rows.subarray(0, n).join(), where).toBe(right.join());
    }

    const condition = isDecided ? undefined : conditionOf(filter);
    const rollup = known.indexes.rollup;
    const restrictions = condition && restrictionsIn([condition], known);
    if (condition !== undefined && restrictions !== undefined && rollup !== undefined) {
      const groups = rollup.groups({ dims: [], where: restrictions });
      // A name is the column's here, and an attribute's in the overflow is in no rollup.
      if (groups !== undefined && !segment.columns.has('attrs')) {
        note(name, 'groups');
        expect(
          groups.flatMap(({ counts }) => [...counts]).reduce((sum, n) => sum + n, 0),
          where,
        ).toBe(right.length);
      }
    }

    const ofKind = operator.ofKind?.(filter, segment.kind);
    if (ofKind !== undefined) {
      note(name, 'ofKind');
      expect(right.length, where).toBe(ofKind ? segment.rows : 0);
    }

    const record = operator.record?.(filter);
    if (record !== undefined)
      for (const row of right) {
        note(name, 'record');
        const says = textsOf(events[row]!).map((text) => record(Buffer.from(text), () => text));
        expect(
          says.some((one) => one !== false),
          `${where}, row ${row}`,
        ).toBe(true);
      }
  }
  const text = operator.describe(filter);
  if (entry.isOneWay !== true && isQuery(text)) {
    const right = await identityOf(filter);
    const again = await Promise.all(filtersOf(name, text).map(identityOf));
    expect(again, text).toContain(right);
  }
}

it('has an entry for every operator', () => {
  expect(Object.keys(ENTRIES).sort()).toEqual(Object.keys(FILTER_OPERATORS).sort());
});

describe.each(Object.entries(ENTRIES) as [Name, Entry][])('%s', (name, entry) => {
  it.each(entry.queries ?? [])('agrees in %s', async (text) => {
    const filters = filtersOf(name, text);
    expect(filters.length, 'conditions of the operator').toBeGreaterThan(0);
    for (const filter of filters) await compareFaces(name, filter, entry);
  });

  if (entry.filters !== undefined)
    it('agrees in filters that no text says', async () => {
      for (const filter of entry.filters?.(test) ?? []) {
        if ('list' in filter) await makeTables(filter.list);
        await compareFaces(name, filter, entry);
      }
    });

  it('has answered by each of its faces', () => {
    const { rows, columns, groups, ofKind, record } = FILTER_OPERATORS[name];
    const faces = Object.entries({ rows, columns, groups, ofKind, record })
      .filter(([face, given]) => given !== undefined && !(face === 'columns' && entry.isOfCase))
      .map(([face]) => face);
    expect([...(answered.get(name) ?? [])].sort()).toEqual(faces.sort());
  });
});
