/** Columns of a file, by SQL and in memory, against a loop over the file's rows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseIp4 } from '../values/address.ts';
import { lookupFiles } from '../lookups/lookup-file.ts';
import { answersOfBatches } from '../testing/answers-of-batches.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';

const START = Date.UTC(2026, 10, 20) * 1000;
const ADDRESSES = ['10.0.0.5', '10.0.1.9', '10.1.2.3', '192.0.2.7', '198.51.100.1'];
const HOSTS = ['Web1', 'db2', 'ſun', undefined];

const EVENTS: TestEvent[] = Array.from({ length: 60 }, (_, i): TestEvent => {
  const isIp6 = i % 7 === 0;
  const host = HOSTS[i % HOSTS.length];
  return {
    ...{ kind: i % 2 === 0 ? 'flow' : 'log', source: 1, seq: i + 1, ts: START + i * 1e6 },
    fields: {
      ...(isIp6
        ? { src_ip6: `20010db8-0000-0000-0000-00000000000${i % 3}` }
        : { src_ip4: parseIp4(ADDRESSES[i % 5]!)! }),
      ...(host === undefined ? {} : { host }),
      dst_port: [22, 443, 53][i % 3]!,
      proto: i % 2 === 0 ? 6 : 17,
    },
    attributes: { peer: i % 3 === 0 ? '10.0.0.5' : `p${i % 4}` },
  };
});

const FILES: Readonly<Record<string, string>> = {
  'hosts.csv': [
    'src_ip,owner,score',
    '10.0.0.0/8,ten,1',
    '10.0.0.0/16,ten-zero,',
    '10.0.0.5,five,3',
    '10.0.0.5,again,4',
    '192[.]0.2.7,"docs, ""seven""",5.5',
    '2001:db8::/127,low,6',
    '2001:db8::2,two,7',
    ',none,8',
  ].join('\n'),
  'names.tsv': 'name\tkind\tweekday\nWEB1\tserver\tmon\nsun\tstar\ttue\nnobody\tnone\twed\n',
  'ports.json': '{"port":22,"what":"ssh"}\n{"port":"443","what":"https","more":[1]}\n',
  'protos.csv': 'proto,text\ntcp,T\n17,U\n',
  'peers.csv': 'addr,who\n10.0.0.0/24,net\n::ffff:10.0.0.5,five\n',
};

let test: TestCase;
const lookups = lookupFiles(
  new Map(
    Object.entries(FILES).map(([name, text]) => [
      name,
      { name, bytes: Buffer.from(text), sha256: name },
    ]),
  ),
);
const plan = (text: string) => test.plan(text, { lookups });
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

async function rows(text: string): Promise<Record<string, unknown>[]> {
  const found = await test.answer(plan(text));
  if (!('rows' in found)) throw new Error(found.shape);
  return [...found.rows];
}

describe('lookup', () => {
  it('compares addresses as addresses, the longest block first, of one key the first row', async () => {
    const found = await rows(
      'kind:* | lookup hosts.csv on src_ip | fields event_id, src_ip, owner, score',
    );
    expect(found).toHaveLength(60);
    const wanted: Readonly<Record<string, readonly [string | null, number | null]>> = {
      '10.0.0.5': ['five', 3],
      '10.0.1.9': ['ten-zero', null],
      '10.1.2.3': ['ten', 1],
      '192.0.2.7': ['docs, "seven"', 5.5],
      '198.51.100.1': [null, null],
      '2001:db8::': ['low', 6],
      '2001:db8::1': ['low', 6],
      '2001:db8::2': ['two', 7],
    };
    for (const { src_ip: ip, owner, score } of found)
      expect([ip, owner, score]).toEqual([ip, ...wanted[String(ip)]!]);
  });

  it('takes texts without regard to case, numbers by value, names of numbers', async () => {
    const found = await rows(
      '| lookup names.tsv on host as name | lookup ports.json on dst_port as port | lookup protos.csv on proto | fields host, lookup.kind, weekday, what, more, text, dst_port, proto',
    );
    for (const row of found) {
      const { host } = row;
      expect(row['lookup.kind']).toBe(host === 'Web1' ? 'server' : host === 'ſun' ? 'star' : null);
      expect(row['what']).toBe({ 22: 'ssh', 443: 'https', 53: null }[String(row['dst_port'])]);
      expect(row['more']).toBe(row['dst_port'] === 443 ? '[1]' : null);
      expect(row['text']).toBe(row['proto'] === 'tcp' ? 'T' : 'U');
    }
    expect(found).toHaveLength(60);
  });

  it('finds addresses in texts where the keys are addresses', async () => {
    expect(
      await rows('| lookup peers.csv on peer as addr | stats count() by peer, who'),
    ).toContainEqual({ peer: '10.0.0.5', who: 'five', count: 20 });
  });

  it('gives columns that filters, measures and tables take', async () => {
    expect(
      await rows(
        '| lookup hosts.csv on src_ip | where score >= 5 owner:t* | stats count() by owner',
      ),
    ).toEqual([
      {
        owner: 'two',
        count: EVENTS.filter(({ fields }) => String(fields.src_ip6).endsWith('2')).length,
      },
    ]);
    const [first] = await rows(
      '| top 1 src_ip | lookup hosts.csv on src_ip | fields src_ip, count, owner',
    );
    expect(first?.['owner']).toBeDefined();
  });

  it.each([
    '| lookup hosts.csv on src_ip | stats count(), sum(score) by owner',
    '| lookup names.tsv on host as name | top 5 lookup.kind',
    '| lookup ports.json on dst_port as port | where what:ssh | count',
    '| lookup peers.csv on peer as addr | values who',
    '| stats count() by src_ip, host | lookup hosts.csv on src_ip | lookup names.tsv on host as name | sort src_ip, host',
    '| stats count() by dst_port | lookup ports.json on dst_port as port',
  ])('is the same of batches: %s', async (text) => {
    const right = await test.answer(plan(text));
    expect(answersOfBatches(test, test.plan(text, { lookups, rowByRow: true }))).toEqual(right);
  });
});

it.each([
  ['| lookup other.csv on src_ip', 'was not read', 'command line'],
  ['| lookup names.tsv on host', 'has no column "host"', 'names.tsv on host as name'],
  ['| lookup hosts.csv on ts as src_ip', 'a time cannot be looked up', undefined],
  ['| lookup names.tsv on src_ip as name', '"WEB1" is neither an address', undefined],
  ['| lookup names.tsv on dst_port as name', '"WEB1" is not a number', undefined],
  ['| lookup hosts.csv src_ip', 'expected on', 'lookup hosts.csv on src_ip'],
  ['| lookup hosts.csv on src_ip | union (kind:log)', 'union takes events', 'before'],
])('says what is wrong in %s', (text, message, hint) => {
  let found: { message: string; hint?: string | undefined } | undefined;
  try {
    plan(text);
  } catch (error) {
    if (error instanceof Error) found = error;
  }
  expect(found?.message).toContain(message);
  if (hint !== undefined) expect(found?.hint).toContain(hint);
});

it.each([
  ['', 'it is empty'],
  ['a,b\n', 'no row'],
  ['a,a\n1,2\n', 'two columns named a'],
  ['a,b\n1\n', 'line 2: 1 value for 2 columns'],
  ['a\n"x', 'not closed'],
  ['{"a":1}\nx\n', 'not a JSON object'],
  ['a\0b', 'not text'],
])('says what is wrong with the file %j', (text, message) => {
  expect(() =>
    lookupFiles(new Map([['f', { name: 'f.csv', bytes: Buffer.from(text), sha256: 'f' }]])),
  ).toThrow(message);
});
