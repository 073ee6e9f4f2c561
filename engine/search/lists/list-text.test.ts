/**
 * An address or a block in a list means the same as in a query: addresses of events and in the text of logs, by
 * index, by comparing rows, and for unmatched lines.
 */
import { afterAll, expect, it, vi } from 'vitest';
import { startQuery } from '../query.ts';
import { caseOfFiles, ndjson } from '../testing/case-of-files.ts';
import { unmatchedLines } from './unmatched-lines.ts';

const ADDRESSES = ['183.62.140.253', '10.0.0.7', '10.0.0.70', '203.0.113.9', '1.2.3.4', '9.8.7.6'];

vi.stubEnv('DAYBOOK_INDEX_ROWS', '25');
afterAll(() => vi.unstubAllEnvs());
const at = (n: number) => new Date(Date.UTC(2026, 0, 1 + (n % 2), 0, 0, n)).toISOString();
const lines = Array.from({ length: 300 }, (_, n) => {
  const address = ADDRESSES[n % 3]!;
  const texts = [
    `Failed password for root from ${address} port ${n} ssh2`,
    `IP ${address}.443 > 203.0.113.9.80: tcp; oid 1.3.6.1.2.3.4.5`,
    `x${address} ${address}x é${address} nothing`,
    `peer 2001:DB8:0:0::7: refused`,
  ];
  return `${at(n)} web1 sshd[${n}]: ${texts[n % 4]}`;
});
const records = Array.from({ length: 60 }, (_, n) => ({
  ...{ timestamp: at(n), src_ip: ADDRESSES[n % 2], dst_ip: '10.9.9.9', bytes: n },
  ...(n % 5 === 0 ? { answers: ['9.8.7.6', 'x'] } : {}),
}));
const session = await caseOfFiles({
  'auth.log': `${lines.join('\n')}\n`,
  'flows.json': ndjson(records),
});

const bytes = (text: string) => new TextEncoder().encode(text);

async function count(text: string, list?: string, path?: 'scan', fields?: string[]) {
  const given = list === undefined ? undefined : { bytes: bytes(list), fields };
  const running = startQuery(session, { text: `${text} | count`, zone: 'UTC', list: given, path });
  const answer = await running.answer();
  return answer.shape === 'count' ? Number(answer.count) : undefined;
}

it.each([
  ...ADDRESSES,
  ...['183.62.140.0/24', '10.0.0.0/26', '203.0.113.0/24', '0.0.0.0/0', '6.1.2.3', '172.16.0.0/12'],
  ...['2001:db8::7', '2001:db8::/32', '10[.]0[.]0[.]7'],
])('%s in a list is what it is in a query', async (value) => {
  const expected = await count(value.replaceAll('[.]', '.'), undefined, 'scan');
  for (const path of [undefined, 'scan'] as const) {
    expect(await count('*', `${value}\n`, path)).toBe(expected);
    // Together with others, some of which match nothing.
    expect(
      await count(value.replaceAll('[.]', '.'), `${value}\n198.51.100.0/24\nnosuchword\n`, path),
    ).toBe(expected);
  }
});

it('takes the columns alone, or text alone, where that is said', async () => {
  const list = '183.62.140.253\n';
  const whole = (await count('*', list)) ?? 0;
  const columns = (await count('*', list, undefined, ['ip'])) ?? 0;
  const text = (await count('*', list, undefined, ['text'])) ?? 0;
  // Addresses of flows, and of logins that they were cut from.
  expect(columns).toBe(await count('ip:183.62.140.253', undefined, 'scan'));
  expect(columns).toBe(55);
  expect(text).toBeGreaterThan(columns - 30);
  expect(whole).toBe(await count('183.62.140.253', undefined, 'scan'));
});

it('says of each line whether some event has it', async () => {
  const list = `${[...ADDRESSES, '183.62.140.0/24', '198.51.100.0/24', '2001:db8::7', '2001:db8::8'].join('\n')}\n`;
  for (const query of ['*', '* | head 290', 'failed']) {
    const view = { query, zone: 'UTC', list: { bytes: bytes(list) } };
    const { lines } = await unmatchedLines(session, view);
    const expected: number[] = [];
    for (const [i, value] of list.trim().split('\n').entries())
      if ((await count(query.replace(/ \|.*/, ''), `${value}\n`, 'scan')) === 0)
        expected.push(i + 1);
    expect([...lines]).toEqual(expected);
  }
});

it('is not limited to a few addresses', async () => {
  const many = Array.from(
    { length: 20_000 },
    (_, n) => `198.${n >>> 14}.${(n >>> 8) & 63}.${n & 255}`,
  );
  const list = [...many, '183.62.140.253'].join('\n');
  const expected = await count('183.62.140.253', undefined, 'scan');
  expect(await count('*', list)).toBe(expected);
  const view = { query: '*', zone: 'UTC', list: { bytes: bytes(list) } };
  expect((await unmatchedLines(session, view)).lines).toHaveLength(20_000);
});
