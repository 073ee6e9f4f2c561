/** Groups of patterns contain what RE2 in DuckDB returns for them. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CaptureMatcher } from './captures.ts';

const TEXTS = [
  'Failed password for invalid user alice from 192.0.2.7 port 4711 ssh2',
  'user=bob, user="carol d" key=',
  'aaa',
  'abcabcabd',
  'naïve ÄÖ 😀 end',
  'one\ntwo\nthree',
  '',
  'xaaaabbbby',
  '<14>prog[12]: a: b: c',
];
const PATTERNS = [
  'for (?:invalid user )?(?P<user>\\S+) from (?P<ip>\\S+) port (\\d+)',
  '(a*)(a*)',
  '(a*?)(a*)',
  '(a+?)(a?)',
  '(a|ab)(c|bcd)(d*)',
  '(ab|a)(bc|c)?',
  '((a)|(b))+',
  '(?:(a)|(b)|(c))*',
  '^(\\w+).*?(\\w+)$',
  '(?m)^(t\\w+)$',
  '\\b(\\w)(\\w*)\\b',
  'user="?([^",]*)"?',
  '(?i)(USER)=(\\w+)',
  '(.*)(ï|Ö)(.*)',
  '(\\S+)\\s(😀)',
  '([a-z]{2,3})([a-z]{1,2}?)([a-z]*)',
  '(?U)(a+)(b+)',
  '(.+): (.+)',
  '(.+?): (.+?)',
  '(x)?(a)?',
  '()(a|)',
  '(z)',
  '\\[(\\d+)\\]',
];

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

describe('groups', () => {
  it.each(PATTERNS)('%s', async (pattern) => {
    const matcher = new CaptureMatcher(pattern, false);
    for (const text of TEXTS) {
      const bytes = Buffer.from(text);
      const found = matcher.exec(bytes);
      for (let group = 0; group <= matcher.names.length; group++) {
        const reader = await connection.runAndReadAll(
          `SELECT regexp_extract($1::VARCHAR, $2::VARCHAR, ${group})`,
          [text, pattern],
        );
        const start = found?.[2 * group] ?? -1;
        const expected = start < 0 ? '' : bytes.toString('utf8', start, found?.[2 * group + 1]);
        expect(expected, `${text} ${group}`).toBe(reader.getRows()[0]?.[0]);
      }
    }
  });

  it('are told in a time that is linear in the text', () => {
    const text = Buffer.from(`${'a'.repeat(5000)}b`);
    expect(new CaptureMatcher('(a*)*(a*)*c', false).exec(text)).toBeUndefined();
    expect(new CaptureMatcher('^(a|aa)+$', false).exec(text)).toBeUndefined();
  });
});
