/**
 * `talkers [N]`: conversations, one row per pair of addresses, the most bytes first.
 *
 * `src_ip` is the side that started more of the pair's events (of equals, the smaller address);
 * `direction` is `->` when it started all of them, else `<->`. A packet counts as one packet.
 */
import type { Stage } from '../ast.ts';
import { nullOf } from '../dialect/duckdb.ts';
import { knownField } from '../fields.ts';
import { QueryError } from '../query-error.ts';
import {
  type Input,
  type InputColumn,
  type OrderKey,
  type Table,
  type TableColumn,
  orderBy,
  valueShape,
} from '../relation.ts';
import type { Scope } from '../scope.ts';
import { shapeOf, variantsOf } from '../values.ts';

export type TalkersStage = Extract<Stage, { stage: 'talkers' }>;
/** Responder's ports that are listed for a pair; `port_count` says how many there are. */
const MAX_PORTS = 10;
const SUMS = ['packets', 'packets_rev', 'bytes', 'bytes_rev'] as const;

export function talkersStage(stage: TalkersStage, input: Input): Table {
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
    ...(hasV6 ? [{ role: 'v6', sqlType: 'UUID' } as const] : []),
  ];
  const shape = { name: 'src_ip', type: 'address', parts } as const;
  const versions = parts.map(({ role }) => role);
  const columns: InputColumn[] = [
    ...parts.map(({ role, sqlType }) => ({ alias: `s_${role}`, sqlType })),
    ...parts.map(({ role, sqlType }) => ({ alias: `d_${role}`, sqlType })),
    ...SUMS.map((alias) => ({ alias, sqlType: 'BIGINT' })),
    { alias: 't', sqlType: 'TIMESTAMP' },
    { alias: 'port', sqlType: 'USMALLINT' },
  ];
  const rows = input.rows(columns, (scope) => {
    const from = variantsOf(source, shape, scope, input.extent)[0]!.parts;
    const to = variantsOf(target, shape, scope, input.extent)[0]!.parts;
    const whole = versions.map((_, i) => `(${from[i]} IS NOT NULL AND ${to[i]} IS NOT NULL)`);
    const select = [
      ...from,
      ...to,
      packetsSql(scope),
      ...SUMS.slice(1).map((name) => scope.column(name) ?? nullOf('BIGINT')),
      scope.column('ts') ?? nullOf('TIMESTAMP'),
      scope.column('dst_port') ?? nullOf('USMALLINT'),
    ];
    return [{ select, also: { sql: `(${whole.join(' OR ')})` } }];
  });
  const each = (make: (version: string) => string) => versions.map(make).join(', ');
  const swapped = `coalesce(${each((v) => `s_${v} > d_${v}`)}, FALSE)`;
  const summed = (forth: string, back: string, name: string) =>
    `coalesce(sum(CASE WHEN swapped THEN ${back} ELSE ${forth} END), 0) AS ${name}`;
  const groups = each((v) => `lo_${v}, hi_${v}`);
  const grouped = [
    `SELECT ${groups}, count(*) AS n, count(*) FILTER (WHERE swapped) AS back,`,
    `${summed('packets', 'packets_rev', 'p')}, ${summed('packets_rev', 'packets', 'p_rev')},`,
    `${summed('bytes', 'bytes_rev', 'b')}, ${summed('bytes_rev', 'bytes', 'b_rev')},`,
    `min(t) AS t_first, max(t) AS t_last, list(DISTINCT port) AS ports FROM (`,
    `SELECT *, ${each((v) => `least(s_${v}, d_${v}) AS lo_${v}, greatest(s_${v}, d_${v}) AS hi_${v}`)}, ${swapped} AS swapped FROM (${rows}) AS r`,
    `) AS q GROUP BY ${groups}`,
  ].join(' ');
  const flip = 'back * 2 > n';
  const turned = (a: string, b: string) => `CASE WHEN ${flip} THEN ${b} ELSE ${a} END`;
  const sql = [
    `SELECT ${each((v) => `${turned(`lo_${v}`, `hi_${v}`)} AS src_${v}, ${turned(`hi_${v}`, `lo_${v}`)} AS dst_${v}`)},`,
    `CASE WHEN back = 0 OR back = n THEN '->' ELSE '<->' END AS direction, n AS events,`,
    `${turned('p', 'p_rev')} AS packets, ${turned('p_rev', 'p')} AS packets_rev,`,
    `${turned('b', 'b_rev')} AS bytes, ${turned('b_rev', 'b')} AS bytes_rev, b + b_rev AS total,`,
    `t_first AS first, t_last AS last, len(ports) AS port_count,`,
    `array_to_string(list_slice(list_sort(ports), 1, ${MAX_PORTS}), ',') AS ports FROM (${grouped}) AS g`,
  ].join(' ');
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
    type: 'integer' | 'text' | 'time',
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
      plain('port_count', 'integer', 'BIGINT'),
      plain('ports', 'text', 'VARCHAR'),
    ],
    order,
    sql: limited,
  };
}

function packetsSql(scope: Scope): string {
  const packets = scope.column('packets');
  if (scope.segment !== undefined) {
    if (scope.segment.kind !== 'packet') return packets ?? nullOf('BIGINT');
    return packets === undefined ? 'CAST(1 AS BIGINT)' : `coalesce(${packets}, 1)`;
  }
  const isPacket = `${scope.kind()} = ${scope.params.text('packet')}`;
  const counted = packets ?? nullOf('BIGINT');
  return `CASE WHEN ${isPacket} THEN coalesce(${counted}, 1) ELSE ${counted} END`;
}
