/**
 * `talkers [N]`: conversations, one row per pair of addresses, the most bytes first.
 *
 * `src_ip` is the side that started more of the pair's events (in a tie, the smaller address); `direction` is `->`
 * if it started all of them, otherwise `<->`. A packet counts as one packet. `last` is the start of the last event,
 * `duration` the seconds from `first` to the latest end.
 */
import type { Stage } from '../syntax/ast.ts';
import { TRUE_SQL, both as bothSql, ip4, ip6 } from '../dialect/clickhouse.ts';
import {
  type ClickHouseRows,
  type ClickHouseTable,
  firstRows,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { smallestAsText as smallestHere } from '../dialect/clickhouse-texts.ts';
import { orderOf, simpleShape } from '../dialect/clickhouse-values.ts';
import {
  distinctCount,
  endMicros,
  IP6_TYPE,
  nullOf,
  secondsUntil,
  smallestAsText,
} from '../dialect/duckdb.ts';
import { type Field, knownField } from '../names/fields.ts';
import { groupedRows } from '../statements/group-parts.ts';
import { QueryError } from '../syntax/query-error.ts';
import {
  type Input,
  type InputColumn,
  type OrderKey,
  type Table,
  type TableColumn,
  orderBy,
  valueShape,
} from '../statements/relation.ts';
import type { Scope } from '../plan/scope.ts';
import { type OutputType, type ValueShape, shapeOf, variantsOf } from '../values/values.ts';
import { counted } from '../../contract/words/counted.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import type { RawValue } from '../values/raw-value.ts';
import { type Budget, growingWithin } from '../batch/budget.ts';
import { ByteDictionary } from '../../util/hash-table/byte-dictionary.ts';
import { firstOf } from '../batch/first-of.ts';
import { TupleDictionary } from '../../util/hash-table/tuple-dictionary.ts';
import { Doubles, Totals, highest } from '../batch/measures.ts';
import { type Wanted, batchScope } from '../batch/batch-scope.ts';
import { numberAt, uuidOf } from '../batch/row-scope.ts';
import { compareValues } from '../batch/table.ts';
import type { BatchStage } from '../batch/stage.ts';
import type { BatchContext, StageOperator } from './operator.ts';

type TalkersStage = Extract<Stage, { stage: 'talkers' }>;
/** Number of responder's ports that are listed for a pair; `port_count` is the number of all. */
const MAX_PORTS = 10;
const SUMS = ['packets', 'packets_rev', 'bytes', 'bytes_rev'] as const;

function talkersTable(stage: TalkersStage, input: Input): Table {
  const ends = endsOf(stage, input);
  const { shape } = ends;
  const versions = shape.parts.map(({ role }) => role);
  const sql = turnedSql(pairsSql(input, endRows(input, ends), versions), versions);
  const order: OrderKey[] = [
    { sql: '"total"', descending: true },
    { sql: '"packets"', descending: true },
    ...versions.flatMap((v) => [
      { sql: `"src_${v}"`, descending: false },
      { sql: `"dst_${v}"`, descending: false },
    ]),
  ];
  const address = (name: string, side: string): TableColumn => ({
    name,
    shape: { ...shape, name },
    aliases: versions.map((v) => `${side}_${v}`),
  });
  const plain = (
    name: string,
    type: 'integer' | 'real' | 'text' | 'time',
    sqlType: string,
  ): TableColumn => ({
    name,
    shape: valueShape(name, type, sqlType),
    aliases: [name],
  });
  const limited =
    stage.limit === undefined
      ? sql
      : `SELECT * FROM (${sql}) AS l ORDER BY ${orderBy(order)} LIMIT ${input.params.bind(stage.limit, 'BIGINT')}`;
  return {
    columns: [
      address('src_ip', 'src'),
      plain('direction', 'text', 'VARCHAR'),
      address('dst_ip', 'dst'),
      plain('events', 'integer', 'BIGINT'),
      ...SUMS.map((name) => plain(name, 'integer', 'HUGEINT')),
      plain('first', 'time', 'TIMESTAMP'),
      plain('last', 'time', 'TIMESTAMP'),
      plain('duration', 'real', 'DOUBLE'),
      plain('port_count', 'integer', 'BIGINT'),
      plain('ports', 'text', 'VARCHAR'),
    ],
    order,
    sql: limited,
  };
}

interface Ends {
  readonly source: Field;
  readonly target: Field;
  /** Of both sides: the address versions that events have. */
  readonly shape: ValueShape;
}

/** @throws QueryError for rows that are not events */
function endsOf(stage: TalkersStage, input: Input): Ends {
  const source = knownField('src_ip');
  const target = knownField('dst_ip');
  if (!input.events || source === undefined || target === undefined) {
    throw new QueryError(
      'query-syntax',
      `talkers needs events, not a table (column ${stage.start + 1})`,
      stage.start,
    );
  }
  const shapes = [source, target].map((field) => shapeOf(field, stage.start, input.extent));
  const hasV6 = shapes.some((shape) => shape.parts.some(({ role }) => role === 'v6'));
  const hasV4 = !hasV6 || shapes.some((shape) => shape.parts.some(({ role }) => role === 'v4'));
  const parts = [
    ...(hasV4 ? [{ role: 'v4', sqlType: 'UINTEGER' } as const] : []),
    ...(hasV6 ? [{ role: 'v6', sqlType: IP6_TYPE } as const] : []),
  ];
  return { source, target, shape: { name: 'src_ip', type: 'address', parts } };
}

/** For each version of addresses, a list of SQL, comma-separated. */
function eachOf(versions: readonly string[], make: (version: string) => string): string {
  return versions.map(make).join(', ');
}

/** Events with both ends of one version. */
function endRows(input: Input, { source, target, shape }: Ends): string {
  const { parts } = shape;
  const columns: InputColumn[] = [
    ...parts.map(({ role, sqlType }) => ({ alias: `s_${role}`, sqlType })),
    ...parts.map(({ role, sqlType }) => ({ alias: `d_${role}`, sqlType })),
    ...SUMS.map((alias) => ({ alias, sqlType: 'BIGINT' })),
    { alias: 't', sqlType: 'TIMESTAMP' },
    { alias: 'took', sqlType: 'DOUBLE' },
    { alias: 'port', sqlType: 'USMALLINT' },
  ];
  return input.rows(columns, (scope) => {
    const from = variantsOf(source, shape, scope, input.extent)[0]!.parts;
    const to = variantsOf(target, shape, scope, input.extent)[0]!.parts;
    const whole = parts.map((_, i) => `(${from[i]} IS NOT NULL AND ${to[i]} IS NOT NULL)`);
    const select = [
      ...from,
      ...to,
      packetsSql(scope),
      ...SUMS.slice(1).map((name) => scope.column(name) ?? nullOf('BIGINT')),
      scope.column('ts') ?? nullOf('TIMESTAMP'),
      scope.column('duration') ?? nullOf('DOUBLE'),
      scope.column('dst_port') ?? nullOf('USMALLINT'),
    ];
    return [{ select, also: { sql: `(${whole.join(' OR ')})` } }];
  });
}

/** A row a pair, with the lower address first. */
function pairsSql(input: Input, rows: string, versions: readonly string[]): string {
  const each = (make: (version: string) => string) => eachOf(versions, make);
  const swapped = `coalesce(${each((v) => `s_${v} > d_${v}`)}, FALSE)`;
  const summed = (forth: string, back: string, name: string) =>
    `coalesce(sum(CASE WHEN swapped THEN ${back} ELSE ${forth} END), 0) AS ${name}`;
  const groups = each((v) => `lo_${v}, hi_${v}`);
  const computed = [
    `${groups}, count(*) AS n, count(*) FILTER (WHERE swapped) AS back,`,
    `${summed('packets', 'packets_rev', 'p')}, ${summed('packets_rev', 'packets', 'p_rev')},`,
    `${summed('bytes', 'bytes_rev', 'b')}, ${summed('bytes_rev', 'bytes', 'b_rev')},`,
    `min(t) AS t_first, max(t) AS t_last, max(${endMicros('t', 'took')}) AS t_ended, ${distinctCount('port')} AS port_count,`,
    `${smallestAsText('port', MAX_PORTS)} AS ports`,
  ].join(' ');
  const pairs = `SELECT *, ${each((v) => `least(s_${v}, d_${v}) AS lo_${v}, greatest(s_${v}, d_${v}) AS hi_${v}`)}, ${swapped} AS swapped FROM (${rows}) AS s`;
  return groupedRows(input, computed, pairs, groups);
}

/** Puts first the side that started more of a pair's events. */
function turnedSql(pairs: string, versions: readonly string[]): string {
  const flip = 'back * 2 > n';
  const turned = (a: string, b: string) => `CASE WHEN ${flip} THEN ${b} ELSE ${a} END`;
  return [
    `SELECT ${eachOf(versions, (v) => `${turned(`lo_${v}`, `hi_${v}`)} AS src_${v}, ${turned(`hi_${v}`, `lo_${v}`)} AS dst_${v}`)},`,
    `CASE WHEN back = 0 OR back = n THEN '->' ELSE '<->' END AS direction, n AS events,`,
    `${turned('p', 'p_rev')} AS packets, ${turned('p_rev', 'p')} AS packets_rev,`,
    `${turned('b', 'b_rev')} AS bytes, ${turned('b_rev', 'b')} AS bytes_rev, b + b_rev AS total,`,
    `t_first AS first, t_last AS last, ${secondsUntil('t_first', 't_ended')} AS duration, port_count, ports FROM (${pairs}) AS g`,
  ].join(' ');
}

function packetsSql(scope: Scope): string {
  const packets = scope.column('packets');
  if (scope.segment !== undefined) {
    if (scope.segment.kind !== 'packet') return packets ?? nullOf('BIGINT');
    return packets === undefined ? 'CAST(1 AS BIGINT)' : `coalesce(${packets}, 1)`;
  }
  const isPacket = `${scope.kind()} = ${scope.params.text('packet')}`;
  const packetCount = packets ?? nullOf('BIGINT');
  return `CASE WHEN ${isPacket} THEN coalesce(${packetCount}, 1) ELSE ${packetCount} END`;
}

/** Bytes of both ways have no column: they are in `bytes`. */
function noteOfTotals(sources: readonly string[]): string[] {
  const flows = 'flows that state one number of bytes for both ways';
  const counts = 'count as sent by the side that opened them';
  const [name, ...others] = sources;
  if (name === undefined) return [];
  const which = others.length === 0 ? name : `${counted(sources.length, 'source')} (${name}, …)`;
  return [`${which}: ${flows} ${counts}`];
}

// -- in ClickHouse ---------------------------------------------------------------------------------

function talkersClickHouse(stage: TalkersStage, rows: ClickHouseRows): ClickHouseTable {
  if (!rows.scope.events)
    throw new QueryError(
      'query-syntax',
      `talkers needs events, not a table (column ${stage.start + 1})`,
      stage.start,
    );
  // Both ends are of one version.
  const whole = `(src_ip IS NOT NULL AND dst_ip IS NOT NULL AND (${ip4('src_ip')} IS NULL) = (${ip4('dst_ip')} IS NULL))`;
  const swapped = `${ip6('src_ip')} > ${ip6('dst_ip')}`;
  const each = selectOf(`*, ${swapped} AS swapped`, {
    ...rows,
    where: bothSql([rows.where, whole]),
  });
  const packetCount = `if(kind = 'packet', ifNull(packets, 1), packets)`;
  const summed = (forth: string, back: string, name: string): string =>
    `ifNull(sum(toInt128(if(swapped, ${back}, ${forth}))), 0) AS ${name}`;
  const grouped = selectOf(
    [
      'if(swapped, dst_ip, src_ip) AS lo, if(swapped, src_ip, dst_ip) AS hi',
      'count() AS n, countIf(swapped) AS back',
      `${summed(packetCount, 'packets_rev', 'p')}, ${summed('packets_rev', packetCount, 'p_rev')}`,
      `${summed('bytes', 'bytes_rev', 'b')}, ${summed('bytes_rev', 'bytes', 'b_rev')}`,
      'min(ts) AS t_first, max(ts) AS t_last',
      'max(toUnixTimestamp64Micro(ts) + ifNull(greatest(duration, 0), 0) * 1e6) AS t_ended',
      'uniqExact(dst_port) AS port_count',
      `${smallestHere('dst_port', MAX_PORTS)} AS ports`,
    ].join(', '),
    { from: subquery(each), where: TRUE_SQL },
    'GROUP BY lo, hi',
  );
  const turned = (a: string, b: string, name: string): string =>
    `if(back * 2 > n, ${b}, ${a}) AS ${name}`;
  const list = [
    `${turned('lo', 'hi', 'src')}, ${turned('hi', 'lo', 'dst')}`,
    `if(back = 0 OR back = n, '->', '<->') AS direction, n`,
    `${turned('p', 'p_rev', 'packets')}, ${turned('p_rev', 'p', 'packets_rev')}`,
    `${turned('b', 'b_rev', 'bytes')}, ${turned('b_rev', 'b', 'bytes_rev')}, b + b_rev AS total`,
    't_first, t_last, (t_ended - toUnixTimestamp64Micro(t_first)) / 1e6 AS duration, port_count, ports',
  ].join(', ');
  const order: OrderKey[] = [
    { sql: 'total', descending: true },
    { sql: 'packets', descending: true },
    ...['src', 'dst'].flatMap((side) => orderOf(simpleShape(side, 'address'), side)),
  ];
  const column = (name: string, type: OutputType, alias = name): TableColumn => ({
    ...{ name, shape: simpleShape(name, type), aliases: [alias] },
  });
  return {
    columns: [
      column('src_ip', 'address', 'src'),
      column('direction', 'text'),
      column('dst_ip', 'address', 'dst'),
      column('events', 'integer', 'n'),
      ...SUMS.map((name) => column(name, 'integer')),
      column('first', 'time', 't_first'),
      column('last', 'time', 't_last'),
      column('duration', 'real'),
      column('port_count', 'integer'),
      column('ports', 'text'),
    ],
    order,
    sql: selectOf(
      list,
      { from: subquery(grouped), where: TRUE_SQL },
      stage.limit === undefined ? '' : firstRows(order, stage.limit),
    ),
  };
}

// -- rows of batches -------------------------------------------------------------------------------

// The addresses of a pair are ordered, so that both directions meet; in the result, the side that started more of
// the pair's events is its source.

const ADDRESSES = ['src_ip4', 'dst_ip4', 'src_ip6', 'dst_ip6'] as const;

function talkersBatches(stage: TalkersStage, context: BatchContext): BatchStage {
  const { columns, budget, wanted } = context;
  const pairs = new Pairs(budget);
  return {
    scoped: (batch) => pairs.scoped(batch, wanted),
    finish: () => {
      const chosen = pairs.first(stage.limit ?? Infinity);
      const ports = pairs.portsOf(chosen);
      const rows = chosen.map((pair, i) => pairs.row(pair, ports[i]!));
      return { table: { columns, rows, order: [] } };
    },
  };
}

class Pairs {
  /** Keys: number of the lower address, of the higher. */
  private readonly table: TupleDictionary;
  private readonly addresses: ByteDictionary;
  /** Keys: pair, port. */
  private readonly ports: TupleDictionary;
  private readonly events: Doubles;
  /** Number of events sent by the higher address. */
  private readonly back: Doubles;
  private readonly earliest: Doubles;
  private readonly last: Doubles;
  private readonly ended: Doubles;
  /** From the lower address to the higher, and in the other direction. */
  private readonly packets: readonly [Totals, Totals];
  private readonly bytes: readonly [Totals, Totals];

  constructor(budget: Budget) {
    this.table = new TupleDictionary(2, growingWithin(budget));
    this.addresses = new ByteDictionary(growingWithin(budget));
    this.ports = new TupleDictionary(2, growingWithin(budget));
    this.events = new Doubles(budget, 0);
    this.back = new Doubles(budget, 0);
    this.earliest = new Doubles(budget, Infinity);
    this.last = new Doubles(budget, -Infinity);
    this.ended = new Doubles(budget, -Infinity);
    this.packets = [new Totals(budget), new Totals(budget)];
    this.bytes = [new Totals(budget), new Totals(budget)];
  }

  scoped(batch: EventBatch, wanted: Wanted): (rows: Int32Array, n: number) => void {
    const scope = batchScope(batch, wanted);
    const of = (column: Parameters<typeof scope.peek>[0]) => scope.column({ column });
    const packets = [of('packets'), of('packets_rev')] as const;
    const bytes = [of('bytes'), of('bytes_rev')] as const;
    const [ts, port, duration] = [of('ts'), of('dst_port'), of('duration')];
    for (const name of ADDRESSES) of(name);
    const words = [new Int32Array(scope.capacity), new Int32Array(scope.capacity)];
    const swapped = new Uint8Array(scope.capacity);
    const groups = new Int32Array(scope.capacity);
    const out = new Int32Array(scope.capacity);
    const isPacket = batch.kind === 'packet' ? 1 : 0;
    return (rows, n) => {
      const there = this.pairsOf(batch, rows, n, words, swapped);
      if (there === 0) return;
      this.table.idsOf(words, there, groups);
      const most = highest(groups, there);
      const events = this.events.reach(most);
      const back = this.back.reach(most);
      const first = this.earliest.reach(most);
      const last = this.last.reach(most);
      const ended = this.ended.reach(most);
      for (const total of [...this.packets, ...this.bytes]) total.reach(most);
      let withPort = 0;
      for (let i = 0; i < there; i++) {
        const row = rows[i]!;
        const group = groups[i]!;
        const forth = swapped[i]!;
        events[group]! += 1;
        back[group]! += forth;
        this.packets[forth]!.add(group, numberAt(packets[0], row) ?? isPacket);
        this.packets[1 - forth]!.add(group, numberAt(packets[1], row) ?? 0);
        this.bytes[forth]!.add(group, numberAt(bytes[0], row) ?? 0);
        this.bytes[1 - forth]!.add(group, numberAt(bytes[1], row) ?? 0);
        const time = numberAt(ts, row);
        if (time !== undefined) {
          if (time < first[group]!) first[group] = time;
          if (time > last[group]!) last[group] = time;
          const end = time + Math.max(numberAt(duration, row) ?? 0, 0) * 1e6;
          if (end > ended[group]!) ended[group] = end;
        }
        const number = numberAt(port, row);
        if (number === undefined) continue;
        words[0]![withPort] = group;
        words[1]![withPort] = number;
        withPort += 1;
      }
      this.ports.idsOf(words, withPort, out);
    };
  }

  /** Numbers of both addresses, of the rows that have both; those stay in `rows`. */
  private pairsOf(
    batch: EventBatch,
    rows: Int32Array,
    n: number,
    words: readonly Int32Array[],
    swapped: Uint8Array,
  ): number {
    const { src_ip4: from4, dst_ip4: to4, src_ip6: from6, dst_ip6: to6 } = batch;
    const { addresses } = this;
    let k = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      let from: number;
      let to: number;
      let turned: boolean;
      if (from4.present[row] === 1 && to4.present[row] === 1) {
        turned = from4.values[row]! > to4.values[row]!;
        from = addresses.idOf(octets(from4.values[row]!), 0, 4);
        to = addresses.idOf(octets(to4.values[row]!), 0, 4);
      } else if (from6.present[row] === 1 && to6.present[row] === 1) {
        const [a, b] = [row * 16, row * 16 + 16];
        turned = Buffer.compare(from6.values.subarray(a, b), to6.values.subarray(a, b)) > 0;
        from = addresses.idOf(from6.values, a, b);
        to = addresses.idOf(to6.values, a, b);
      } else continue;
      words[0]![k] = turned ? to : from;
      words[1]![k] = turned ? from : to;
      swapped[k] = turned ? 1 : 0;
      rows[k++] = row;
    }
    return k;
  }

  /** Whether the higher address started more of the pair's events. */
  private flipped(pair: number): boolean {
    return this.back.values[pair]! * 2 > this.events.values[pair]!;
  }

  /** Pairs by all their bytes, then their source's packets, then their addresses. */
  first(limit: number): number[] {
    const { size } = this.table;
    const total = (pair: number) => this.bytes[0].value(pair) + this.bytes[1].value(pair);
    const rough = Float64Array.from({ length: size }, (_, pair) => Number(total(pair)));
    const compare = (a: number, b: number): number => {
      if (rough[a] !== rough[b]) return rough[b]! - rough[a]!;
      const whole = compareValues(total(a), total(b), true);
      if (whole !== 0) return whole;
      const [one, other] = [this.sums(this.packets, a), this.sums(this.packets, b)];
      const packets = compareValues(one[0], other[0], true);
      if (packets !== 0) return packets;
      const [left, right] = [this.ends(a), this.ends(b)];
      // Source and target by version 4, then by version 6.
      for (const [side, part] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const) {
        const order = compareValues(left[side][part], right[side][part], false);
        if (order !== 0) return order;
      }
      return 0;
    };
    return firstOf(
      Array.from({ length: size }, (_, pair) => pair),
      limit,
      compare,
    );
  }

  private sums(of: readonly [Totals, Totals], pair: number): [bigint, bigint] {
    const [a, b] = [of[0].value(pair), of[1].value(pair)];
    return this.flipped(pair) ? [b, a] : [a, b];
  }

  private ends(pair: number): [[RawValue, RawValue], [RawValue, RawValue]] {
    const low = addressParts(this.addresses.bytesOf(this.table.word(pair, 0)));
    const high = addressParts(this.addresses.bytesOf(this.table.word(pair, 1)));
    return this.flipped(pair) ? [high, low] : [low, high];
  }

  /** The ports of each of some pairs, ascending. */
  portsOf(pairs: readonly number[]): number[][] {
    const lists = new Map(pairs.map((pair): [number, number[]] => [pair, []]));
    for (let entry = 0; entry < this.ports.size; entry++)
      lists.get(this.ports.word(entry, 0))?.push(this.ports.word(entry, 1));
    return [...lists.values()].map((list) => list.sort((a, b) => a - b));
  }

  row(pair: number, ports: readonly number[]): RawValue[] {
    const [from, to] = this.ends(pair);
    const [events, back] = [this.events.values[pair]!, this.back.values[pair]!];
    const time = (value: number | undefined): RawValue =>
      value !== undefined && Number.isFinite(value) ? value : null;
    return [
      ...from,
      back === 0 || back === events ? '->' : '<->',
      ...to,
      events,
      ...this.sums(this.packets, pair),
      ...this.sums(this.bytes, pair),
      time(this.earliest.values[pair]),
      time(this.last.values[pair]),
      time((this.ended.values[pair]! - this.earliest.values[pair]!) / 1e6),
      ports.length,
      ports.length === 0 ? null : ports.slice(0, MAX_PORTS).join(','),
    ];
  }
}

const four = new Uint8Array(4);

function octets(address: number): Uint8Array {
  four[0] = address >>> 24;
  four[1] = address >>> 16;
  four[2] = address >>> 8;
  four[3] = address;
  return four;
}

/** Version 4 and version 6, one of which is missing. */
function addressParts(bytes: Uint8Array): [RawValue, RawValue] {
  if (bytes.length === 16) return [null, uuidOf(bytes)];
  return [new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), null];
}

export const talkersOperator: StageOperator<TalkersStage> = {
  shape: 'talkers',
  noteOfTotals,
  keepsValues: () => true,
  table: talkersTable,
  clickhouse: talkersClickHouse,
  batches: talkersBatches,
};
