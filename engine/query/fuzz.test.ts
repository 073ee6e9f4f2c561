/** Any text is either refused with a DaybookError or becomes SQL that DuckDB binds and runs. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaybookError } from '../contract/errors.ts';
import { checkRe2 } from './re2/check.ts';
import { type Plan, explain, knownNames } from './index.ts';
import { EVENTS } from './testing/fixture.ts';
import { type TestCase, openTestCase } from './testing/test-case.ts';

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

/** The plan of a query; undefined if it is refused. */
function planOf(text: string): Plan | undefined {
  try {
    const plan = test.plan(text);
    explain(plan);
    return plan;
  } catch (error) {
    if (error instanceof DaybookError) return undefined;
    throw error;
  }
}
const isQuery = (text: string): boolean => planOf(text) !== undefined;

/** Whether it was a query: then it ran. */
async function run(text: string): Promise<boolean> {
  const plan = planOf(text);
  if (plan === undefined) return false;
  if (plan.shape === 'rows') await test.rows(plan, 5);
  else await test.answer(plan);
  return true;
}

describe('random queries', () => {
  const field = fc.constantFrom(
    ...knownNames(),
    'user',
    'status',
    'n',
    '"Flow \\"ID\\""',
    'nothing',
  );
  const value = fc.oneof(
    fc.constantFrom(
      ...['*', 'a*b?', '5', '>5', '<=err', '[1 TO 9]', '{a TO *]', '/a.*b/i', '/(/', '10.0.0.0/8'],
      ...[
        '::1',
        '(a OR b)',
        '(1, >2)',
        '2026-11-20',
        '[2026 TO 2027}',
        'tcp',
        'log',
        '24h',
        '"\\0"',
      ],
      ...['1:f1', '10.0.0.1:1-*:2/tcp', 'lateral', 'auth.log', '=x', '"a b"', "'; DROP TABLE x --"],
    ),
    fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
  );
  const filter = fc
    .array(
      fc.oneof(
        fc.tuple(field, value).map(([name, test]) => `${name}:${test}`),
        fc.constantFrom('a', '"b c"', 'NOT', 'OR', '-', '10.0.0.1', '$1', '%', "'x'", '--', '*?'),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(' '));
  const measure = fc
    .tuple(fc.constantFrom('count', 'sum', 'avg', 'min', 'max', 'distinct', 'p50', 'p99'), field)
    .map(([fn, name]) => (fn === 'count' ? 'count()' : `${fn}(${name})`));
  const stage = fc.oneof(
    fc.constantFrom(
      'count',
      'timeline',
      'timeline 1h spread',
      'talkers',
      'patterns',
      'patterns 3 desc',
      'head 3',
      'tail 2',
      'head',
    ),
    fc.tuple(field, measure).map(([name, by]) => `top 3 ${name} by ${by}`),
    fc.tuple(measure, measure, field).map(([a, b, by]) => `stats ${a} as a, ${b} as b by ${by}`),
    fc.tuple(measure, field).map(([a, by]) => `stats ${a} as a by ${by}`),
    fc.tuple(field, field).map(([a, b]) => `sort ${a} desc, ${b}`),
    fc.tuple(field, field).map(([a, b]) => `fields ${a}, ${b}`),
    field.map((name) => `timeline 1d by ${name}`),
    field.map((name) => `dedup ${name}`),
    field.map((name) => `values ${name}`),
    filter.map((text) => `where ${text}`),
    fc.constantFrom('where a > 1', 'where b:*', 'sort a desc', 'fields a', 'where x', 'dedup a'),
    filter.map((text) => `union (${text} | head 2)`),
  );
  const query = fc
    .tuple(filter, fc.array(stage, { maxLength: 3 }))
    .map(([left, stages]) => [left, ...stages].join(' | '));

  it('bind and run', async () => {
    let ran = 0;
    const property = fc.asyncProperty(query, async (text) => {
      if (await run(text)) ran += 1;
    });
    await fc.assert(property, { seed: 11, numRuns: 1500 });
    expect(ran).toBeGreaterThan(250);
  });

  it('in every field with every kind of value', async () => {
    const values = [
      '*',
      'a',
      '"a"',
      '5',
      '>5',
      '[1 TO 9]',
      '/a/',
      '10.0.0.1',
      '2026',
      '24h',
      '12:f1',
    ];
    for (const name of new Set([...knownNames(), 'user'])) {
      const good = values.map((one) => `${name}:${one}`).filter(isQuery);
      expect(good.length, name).toBeGreaterThan(0);
      await run(`${good.join(' OR ')} | count`);
    }
  });
});

describe('patterns', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b',
      '.',
      '*',
      '+',
      '?',
      '{2}',
      '{2,}',
      '{,3}',
      '{1,2000}',
      '(',
      ')',
      '(?:',
      '(?i)',
      '(?P<n>',
    ],
    ...[
      '(?=',
      '|',
      '[',
      ']',
      '[^',
      'a-z',
      'z-a',
      '-',
      '[:alpha:]',
      '[[:foo:]]',
      '^',
      '$',
      '\\d',
      '\\b',
    ],
    ...[
      '\\1',
      '\\12',
      '\\x41',
      '\\x{110000}',
      '\\x',
      '\\pL',
      '\\p{Greek}',
      '\\p{Nope}',
      '\\Q',
      '\\',
      '\\.',
    ],
    ...[
      '{',
      '}',
      '\\z',
      '\\_',
      '\\-',
      '\\8',
      'é',
      '\\n',
      '(?-s:',
      '(?)',
      '(?i',
      '*?',
      '\\C',
      ',',
      '0',
    ],
  );
  it('that are let through are patterns to DuckDB', async () => {
    const pattern = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    let good = 0;
    await fc.assert(
      fc.asyncProperty(pattern, async (text) => {
        if (checkRe2(text) !== undefined) return;
        good += 1;
        await test.connection.run('SELECT regexp_matches(?, ?)', ['abc', text]);
      }),
      { seed: 3, numRuns: 4000 },
    );
    expect(good).toBeGreaterThan(200);
  });

  it.each([
    ['(?=a)', 'lookahead and lookbehind'],
    ['(?<!a)b', 'lookahead and lookbehind'],
    ['(a)\\1', 'backreferences'],
    ['(?>a)', 'atomic groups'],
    ['a++', 'possessive'],
    ['a**', 'a repeat of a repeat'],
    ['(a', 'unclosed ('],
    ['a)', 'found ) without ('],
    ['[a', 'unclosed ['],
    ['[z-a]', 'start is after its end'],
    ['*a', 'nothing before * to repeat'],
    ['a{1001}', 'more than 1000 repeats'],
    ['(a{100}){100}', 'more than 1000 repeats'],
    ['(\\pL{900})', 'too large'],
    ['a\\', 'a \\ at the end'],
  ])('%s is refused', (pattern, message) => {
    expect(checkRe2(pattern)?.message).toContain(message);
  });
});
