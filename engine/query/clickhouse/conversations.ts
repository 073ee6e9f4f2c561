/** Conversations (conversations.ts) in ClickHouse. */
import {
  type ClickHouseOptions,
  type ClickHouseStatement,
  eventsClickHouse,
  statementOf,
} from './statement.ts';
import {
  type ConversationOrder,
  DETAILS,
  MOST_DETAILS,
  type TotalsOf,
} from '../statements/conversations.ts';
import { TRUE_SQL, both, ip4, ip6, text } from '../dialect/clickhouse.ts';
import { selectOf, subquery } from '../dialect/clickhouse-rows.ts';
import type { Plan } from '../plan/plan.ts';

/** Rows of the largest pairs: `a`, `b`, then NUMBERS and TOTALS of conversations.ts. */
export function clickhouseConversations(
  plan: Plan,
  asked: ConversationsAsked,
  options: ClickHouseOptions,
): ClickHouseStatement {
  const { sql, given } = listed(plan, asked, options);
  const turned = (one: string, other: string): string => `if(flip, ${other}, ${one})`;
  const columns = [
    turned('lo', 'hi'),
    turned('hi', 'lo'),
    ...['flows', turned('b', 'br'), turned('br', 'b'), 'bb'],
    ...[turned('p', 'pr'), turned('pr', 'p'), 'pb'],
    ...['first', 'last', '(ended - first) / 1e6', 'pairs', 'all_flows', 'all_bytes', 'all_packets'],
  ];
  const shown = `SELECT ${columns.join(', ')}\nFROM ${subquery(sql)}\nORDER BY rank`;
  return statementOf({ sql: shown, columns: undefined }, given);
}

/** Rows `rank` (from 0), which of DETAILS, value; the most frequent first. */
export function clickhouseConversationDetails(
  plan: Plan,
  asked: ConversationsAsked,
  options: ClickHouseOptions,
): ClickHouseStatement {
  const { sql, each, given } = listed(plan, asked, options);
  // A packet may go in either direction; the responder's port is that of the side that is not `a`.
  const port = asked.packets ? 'if(swapped = flip, dst_port, src_port)' : 'dst_port';
  const values: Readonly<Record<(typeof DETAILS)[number], string>> = {
    ...{ protos: 'toString(proto)', ports: `toString(${port})` },
    ...{ services: 'service', states: 'conn_state' },
  };
  const pairs = DETAILS.map((detail) => `(${text(detail)}, ${values[detail]})`).join(', ');
  const said = `arrayJoin(arrayFilter(x -> ifNull(x.2, '') != '', [${pairs}])) AS d`;
  const joined = `SELECT rank, ${said}\nFROM ${subquery(each)} AS e\nINNER JOIN ${subquery(`SELECT lo, hi, flip, rank\nFROM ${subquery(sql)}`)} AS l USING (lo, hi)`;
  const most = DETAILS.map(
    (kindOfDetail) => `what = ${text(kindOfDetail)} AND place > ${MOST_DETAILS[kindOfDetail]}`,
  );
  const counted = `SELECT rank, d.1 AS what, assumeNotNull(d.2) AS v, count() AS n\nFROM ${subquery(joined)}\nGROUP BY rank, what, v`;
  const placed = `SELECT *, row_number() OVER (PARTITION BY rank, what ORDER BY n DESC, toUInt64OrNull(v), v) AS place\nFROM ${subquery(counted)}`;
  const first = `SELECT rank, what, v\nFROM ${subquery(placed)}\nWHERE NOT (${most.join(' OR ')})\nORDER BY rank, what, place`;
  return statementOf({ sql: first, columns: undefined }, given);
}

interface ConversationsAsked {
  /** Over packets, if a case has no flows. */
  readonly packets: boolean;
  readonly order: ConversationOrder;
  readonly limit: number;
  readonly totals: TotalsOf;
}

function listed(
  plan: Plan,
  { packets, order, limit, totals }: ConversationsAsked,
  options: ClickHouseOptions,
) {
  const { events, given } = eventsClickHouse(plan, options);
  // Both ends are of one version.
  const whole = `(src_ip IS NOT NULL AND dst_ip IS NOT NULL AND (${ip4('src_ip')} IS NULL) = (${ip4('dst_ip')} IS NULL))`;
  const each = [
    `SELECT *, ${ip6('src_ip')} > ${ip6('dst_ip')} AS swapped,`,
    'assumeNotNull(if(swapped, dst_ip, src_ip)) AS lo, assumeNotNull(if(swapped, src_ip, dst_ip)) AS hi',
    `FROM ${subquery(selectOf('*', { from: events.from, where: both([events.where, whole]) }))}`,
  ].join('\n');
  const us = 'toUnixTimestamp64Micro(ts)';
  const forth = packets ? 'ifNull(packets, 1)' : 'packets';
  // For sources that may state totals, a number without its reverse counts for both directions.
  const isTotal = (measure: keyof TotalsOf): string => {
    const ranges = totals[measure].map(([from, to]) => `source_id BETWEEN ${from} AND ${to}`);
    return `(${measure}_rev IS NULL AND (${ranges.join(' OR ')}))`;
  };
  const oneWay = (measure: keyof TotalsOf, stated: string): string =>
    totals[measure].length === 0 ? stated : `if(${isTotal(measure)}, NULL, ${stated})`;
  const bothOf = (measure: keyof TotalsOf, stated: string): string =>
    totals[measure].length === 0
      ? 'CAST(NULL AS Nullable(Int64))'
      : `sum(toInt128(if(${isTotal(measure)}, ${stated}, NULL)))`;
  const sum = (one: string, other: string): string => {
    const all = `sum(toInt128(if(swapped, ${other}, ${one})))`;
    return packets ? `ifNull(${all}, 0)` : all;
  };
  const allOf = (one: string, other: string): string =>
    `sum(toInt128(ifNull(${one}, 0)) + toInt128(ifNull(${other}, 0)))`;
  // Undated packets have no first one: then the smaller address.
  const flip = packets ? 'ifNull(argMin(swapped, ts), false)' : 'countIf(swapped) * 2 > count()';
  const grouped = selectOf(
    [
      'lo, hi, count() AS n',
      `${flip} AS flip`,
      `${sum(oneWay('packets', forth), 'packets_rev')} AS p, ${sum('packets_rev', oneWay('packets', forth))} AS pr`,
      `${sum(oneWay('bytes', 'bytes'), 'bytes_rev')} AS b, ${sum('bytes_rev', oneWay('bytes', 'bytes'))} AS br`,
      `${bothOf('packets', forth)} AS pb, ${bothOf('bytes', 'bytes')} AS bb`,
      `${allOf('bytes', 'bytes_rev')} AS own_bytes, ${allOf(forth, 'packets_rev')} AS own_packets`,
      `min(${us}) AS first, max(${us}) AS last`,
      `max(${us} + ifNull(greatest(duration, 0), 0) * 1e6) AS ended`,
    ].join(', '),
    { from: subquery(each), where: TRUE_SQL },
    'GROUP BY lo, hi',
  );
  const measure = {
    bytes: 'own_bytes',
    flows: packets ? 'own_packets' : 'n',
    packets: 'own_packets',
    last: 'last',
  }[order];
  const keys = [ip4('lo'), ip4('hi'), ip6('lo'), ip6('hi')].join(', ');
  const flows = packets ? '0' : 'n';
  const summed = [
    `SELECT *, ${flows} AS flows, row_number() OVER (ORDER BY ${measure} DESC NULLS LAST, ${keys}) - 1 AS rank,`,
    `count() OVER () AS pairs, sum(${flows}) OVER () AS all_flows, sum(own_bytes) OVER () AS all_bytes, sum(own_packets) OVER () AS all_packets`,
    `FROM ${subquery(grouped)}`,
  ].join('\n');
  return { sql: `SELECT *\nFROM ${subquery(summed)}\nWHERE rank < ${limit}`, each, given };
}
