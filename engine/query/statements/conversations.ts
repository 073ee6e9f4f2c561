/**
 * Conversations: pairs of addresses by what they sent each other, over flows or over packets.
 *
 * A pair is its smaller address (`lo`) and its larger (`hi`); an event is `swapped` when `hi` sent it. `a` is the
 * side that originated more of the flows (for packets: that sent the first one); in a tie, the smaller address.
 */
import {
  endMicros,
  firstRanked,
  IP6_TYPE,
  ip6Text,
  micros,
  nullOf,
  Params,
  secondsUntil,
} from '../dialect/duckdb.ts';
import { knownField } from '../names/fields.ts';
import type { RawValue } from '../values/raw-value.ts';
import { boundTable } from './groups.ts';
import type { Plan } from '../plan/plan.ts';
import { eventContext, inputOf } from '../plan/plan-tables.ts';
import type { Scope } from '../plan/scope.ts';
import { type InputColumn, type TableColumn, orderBy } from './relation.ts';
import type { OutputColumn } from './outputs.ts';
import { type Statement, outputsOf } from './statements.ts';
import { type ValueShape, shapeOf, variantsOf } from '../values/values.ts';

export type ConversationOrder = 'bytes' | 'flows' | 'packets' | 'last';
const MEASURES = ['packets', 'bytes'] as const;
/** For one direction, for the other, and for flows that state one number for both. */
const SUMS = MEASURES.flatMap((name) => [name, `${name}_rev`, `${name}_both`]);
/** Ids of sources, first and last, whose flows may have totals of both ways in `bytes` and `packets`. */
export type TotalsOf = Readonly<
  Record<(typeof MEASURES)[number], readonly (readonly [number, number])[]>
>;

interface Conversations extends Statement {
  /** `a` and `b`, after `ANCHOR`. */
  readonly columns: readonly OutputColumn[];
  /** Index at which the numbers after them start: NUMBERS, then TOTALS. */
  readonly numbers: number;
  /** Columns of `lo` and `hi` after all that. */
  readonly keys: readonly InputColumn[];
}
export const NUMBERS = [
  'flows',
  'bytes_ab',
  'bytes_ba',
  'bytes_both',
  'packets_ab',
  'packets_ba',
  'packets_both',
  'first',
  'last',
  'duration',
] as const;
export const TOTALS = ['pairs', 'flows', 'bytes', 'packets'] as const;

interface Pairs {
  readonly versions: readonly ('v4' | 'v6')[];
  readonly shape: ValueShape;
  readonly rows: string;
}

/** Each of SUMS for an event: stated for one direction, or for both. */
function statedWays(
  scope: Scope,
  measure: (typeof MEASURES)[number],
  among: string,
  packets: boolean,
): string[] {
  const unknown = nullOf('BIGINT');
  const stated = scope.column(measure) ?? unknown;
  const forth =
    packets && measure === 'packets' ? `coalesce(${stated}, CAST(1 AS BIGINT))` : stated;
  const back = scope.column(`${measure}_rev`) ?? unknown;
  if (among === '') return [forth, back, unknown];
  const isTotal = `${back} IS NULL AND (${among})`;
  return [
    `CASE WHEN ${isTotal} THEN NULL ELSE ${forth} END`,
    back,
    `CASE WHEN ${isTotal} THEN ${forth} END`,
  ];
}

/** `rows`: `lo_…`, `hi_…`, `swapped`, SUMS, `t`, and `more`. */
function pairsOf(plan: Plan, params: Params, packets: boolean, totals: TotalsOf): Pairs {
  const source = knownField('src_ip')!;
  const target = knownField('dst_ip')!;
  const input = inputOf(plan.events, eventContext(plan, plan.segmentsUsed, params));
  const shapes = [source, target].map((field) => shapeOf(field, 0, input.extent));
  const has = (role: string) => shapes.some(({ parts }) => parts.some((one) => one.role === role));
  const v6 = has('v6');
  const v4 = has('v4') || !v6;
  const shape: ValueShape = {
    name: 'a',
    type: 'address',
    parts: [
      ...(v4 ? [{ role: 'v4', sqlType: 'UINTEGER' } as const] : []),
      ...(v6 ? [{ role: 'v6', sqlType: IP6_TYPE } as const] : []),
    ],
  };
  const versions = [...(v4 ? (['v4'] as const) : []), ...(v6 ? (['v6'] as const) : [])];
  const columns: InputColumn[] = [
    ...shape.parts.map(({ role, sqlType }) => ({ alias: `s_${role}`, sqlType })),
    ...shape.parts.map(({ role, sqlType }) => ({ alias: `d_${role}`, sqlType })),
    ...SUMS.map((alias) => ({ alias, sqlType: 'BIGINT' })),
    { alias: 't', sqlType: 'TIMESTAMP' },
    { alias: 'took', sqlType: 'DOUBLE' },
    { alias: 'sport', sqlType: 'USMALLINT' },
    { alias: 'dport', sqlType: 'USMALLINT' },
    { alias: 'proto', sqlType: 'UTINYINT' },
    { alias: 'service', sqlType: 'VARCHAR' },
    { alias: 'state', sqlType: 'VARCHAR' },
  ];
  const ranges = new Map(
    MEASURES.map((name) => [
      name,
      totals[name].map((ends) => ends.map((id) => params.bind(id, 'UINTEGER'))),
    ]),
  );
  const rows = input.rows(columns, (scope) => {
    const source_id = scope.column('source_id') ?? nullOf('UINTEGER');
    const among = (name: (typeof MEASURES)[number]): string =>
      ranges
        .get(name)!
        .map(([first, last]) => `${source_id} BETWEEN ${first} AND ${last}`)
        .join(' OR ');
    const from = variantsOf(source, shape, scope, input.extent)[0]!.parts;
    const to = variantsOf(target, shape, scope, input.extent)[0]!.parts;
    const whole = versions.map((_, i) => `(${from[i]} IS NOT NULL AND ${to[i]} IS NOT NULL)`);
    const select = [
      ...from,
      ...to,
      ...MEASURES.flatMap((name) => statedWays(scope, name, among(name), packets)),
      scope.column('ts') ?? nullOf('TIMESTAMP'),
      scope.column('duration') ?? nullOf('DOUBLE'),
      scope.column('src_port') ?? nullOf('USMALLINT'),
      scope.column('dst_port') ?? nullOf('USMALLINT'),
      scope.column('proto') ?? nullOf('UTINYINT'),
      scope.column('service') ?? nullOf('VARCHAR'),
      scope.column('conn_state') ?? nullOf('VARCHAR'),
    ];
    return [{ select, also: { sql: `(${whole.join(' OR ')})` } }];
  });
  const each = versions.map(
    (v) => `least(s_${v}, d_${v}) AS lo_${v}, greatest(s_${v}, d_${v}) AS hi_${v}`,
  );
  const swapped = `coalesce(${versions.map((v) => `s_${v} > d_${v}`).join(', ')}, FALSE)`;
  return {
    versions,
    shape,
    rows: `SELECT *, ${each.join(', ')}, ${swapped} AS swapped FROM (${rows}) AS r`,
  };
}

/**
 * The largest conversations, with the sums of all in every row. A sum that no flow states is null; of packets each way is
 * known.
 */
export function compileConversations(
  plan: Plan,
  packets: boolean,
  totals: TotalsOf,
  order: ConversationOrder,
  limit: number,
): Conversations {
  const params = new Params();
  const { versions, shape, rows } = pairsOf(plan, params, packets, totals);
  const names = versions.flatMap((v) => [`lo_${v}`, `hi_${v}`]);
  const list = names.join(', ');
  const sum = (forth: string, back = forth): string => {
    const all = `sum(CASE WHEN swapped THEN ${back} ELSE ${forth} END)`;
    return `CAST(${packets && forth !== back ? `coalesce(${all}, 0)` : all} AS HUGEINT)`;
  };
  // Undated packets have no first one: then the smaller address.
  const flip = packets
    ? 'coalesce(arg_min(swapped, t), FALSE)'
    : 'count(*) FILTER (WHERE swapped) * 2 > count(*)';
  const turned = (a: string, b: string) => `CASE WHEN flip THEN ${b} ELSE ${a} END`;
  const both = (a: string) =>
    `sum(coalesce(${a}, 0) + coalesce(${a}_rev, 0) + coalesce(${a}_both, 0))`;
  const measure = {
    bytes: both('bytes'),
    flows: packets ? both('packets') : 'count(*)',
    packets: both('packets'),
    last: 'max(t)',
  }[order];
  const sorted = orderBy([
    { sql: 'm', descending: true },
    ...names.map((sql) => ({ sql, descending: false })),
  ]);
  const same = names.map((name) => `q.${name} IS NOT DISTINCT FROM l.${name}`).join(' AND ');
  const flows = packets ? 'CAST(0 AS BIGINT)' : 'count(*)';
  const detailed = `SELECT ${names.map((name) => `q.${name}`).join(', ')}, l.m, ${flows} AS flows, ${flip} AS flip, ${sum('packets', 'packets_rev')} AS p, ${sum('packets_rev', 'packets')} AS pr, ${sum('packets_both')} AS pb, ${sum('bytes', 'bytes_rev')} AS b, ${sum('bytes_rev', 'bytes')} AS br, ${sum('bytes_both')} AS bb, min(t) AS first, max(t) AS last, max(${endMicros('t', 'took')}) AS ended FROM (${rows}) AS q JOIN l ON ${same} GROUP BY ALL`;
  const side = (name: string): TableColumn => ({
    name,
    shape: { ...shape, name },
    aliases: versions.map((v) => `${name}_${v}`),
  });
  const sides = [side('a'), side('b')];
  const { sql: shown, outputs } = outputsOf(sides, 0);
  const turnedSides = versions.map(
    (v) => `${turned(`lo_${v}`, `hi_${v}`)} AS a_${v}, ${turned(`hi_${v}`, `lo_${v}`)} AS b_${v}`,
  );
  const keys = versions.flatMap((v, i) => {
    const { sqlType } = shape.parts[i]!;
    return [
      { alias: `lo_${v}`, sqlType },
      { alias: `hi_${v}`, sqlType },
    ];
  });
  const keySql = keys.map(({ alias, sqlType }) => (sqlType === IP6_TYPE ? ip6Text(alias) : alias));
  // Pairs are many: only their measure is computed for all, the rest for those that are listed.
  const sql = [
    `WITH g AS MATERIALIZED (SELECT ${list}, ${measure} AS m FROM (${rows}) AS q GROUP BY ${list}),`,
    `l AS MATERIALIZED (SELECT * FROM g ORDER BY ${sorted} LIMIT ${params.bind(limit, 'BIGINT')}),`,
    `d AS MATERIALIZED (${detailed}),`,
    `t AS (SELECT count(*) AS pairs FROM g),`,
    `u AS (SELECT ${flows} AS all_flows, coalesce(${both('bytes')}, 0) AS all_bytes, coalesce(${both('packets')}, 0) AS all_packets FROM (${rows}) AS q)`,
    `SELECT ${shown.join(', ')}, flows, ${turned('b', 'br')}, ${turned('br', 'b')}, bb, ${turned('p', 'pr')}, ${turned('pr', 'p')}, pb, ${micros('first')}, ${micros('last')}, ${secondsUntil('first', 'ended')},`,
    `pairs, all_flows, all_bytes, all_packets, ${keySql.join(', ')}, flip FROM (SELECT *, ${turnedSides.join(', ')} FROM d) AS x, t, u ORDER BY ${sorted}`,
  ].join('\n');
  return {
    ...params.finish(sql),
    columns: outputs,
    numbers: sides.reduce((n, { aliases }) => n + aliases.length, 0),
    keys,
  };
}

/** For statements that need no volumes. */
const NO_TOTALS: TotalsOf = { packets: [], bytes: [] };

/** Values of one kind that are shown for a pair. */
export const MOST_DETAILS = { ports: 5, protos: 10, services: 10, states: 10 } as const;
export const DETAILS = ['protos', 'ports', 'services', 'states'] as const;

/**
 * Rows `rank` (from 0), index in DETAILS, value, most frequent first: for the pairs with these keys, each of which
 * ends with whether `a` is the larger address.
 */
export function compileConversationDetails(
  plan: Plan,
  packets: boolean,
  keys: readonly InputColumn[],
  pairs: readonly (readonly RawValue[])[],
): Statement {
  const params = new Params();
  const { rows } = pairsOf(plan, params, packets, NO_TOTALS);
  const columns = [...keys, { alias: 'flip', sqlType: 'BOOLEAN' }];
  const same = keys.map(({ alias }) => `q.${alias} IS NOT DISTINCT FROM g.${alias}`).join(' AND ');
  // A packet may go in either direction; the responder's port is that of the side that is not `a`.
  const port = packets ? 'CASE WHEN q.swapped = g.flip THEN q.dport ELSE q.sport END' : 'q.dport';
  const detail = (name: (typeof DETAILS)[number], value: string) =>
    `SELECT rank, '${name}' AS what, ${value} AS v, sum(n) AS n FROM x WHERE ${value} IS NOT NULL AND CAST(${value} AS VARCHAR) <> '' GROUP BY rank, v ${firstRanked('sum(n) DESC, v', `${MOST_DETAILS[name]}`, { part: 'rank' })}`;
  const text = (kindName: (typeof DETAILS)[number], value: string) =>
    `SELECT rank, what, CAST(v AS VARCHAR) AS v, n, row_number() OVER (PARTITION BY rank ORDER BY n DESC, v) AS place FROM (${detail(kindName, value)}) AS d`;
  const sql = [
    `WITH g AS MATERIALIZED (${boundTable(columns, pairs, params)}),`,
    `x AS MATERIALIZED (SELECT g.rank, ${port} AS port, q.proto, q.service, q.state, count(*) AS n FROM (${rows}) AS q JOIN g ON ${same} GROUP BY ALL)`,
    `SELECT rank, what, v FROM (`,
    [
      text('protos', 'proto'),
      text('ports', 'port'),
      text('services', 'left(service, 100)'),
      text('states', 'left(state, 100)'),
    ].join('\nUNION ALL\n'),
    `) AS u ORDER BY rank, what, place`,
  ].join('\n');
  return { ...params.finish(sql), columns: [] };
}
