/**
 * Every face of every stage on the same events: DuckDB's SQL defines the answer, and the stage over batches or a
 * table in memory gives the same. A stage without an entry fails. engine/search/paths.test.ts compares rollups with
 * both, with any filter.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STAGE_NAMES } from '../syntax/lexemes.ts';
import type { Stage, StageName } from '../syntax/ast.ts';
import { lookupFiles } from '../lookups/lookup-file.ts';
import { parseQuery } from '../syntax/parse.ts';
import { groupQuestion } from '../../search/access-paths/group-question.ts';
import { answersOfBatches } from '../testing/answers-of-batches.ts';
import { EVENTS } from '../testing/fixture.ts';
import { type TestCase, openTestCase } from '../testing/test-case.ts';
import { STAGE_OPERATORS, stageOperatorOf } from './stages.ts';

const ENTRIES: Readonly<Record<StageName, readonly string[]>> = {
  count: ['| count', 'failed | count', '| stats count() by kind | count'],
  top: [
    '| top 2 src_ip',
    '| top 5 proto, dst_port by sum(bytes)',
    '| top 3 host by distinct(program)',
    '| top user',
  ],
  rare: ['| rare 2 src_ip', '| rare 3 host by sum(bytes)', '| rare user'],
  eval: [
    '| eval x = len(message) | stats count() by x',
    '| eval big = if(bytes > 50, "yes", "no") | top big',
    '| eval a = bytes * 2 | eval b = a + 1 | where b > 50 | stats sum(b), max(a) by kind',
    '| eval host = lower(coalesce(host, "none")) | values host',
    '| eval src_ip = toip("10.0.0.1") | where src_ip:10.0.0.0/8 | top src_ip',
    '| stats count() as n, sum(bytes) as b by kind | eval each = b / n | where each > 1 | sort each',
    '| stats count() as n by kind | eval n = n * 2, | head 3'.replace(',', ''),
    '| eval x = len(message) | where x > 20 | fields x, host',
    '| eval gap = delta(ts) by src_ip | eval before = prev(host) by kind | fields event_id, gap, before',
    '| stats count() as n, sum(bytes) as b, first(src_ip) as ip by kind, host | sort -n, kind, host | eval more = delta(n) | eval was = prev(b, 2) by kind | eval ip = prev(ip)',
    '| timeline 1h | eval more = if(prev(count) = 0, count, delta(count)) | where more != 0',
  ],
  extract: [
    '| extract "from {src_ip} port {src_port}" | stats count() by src_ip, src_port',
    '| extract /(?<first>\\w+) (?<second>\\w+)/ | stats count() by first, second, host',
    '| extract "{verb} password for {who:text} from" from message | where verb:failed | values who',
    '| stats count() as n by host | extract /^(?<letters>[a-z]+)(?<digits>[0-9]+)/ from host | sort letters, digits',
  ],
  parse: [
    '| eval message = concat("user=", host, " n=7 text=\\"a b\\" src_ip=192.0.2.9 bytes=", bytes) | parse kv(message) | stats count() by user, n, text, src_ip, bytes',
    '| eval t = concat("{\\"a\\":{\\"b\\":1.50,\\"c\\":[1]},\\"a.b\\":\\"x\\",\\"host\\":", if(bytes > 50, "\\"J\\"", "12345678901234567890"), "}") | parse json(t) | stats count() by a.b, a.c, host',
    // Duplicate names, also in nested objects; what DuckDB accepts and what it does not.
    ...[
      '{"a":"first","a":"second","o":{"x":1},"o":{"x":2,"y":3}}',
      '{"a":"first","a":null,"o":{"x":1},"o":{"y":3}}',
      '{"o.x":{"n":1},"o":{"x":"within"},"a":[1,2],"a":{"b":1}}',
      '{"o.x":1,"o.x":null,"o":[{"x":1}],"a":"b",}',
      '{"\\u0061":1,"a":-1.50,"o":{"y":-NaN,"x":-inf}}',
      '{"a":"\\\\ud800 \\ud83d\\ude00","o":{"y":nan,"x":Infinity}}',
      '{"a":"\\ud800","o":{"x":1}}',
      '{"a":[,],"o":{"x":1}}',
    ].map(
      (json) =>
        `| eval t = ${JSON.stringify(json)} | parse json(t) | stats count() by a, o.x, o.y, a.b`,
    ),
    '| parse kv(message) | where user:* | count',
  ],
  lookup: [
    '| lookup hosts.csv on src_ip as ip | fields event_id, src_ip, owner',
    '| stats count() by src_ip | lookup hosts.csv on src_ip as ip',
    '| values host | lookup hosts.csv on host as owner | sort host',
  ],
  unnest: ['| unnest user | top user', '| stats count() by host | unnest host | sort host'],
  rename: [
    '| rename src_ip as client | top client',
    '| stats count() as n by host | rename host as name, n as events | sort events',
    '| rename host as name | where name:web01 | fields name',
  ],
  timeline: [
    '| timeline 1h',
    '| timeline 1d by kind',
    '| timeline 1h sum(bytes)',
    '| timeline 1d distinct(src_ip) by kind',
    '| timeline 1h median(bytes) | where count > 0 | count',
    '| timeline',
    'failed | timeline 5m by host',
  ],
  stats: [
    '| stats count(), sum(bytes), avg(bytes), min(ts), max(bytes) by kind',
    '| stats count(), distinct(src_ip), p50(bytes), p95(bytes)',
    '| stats sum(bytes) as b by src_ip',
    '| stats countif(bytes > 50), median(bytes), p90(bytes), p99.9(bytes), stddev(packets) by kind',
    '| stats first(host), last(host), first(bytes), last(ts), values(host) by kind',
    '| stats values(src_ip), first(src_ip), sum(bytes * 2), max(len(message))',
    '| stats count() by bin(ts, 1h), weekday',
    '| stats count() by src_ip/24',
    '| stats count() by hour',
    '| stats count() by len(message) | where len(message) > 5 | count',
  ],
  session: [
    '| session by host gap 10m',
    'kind:flow | session gap 1m | where count > 0',
    '| session by ip gap 5m',
  ],
  sequence: [
    '| sequence by host within 1d: failed then accepted',
    'kind:flow | sequence within 1h: dst_port:443 then kind:flow | fields first, last, duration',
    '| sequence by ip within 1d: kind:flow x2',
  ],
  values: ['| values host', '| values src_ip', '| values user', '| values kind'],
  talkers: ['| talkers', '| talkers 1'],
  patterns: ['| patterns', '| patterns 2 desc'],
  where: [
    '| stats count() as n by host | where n > 1',
    '| where bytes > 50 | count',
    '| values src_ip | where src_ip = 10.0.0.1',
  ],
  fields: [
    '| stats count() as n by kind, host | fields -n',
    '| stats count() as n, sum(bytes) as b by kind | fields b, kind',
    '| fields host, ts',
  ],
  sort: ['| stats count() as n by host | sort n desc, host', '| sort bytes desc'],
  head: ['| stats sum(bytes) as b by src_ip | sort b desc | head 2', '| head 3'],
  tail: ['| stats sum(bytes) as b by src_ip | tail 2', '| tail 3'],
  dedup: ['| dedup host', '| stats count() by kind, host | dedup kind'],
  union: ['failed | union (kind:flow) | count', 'failed | union (kind:flow | head 2) | count'],
};

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

const lookups = lookupFiles(
  new Map([
    [
      'hosts.csv',
      {
        name: 'hosts.csv',
        bytes: Buffer.from('ip,owner\n10.0.0.0/8,web01\n192.168.1.7,b\n'),
        sha256: 'f',
      },
    ],
  ]),
);
const compared = new Set<string>();

it('has an entry for every stage, and the window knows them all', () => {
  expect(Object.keys(ENTRIES).sort()).toEqual(Object.keys(STAGE_OPERATORS).sort());
  expect([...STAGE_NAMES].sort()).toEqual(Object.keys(STAGE_OPERATORS).sort());
});

describe.each(Object.entries(ENTRIES))('%s', (name, queries) => {
  it.each(queries)('agrees in %s', async (text) => {
    const plan = test.plan(text, { lookups });
    const stages: readonly Stage[] = plan.ast.stages;
    expect(stages.some(({ stage }) => stage === name)).toBe(true);
    if (plan.shape === 'rows') {
      // Rows: each event once, as many as there are.
      const { ids } = await test.rows(plan);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThan(0);
      return;
    }
    const right = await test.answer(plan);
    const batches = answersOfBatches(test, plan);
    if (batches === undefined) return;
    for (const { stage } of plan.stages) compared.add(stage);
    expect(batches).toEqual(right);
    if (plan.stages.length === 1 && stageOperatorOf(plan.stages[0]!).groups === undefined)
      expect(groupQuestion(plan)).toBeUndefined();
  });

  it('was compared by batches, where it has that face', () => {
    const { batches, batchTable } = stageOperatorOf(parsedStage(name, queries[0]!));
    expect(compared.has(name)).toBe(batches !== undefined || batchTable !== undefined);
  });
});

function parsedStage(name: string, text: string): Stage {
  const found = parseQuery(text).stages.find(({ stage }) => stage === name);
  if (found === undefined) throw new TypeError(`no stage ${name} in ${text}`);
  return found;
}
