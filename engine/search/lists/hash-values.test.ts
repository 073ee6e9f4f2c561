/**
 * A bare hash is looked for in the fields of hashes, too: events of tables and captures have it in no message, and
 * indicators are words in a query or lines of a list.
 */
import { expect, it } from 'vitest';
import { startQuery } from '../index.ts';
import { caseOfFiles } from '../testing/case-of-files.ts';
import { unmatchedLines } from './unmatched-lines.ts';

const [MD5, SHA1, SHA256] = ['0f', '1a', 'c5'].map((pair, at) => pair.repeat([16, 20, 32][at]!));
const NOWHERE = 'd'.repeat(64);

const rows = [
  ['10.0.0.1', SHA256, '', ''],
  ['10.0.0.2', '', MD5!.toUpperCase(), ''],
  ['10.0.0.3', '', '', SHA1],
  ['10.0.0.4', `${SHA256}00`, '', ''],
].map((cells, n) => [`2026-01-01T00:00:0${n}Z`, ...cells].join(','));
const session = await caseOfFiles({
  'files.csv': `timestamp,src_ip,sha256,md5,sha1\n${rows.join('\n')}\n`,
  'scan.log': `2026-01-01T00:00:09Z web1 scan[1]: infected ${SHA256} quarantined\n`,
});

const given = (text: string) => ({ bytes: new TextEncoder().encode(text) });

async function count(text: string, list?: string, path?: 'scan'): Promise<number> {
  const asked = { text: `${text} | count`, zone: 'UTC', path };
  const running = startQuery(session, list === undefined ? asked : { ...asked, list: given(list) });
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('a number was asked for');
  return Number(answer.count);
}

it.each([
  [SHA256!, 2],
  [SHA256!.toUpperCase(), 2],
  [MD5!, 1],
  [SHA1!, 1],
  [NOWHERE, 0],
  // No hash: a word.
  [SHA256!.slice(1), 0],
])('finds %s in fields and in text', async (hash, expected) => {
  for (const path of [undefined, 'scan'] as const) {
    expect(await count(hash, undefined, path)).toBe(expected);
    expect(await count(`NOT ${hash}`, undefined, path)).toBe(5 - expected);
    expect(await count(`* | where ${hash}`, undefined, path)).toBe(expected);
    expect(await count('*', `${hash}\n`, path)).toBe(expected);
    expect(await count('*', `${hash}\n10.0.0.4\n${NOWHERE}\n`, path)).toBe(expected + 1);
  }
  // In quotes it is a phrase of the text.
  expect(await count(`"${hash}"`)).toBe(expected === 2 ? 1 : 0);
});

it('says which lines of a list are nowhere', async () => {
  const list = given([MD5, NOWHERE, SHA256, SHA1, 'infected', '10.9.9.9'].join('\n'));
  for (const query of ['*', '* | head 3']) {
    const { lines } = await unmatchedLines(session, { query, zone: 'UTC', list });
    expect([...lines]).toEqual(query === '*' ? [2, 6] : [2, 5, 6]);
  }
});
