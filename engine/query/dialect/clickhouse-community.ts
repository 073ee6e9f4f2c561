/**
 * ClickHouse: the Community ID of an event, as util/community-id.ts computes it.
 * https://github.com/corelight/community-id-spec
 */
import type { ClickHouseScope } from './clickhouse-scope.ts';
import { ICMP6_PAIRS, ICMP_PAIRS } from './duckdb.ts';

/** As its event states it, or computed from addresses, ports and protocol; NULL if an event has none. */
export function communityClickHouse(scope: ClickHouseScope): string {
  const stated = scope.attribute('community_id');
  const given = ['src_ip', 'dst_ip'].map(addressHex);
  const numbers = (['proto', 'src_port', 'dst_port'] as const).map(
    (name) => `toInt32(${scope.column(name)})`,
  );
  const computed = `arrayMap((a, b, p, s, t) -> ${communityOf()}, ${[...given, ...numbers].map((sql) => `[${sql}]`).join(', ')})[1]`;
  return stated === undefined ? computed : `coalesce(${stated}, ${computed})`;
}

/** An address as hexadecimal digits: 8 or 32. */
function addressHex(sql: string): string {
  return `coalesce(hex(reverse(reinterpretAsFixedString(toUInt32(toIPv4OrNull(${sql}))))), hex(IPv6StringToNumOrNull(${sql})))`;
}

/** For addresses `a` and `b`, protocol `p` and ports `s` and `t`. */
function communityOf(): string {
  const answer = `multiIf(p = 1, ${pairedType(ICMP_PAIRS)}, p = 58, ${pairedType(ICMP6_PAIRS)}, -1)`;
  // A type without an answer is one-way: its sides are never swapped.
  const isOneWay = `(p IN (1, 58) AND s IS NOT NULL AND r < 0)`;
  const hasPorts = `(p IN (1, 6, 17, 58, 132) AND s IS NOT NULL AND (r >= 0 OR t IS NOT NULL))`;
  const port = (sql: string): string =>
    `if(${hasPorts}, hex(toUInt8(bitShiftRight(${sql}, 8))) || hex(toUInt8(bitAnd(${sql}, 255))), '')`;
  const [first, second] = [port('ifNull(s, 0)'), port('if(r >= 0, r, ifNull(t, 0))')];
  const bytes = (from: string, to: string, one: string, other: string): string =>
    `concat('0000', ${from}, ${to}, hex(toUInt8(ifNull(p, 0))), '00', ${one}, ${other})`;
  const ordered = `if(${isOneWay} OR a || x <= b || y, ${bytes('a', 'b', 'x', 'y')}, ${bytes('b', 'a', 'y', 'x')})`;
  const hashed = `'1:' || base64Encode(SHA1(unhex(${ordered})))`;
  const made = `arrayMap((x, y) -> ${hashed}, [${first}], [${second}])[1]`;
  return `if(a IS NULL OR b IS NULL OR p IS NULL OR length(a) != length(b), NULL, arrayMap(r -> ${made}, [${answer}])[1])`;
}

function pairedType(pairs: readonly (readonly [number, number])[]): string {
  const [from, to] = [0, 1].map((i) => pairs.map((pair) => pair[i]).join(', '));
  return `transform(ifNull(s, -1), [${from}], [${to}], -1)`;
}
