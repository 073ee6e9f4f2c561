/** The automaton against RE2 itself, in DuckDB, and on texts that make backtracking exponential. */
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRe2 } from './check.ts';
import { Matcher, compilePattern } from './matcher.ts';
import { compileProgram } from './program.ts';
import { parsePattern } from './syntax.ts';

const utf8 = new TextEncoder();
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'aab',
  'abc\ndef',
  '\n',
  'foo bar',
  'foo_bar',
  'ſ',
  'K',
  'k',
  'é',
  'É',
  'ß',
  'ẞ',
  'ss',
  'naïve user',
  'x=1; y=22',
  '10.0.0.1',
  'a\r\nb',
  'tab\there',
  'αβγ ΑΒΓ ς',
  '日本語',
  '😀x',
  'a.b*c',
  ' ',
  'İi',
  '\u000b',
  'Failed password for root from 10.0.0.1 port 22 ssh2',
  '_',
  '-',
  'Z9',
  // A letter with a capital that RE2's Unicode does not know yet; no character.
  '\u019b',
  '\u0378',
];
const PATTERNS = [
  'a',
  '^a',
  'a$',
  '^$',
  '',
  'a|b',
  '(a|b)c',
  'a*',
  '(?:ab)+',
  '.',
  'c.d',
  '(?s)c.d',
  '(?m)^d',
  '(?m)c$',
  '\\bbar',
  '\\Bbar',
  '\\bfoo\\b',
  '\\d+',
  '\\D',
  '\\s',
  '\\S\\s\\S',
  '\\w+',
  '\\W',
  '[[:alpha:]]',
  '[[:^alpha:]]',
  '[^a-z]',
  '[a-f]{2}',
  '[]a]',
  '[a\\]]',
  '[\\d.]+',
  '\\pL',
  '\\p{Greek}+',
  '\\P{L}',
  '\\p{Lu}',
  '\\p{C}',
  '\\P{C}',
  '\ua7dc',
  '[\ua7d6-\ua7e0]',
  '\\x41',
  '\\x{e9}',
  '\\101',
  '(?i)É',
  '(?i:K)',
  's',
  'k',
  'ß',
  'ς',
  '[k-s]',
  'a{2,}',
  'a{0,1}b',
  '(?P<n>a)b',
  '\\Aa',
  'b\\z',
  'é|É',
  '[^é]',
  '[à-ü]',
  '\\.',
  '(a?){3}b',
  'x*?y',
  '[[:space:]]',
  '[[:upper:]]+',
  '\\p{^L}',
  '(?-i)a',
  'A(?i)b|C',
  '(|a)b',
  '[\\s\\w]',
  '[😀]',
  '.{3}$',
  '\\bé',
  'port \\d+ ssh[12]',
  'failed',
  '(?i)FAILED pass',
  'root.*port',
  '\\bfrom\\b',
  'word\\b for',
  '[Ff]ai(?:led)+ password',
  '(?:from ){1}10',
  '(?i)oo b|b\\*c',
  'aab',
  '[^\\d\\s]',
  '[\\W]',
];

describe('patterns', () => {
  let close = () => {};
  let matches: (pattern: string, ignoreCase: boolean) => Promise<boolean[]>;
  beforeAll(async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run('CREATE TABLE t(i INTEGER, x VARCHAR)');
    for (const [i, text] of TEXTS.entries())
      await connection.run('INSERT INTO t VALUES (?, ?)', [i, text]);
    matches = async (pattern, ignoreCase) => {
      const sql = `SELECT regexp_matches(x, ?, '${ignoreCase ? 'i' : 'c'}') FROM t ORDER BY i`;
      const reader = await connection.runAndReadAll(sql, [pattern]);
      return reader.getRows().map(([found]) => found === true);
    };
    close = () => {
      connection.closeSync();
      instance.closeSync();
    };
  });
  afterAll(() => close());

  const ours = (pattern: string, ignoreCase: boolean) => {
    const matcher = compilePattern(pattern, ignoreCase);
    return TEXTS.map((text) => {
      const bytes = utf8.encode(`..${text}..`);
      return matcher.test(bytes, 2, bytes.length - 2);
    });
  };

  it.each(PATTERNS)('find what RE2 finds: %s', async (pattern) => {
    expect(checkRe2(pattern)).toBeUndefined();
    for (const ignoreCase of [false, true]) {
      expect(ours(pattern, ignoreCase)).toEqual(await matches(pattern, ignoreCase));
    }
  });

  it('find what RE2 finds, whatever is put together', async () => {
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom(
          'a',
          'b',
          '.',
          '\\w',
          '\\b',
          '^',
          '$',
          '[^a]',
          'é',
          '[k-s]',
          '\\s',
          '(?i)S',
          ' ',
        ),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
          .map(([a, sign]) => `(?:${a})${sign}`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(node, fc.boolean(), async (pattern, ignoreCase) => {
        fc.pre(checkRe2(pattern) === undefined && pattern.length < 200);
        expect(ours(pattern, ignoreCase)).toEqual(await matches(pattern, ignoreCase));
      }),
      { seed: 7, numRuns: 150 },
    );
  });

  it('find the same where what a match must have is looked for first', () => {
    const letters = fc.constantFrom('a', 'b', 'A', 'k', 's', ' ', '\u017f', '\u212a');
    const text = fc.array(letters, { maxLength: 40 }).map((list) => list.join(''));
    const word = fc.array(letters, { minLength: 1, maxLength: 6 }).map((list) => list.join(''));
    const pattern = fc
      .tuple(word, fc.constantFrom('', 'b*', '\\b', '(?:aba)+', '.', '[ab]', '$'), word)
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, text, word, fc.boolean(), (one, around, inside, ignoreCase) => {
        const whole = new Matcher(compileProgram(parsePattern(one, ignoreCase)));
        const quick = compilePattern(one, ignoreCase);
        for (const value of [around, `${around}${one}${inside}`, `${inside}${one.toUpperCase()}`]) {
          const bytes = utf8.encode(`${one}${value}${one}`);
          const start = utf8.encode(one).length;
          const end = bytes.length - start;
          expect(quick.test(bytes, start, end)).toBe(whole.test(bytes, start, end));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('take time in proportion to the text', () => {
    const bytes = utf8.encode('a'.repeat(200_000));
    expect(compilePattern('^(a|aa|a+)+$', false).test(bytes, 0, bytes.length)).toBe(true);
    expect(compilePattern('(a*)*b', false).test(bytes, 0, bytes.length)).toBe(false);
    expect(compilePattern('a[ab]{500}c', false).test(bytes, 0, bytes.length)).toBe(false);
  });

  it('forget states when they become too many, and still find', () => {
    const noise = Uint8Array.from(
      { length: 60_000 },
      (_, i) => 97 + (((i * i * 31 + i * 7) >>> 3) % 2),
    );
    const matcher = compilePattern('b[ab]{14}c', false);
    expect(matcher.test(noise, 0, noise.length)).toBe(false);
    const found = Uint8Array.from([...noise.subarray(0, 50_000), 98, ...noise.subarray(0, 14), 99]);
    expect(matcher.test(found, 0, found.length)).toBe(true);
  });

  it('say of texts of which parts are known what each of them gives', () => {
    const digits = [48, 57] as const;
    const word = [48, 57, 65, 90, 95, 95, 97, 122, 128, 255] as const;
    const part = fc.oneof(
      fc.constantFrom('user', ' from ', '.', 'id=', '', '\n', 'K', '\u017f'),
      fc.constantFrom({ bytes: digits, most: 3 }, { bytes: word, most: Infinity }),
    );
    const pattern = fc.constantFrom(
      ...[
        'user',
        '[a-f]{4}',
        '\\d{4}',
        'user\\d+ from',
        '^user',
        '\\.$',
        '\\buser\\b',
        '(?i)k',
        's$',
      ],
      ...[
        '\\Bfrom',
        '^$',
        'é',
        '[^a]',
        'id=7',
        '(?m)^user',
        '\\d\\.\\d',
        'x{2,}',
        '.',
        '\\w\\W\\w',
        'user12',
      ],
    );
    const fill = fc.array(
      fc.tuple(
        fc.constantFrom('7', '12', '255'),
        fc.constantFrom('x', 'a1', 'é', 'abcd', '12', 'xx_', 'user'),
      ),
      { minLength: 12, maxLength: 12 },
    );
    const said = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fill,
        pattern,
        fc.boolean(),
        (parts, fills, one, ignoreCase) => {
          const matcher = compilePattern(one, ignoreCase);
          const given = parts.map((own) => (typeof own === 'string' ? utf8.encode(own) : own));
          const outcome = matcher.outcome(given);
          said.add(outcome);
          const text = parts
            .map((own, i) =>
              typeof own === 'string' ? own : own.most === 3 ? fills[i]![0] : fills[i]![1],
            )
            .join('');
          const bytes = utf8.encode(text);
          if (outcome !== 'maybe')
            expect([text, matcher.test(bytes, 0, bytes.length)]).toEqual([
              text,
              outcome === 'always',
            ]);
        },
      ),
      { numRuns: 3000 },
    );
    expect([...said].sort()).toEqual(['always', 'maybe', 'never']);
    const outcome = (one: string, most: number) =>
      compilePattern(one, false).outcome([utf8.encode('port '), { bytes: digits, most }]);
    expect([
      outcome('\\d{4}', 3),
      outcome('\\d{4}', 5),
      outcome('port \\d', 3),
      outcome('[a-f]{4}', 5),
    ]).toEqual(['never', 'maybe', 'always', 'never']);
    // A pattern with too many states is left undecided, in bounded time.
    expect(outcome('(?:[0-4][0-9]{20}|[3-9][0-9]{30}){20}x', Infinity)).toMatch(/maybe|never/);
  });

  it('is not told by states that were forgotten on the way', () => {
    const matcher = compilePattern('[0-4].{13}[5-9]', false);
    let seed = 1;
    let said = 0;
    // Each text makes more states, so that the limit is reached at a different position each time.
    for (let i = 0; i < 120; i++) {
      const text = Uint8Array.from({ length: 40 }, () => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        return '0102x'.charCodeAt((seed >>> 16) % 5);
      });
      const outcome = matcher.outcome([utf8.encode('x'), { bytes: [0x30, 0x39], most: 5 }, text]);
      expect(outcome).not.toBe('always');
      if (outcome === 'never') said += 1;
    }
    expect(said).toBeGreaterThan(20);
    expect(said).toBeLessThan(120);
  });
});
