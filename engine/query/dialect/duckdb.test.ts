/** SQL specific to DuckDB, run by DuckDB. */
import { DuckDBInstance, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { communityId as communityIdOfBytes } from '../../util/community-id.ts';
import { foldText } from '../../util/fold.ts';
import { parseIp4, parseIp6, ip6ToUuid } from '../values/address.ts';
import {
  Params,
  communityId,
  foldedText,
  ip4Hex,
  ip6Hex,
  quoteIdentifier,
  constantText,
} from './duckdb.ts';

let connection: DuckDBConnection;
let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

describe('community IDs', () => {
  /** From the specification's reference implementation and its test captures. */
  const hex = (address: string): string => {
    const v4 = parseIp4(address);
    if (v4 !== undefined) return ip4Hex(`CAST(${v4} AS UINTEGER)`);
    return ip6Hex(`CAST('${ip6ToUuid(parseIp6(address)!)}' AS UUID)`);
  };
  it.each([
    ['128.232.110.120', '66.35.250.204', 34855, 80, 6, '1:LQU9qZlK+B5F3KDmev6m5PMibrg='],
    ['66.35.250.204', '128.232.110.120', 80, 34855, 6, '1:LQU9qZlK+B5F3KDmev6m5PMibrg='],
    ['192.168.1.52', '8.8.8.8', 54585, 53, 17, '1:d/FP5EW3wiY1vCndhwleRRKHowQ='],
    ['8.8.8.8', '192.168.1.52', 53, 54585, 17, '1:d/FP5EW3wiY1vCndhwleRRKHowQ='],
    ['192.168.170.8', '192.168.170.56', 7, 80, 132, '1:jQgCxbku+pNGw8WPbEc/TS/uTpQ='],
    ['192.168.0.89', '192.168.0.1', 8, 0, 1, '1:X0snYXpgwiv9TZtqg64sgzUn6Dk='],
    ['192.168.0.1', '192.168.0.89', 0, 8, 1, '1:X0snYXpgwiv9TZtqg64sgzUn6Dk='],
    ['192.168.0.89', '192.168.0.1', 20, 0, 1, '1:3o2RFccXzUgjl7zDpqmY7yJi8rI='],
    [
      'fe80::200:86ff:fe05:80da',
      'fe80::260:97ff:fe07:69ea',
      135,
      0,
      58,
      '1:dGHyGvjMfljg6Bppwm3bg0LO8TY=',
    ],
    ['10.1.24.4', '10.1.12.1', null, null, 46, '1:/nQI4Rh/TtY3mf0R2gJFBkVlgS4='],
  ])('%s %s %s %s %s', async (source, target, sourcePort, targetPort, proto, id) => {
    const port = (value: number | null) => `CAST(${value ?? 'NULL'} AS USMALLINT)`;
    const sql = communityId({
      source: hex(source),
      target: hex(target),
      sourcePort: port(sourcePort),
      targetPort: port(targetPort),
      proto: `CAST(${proto} AS UTINYINT)`,
    });
    expect((await connection.runAndReadAll(`SELECT ${sql}`)).getRows()).toEqual([[id]]);
  });

  it.each([1, 6, 47, 58])('are those of the batches, of protocol %i', async (proto) => {
    const sql = communityId({
      source: ip4Hex('s'),
      target: ip4Hex('t'),
      sourcePort: 'CAST(p AS USMALLINT)',
      targetPort: 'CAST(q AS USMALLINT)',
      proto: `CAST(${proto} AS UTINYINT)`,
    });
    // It is planned with every list of events.
    expect(sql.length).toBeLessThan(4000);
    const rows = await connection.runAndReadAll(
      `SELECT s, t, p, q, ${sql} FROM (VALUES (1, 2), (2, 1), (2, 2)) AS a(s, t), (FROM range(150) UNION ALL VALUES (NULL), (65535)) AS b(p), (VALUES (0), (3), (140), (NULL)) AS c(q)`,
    );
    const bytes = (ip: DuckDBValue | undefined) => Uint8Array.of(0, 0, 0, Number(ip));
    const port = (value: DuckDBValue | undefined) =>
      value === undefined || value === null ? undefined : Number(value);
    expect(rows.currentRowCount).toBe(3 * 152 * 4);
    for (const [s, t, p, q, id] of rows.getRows())
      expect([s, t, p, q, id]).toEqual([
        ...[s, t, p, q],
        communityIdOfBytes(bytes(s), bytes(t), port(p), port(q), proto),
      ]);
  });
});

it('binds what is used, once', () => {
  const params = new Params();
  const a = params.text('a');
  params.text('unused');
  const b = params.bind(5.5, 'DOUBLE');
  const whole = params.bind(-5, 'BIGINT');
  expect(params.finish(`${b} ${a} ${whole} ${b} ${params.text('a')}`)).toEqual({
    sql: 'CAST($1 AS DOUBLE) CAST($2 AS VARCHAR) CAST(-5 AS BIGINT) CAST($1 AS DOUBLE) CAST($2 AS VARCHAR)',
    params: [5.5, 'a'],
  });
  const huge = params.finish(`${params.bind(1e300, 'BIGINT')} ${params.text('1; DROP TABLE x')}`);
  expect(huge.params).toEqual([1e300, '1; DROP TABLE x']);
  expect(constantText("it's")).toBe("CAST('it''s' AS VARCHAR)");
  expect(quoteIdentifier('a"; DROP TABLE x; --')).toBe('"a""; DROP TABLE x; --"');
  expect(() => quoteIdentifier('a\0')).toThrow(RangeError);
});

describe('texts with case ignored', () => {
  it('are equal exactly where folding makes them so, for every character', async () => {
    const reader = await connection.runAndReadAll(
      `SELECT * FROM (SELECT c, ${foldedText('c')} AS f FROM (SELECT chr(CAST(i AS INTEGER)) AS c
       FROM (FROM range(1, 55296) UNION ALL FROM range(57344, 1114112)) AS t(i))) WHERE f <> c`,
    );
    const changed = new Map(reader.getRows().map(([one, folded]) => [String(one), String(folded)]));
    expect(changed.size).toBeGreaterThan(1000);
    const toSql = new Map<string, string>();
    const fromSql = new Map<string, string>();
    for (let point = 1; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const one = String.fromCodePoint(point);
      const [ours, theirs] = [foldText(one), changed.get(one) ?? one];
      if ((toSql.get(ours) ?? theirs) !== theirs || (fromSql.get(theirs) ?? ours) !== ours)
        expect.fail(`${one} is folded to ${ours} and ${theirs}`);
      toSql.set(ours, theirs);
      fromSql.set(theirs, ours);
    }
  }, 120_000);

  it('keep what stands for a letter apart from the letter', async () => {
    const texts = ['\u0001yz', 'İz', 'iz', '\u0001xyz', 'IZ'];
    const list = texts.map((_, i) => `(${foldedText(`$${i + 1}`)})`).join(', ');
    const [row = []] = (await connection.runAndReadAll(`SELECT ${list}`, texts)).getRows();
    expect(new Set(row.map(String)).size).toBe(4);
    expect(row[2]).toBe(row[4]);
  });
});
