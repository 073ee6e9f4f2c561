/** Queries of a case translated to ClickHouse, and those that are refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { type SmallCase, smallCase } from '../testing/small-case.ts';
import { translateQuery } from './clickhouse-query.ts';

let small: SmallCase;
beforeAll(async () => {
  const lines = [1, 2, 3].map(
    (n) => `Nov 21 10:00:0${n} web01 sshd[${n}]: Failed password for a\n`,
  );
  small = await smallCase({ 'a.log': lines.join('') }, evidence);
});
afterAll(() => small.dispose());

const sqlOf = async (text: string, database?: string): Promise<string> =>
  small.services.cases.use(small.folder, async (session) => {
    const { sql } = await translateQuery(session, { text, zone: 'UTC', database });
    return sql.replace(/\s+/g, ' ').trim();
  });

it.each([
  ['kind:log | count', /count\(\) AS n FROM acme\.events WHERE kind = 'log' \)/],
  [
    'kind:log NOT src_port:22 | count',
    /WHERE kind = 'log' AND \(NOT ifNull\(src_port = 22, false\)\)/,
  ],
  [`host:"a' OR 1=1" | count`, /match\(host, '[^']*'\)/],
  ['failed | top 3 program', /GROUP BY .* LIMIT 3/],
  ['* | top 3 source', /LEFT JOIN acme\.sources AS s0 ON s0\.source_id = t\.c0/],
  ['* | eval n = pid + 1 | where n > 2', /toFloat64\(pid\) \+ toFloat64\(1\)/],
])('%s', async (query, expected) => {
  const sql = await sqlOf(query, 'acme');
  expect(sql).toMatch(expected);
});

it.each([
  ['* | dedup tag', 'an event may have several tags'],
  ['* | eval n = replace(message, /a*/, "b") | where n = "x"', 'has no translation'],
])('%s is refused', async (query, reason) => {
  await expect(sqlOf(query)).rejects.toThrow(reason);
});
