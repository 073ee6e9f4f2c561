/**
 * A hardware address means the same in every spelling: in a query, as a bare word and as a line of a list, in the
 * columns of hardware addresses, in attributes and in text.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { startQuery } from '../index.ts';
import { CaseSession } from '../session/case-session.ts';
import { unmatchedLines } from './unmatched-lines.ts';

const WRITTEN = ['92:dd:ae:01:02:0f', '92-DD-AE-01-02-0F', '92dd.ae01.020f', '92:dd:ae:1:2:f'];
const OTHER = '92:dd:ae:01:02:10';
const NOWHERE = '00-00-5e-00-53-01';

let folder: string;
let session: CaseSession;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-mac-values-'));
  const rows = [...WRITTEN, OTHER].map(
    (mac, n) => `2026-01-01T00:00:0${n}Z,10.0.0.${n},${mac},station ${n}`,
  );
  const lines = [...WRITTEN, OTHER].map(
    (mac, n) => `2026-01-01T00:01:0${n}Z ap1 wifid[1]: station ${mac}, signal ${n}\n`,
  );
  const files = {
    'stations.csv': `timestamp,src_ip,src_mac,note\n${rows.join('\n')}\n`,
    'wifi.log': lines.join(''),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await importInProcess(
    join(folder, 'case'),
    Object.keys(files).map((name) => join(folder, name)),
  );
  session = CaseSession.open(join(folder, 'case'), { memoryLimit: 3e8, threads: 2 });
});
afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

const given = (text: string) => ({ bytes: new TextEncoder().encode(text) });

async function count(text: string, list?: string, path?: 'scan'): Promise<number> {
  const asked = { text: `${text} | count`, zone: 'UTC', path };
  const running = startQuery(session, list === undefined ? asked : { ...asked, list: given(list) });
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('a number was asked for');
  return Number(answer.count);
}

describe.each([...WRITTEN, '92DD-AE01-020F', '92ddae-01020f'])('%s', (mac) => {
  it.each([undefined, 'scan'] as const)('is found as all others are, by path %s', async (path) => {
    expect(await count(`src_mac:${mac}`, undefined, path)).toBe(4);
    expect(await count(`src_mac = "${mac}"`, undefined, path)).toBe(4);
    expect(await count(`src_mac != ${mac}`, undefined, path)).toBe(6);
    expect(await count(mac, undefined, path)).toBe(8);
    expect(await count(`NOT ${mac}`, undefined, path)).toBe(2);
    expect(await count('*', `${mac}\n`, path)).toBe(8);
    expect(await count('*', `${mac}\n10.0.0.4\n${NOWHERE}\n`, path)).toBe(9);
    expect(await count('*', `src_mac\n${mac}\n`, path)).toBe(4);
    expect(await count('*', `src_mac,src_ip\n${mac},10.0.0.1\n${mac},10.0.0.4\n`, path)).toBe(1);
  });

  it('is a line of a list that is somewhere, or is not', async () => {
    const list = given([NOWHERE, mac, 'station', '10.9.9.9'].join('\n'));
    const { lines } = await unmatchedLines(session, { query: '*', zone: 'UTC', list });
    expect([...lines]).toEqual([1, 4]);
  });
});

it('takes beginnings, and digits alone where the field says what they are', async () => {
  for (const start of ['92:dd:ae*', '92-dd-ae-*', '92dd.ae*', '92ddae*', '92:dd:ae:01:*'])
    expect(await count(`src_mac:${start}`), start).toBe(5);
  expect(await count('src_mac:92ddae01020f')).toBe(4);
  expect(await count('src_mac:92ddae01021*')).toBe(1);
  // Also if the prefix ends within a pair that is written without its zero.
  for (const start of ['92:dd:ae:0*', '92:dd:ae:01:0*', '92ddae010*'])
    expect(await count(`src_mac:${start}`), start).toBe(5);
  for (const start of ['92:dd:ae:01:02:0*', '92-dd-ae-01-02-0*', '92dd.ae01.020*'])
    expect(await count(`src_mac:${start}`), start).toBe(4);
  // As a word it may be anything.
  expect(await count('92ddae01020f')).toBe(0);
  expect(await count(`"${WRITTEN[1]}"`)).toBe(2);
});

it.each(WRITTEN)('is the key %s of a file in any way to write it', async (mac) => {
  const bytes = new TextEncoder().encode(`src_mac,owner\n${mac},zoe\n`);
  for (const path of [undefined, 'scan'] as const) {
    const running = startQuery(session, {
      ...{ text: '* | lookup f on src_mac | where owner:zoe | count', zone: 'UTC', path },
      lookups: new Map([['f', { name: 'f', bytes, sha256: '00' }]]),
    });
    expect(await running.answer()).toMatchObject({ shape: 'count', count: 4 });
  }
});
