/** Text to tree, and what is said of text that is no query. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import type { Expression, Test } from './ast.ts';
import { MAX_QUERY_LENGTH } from './lex.ts';
import { MAX_UNIONS } from './filter-parser.ts';
import { parseQuery } from './parse.ts';
import { printFilter } from './print.ts';
import { MAX_DEPTH, MAX_TERMS } from './value-parser.ts';

/** A tree as short text: `and(a, not(b))`. */
function brief(node: Expression): string {
  switch (node.node) {
    case 'all':
      return '*';
    case 'text':
      return node.quoted ? `'${node.text}'` : node.text;
    case 'not':
      return `not(${brief(node.item)})`;
    case 'pattern':
      return briefTest(node.test);
    case 'compared':
      return node.written;
    case 'within':
      return `${node.name} in ${node.query.text.trim()}`;
    case 'field-or-text':
      return `${brief(node.field)} / ${brief(node.text)}`;
    case 'field':
      return `${node.name}:${briefTest(node.test)}`;
    default:
      return `${node.node}(${node.items.map(brief).join(', ')})`;
  }
}
function briefTest(test: Test): string {
  switch (test.test) {
    case 'word':
      return test.text;
    case 'quoted':
      return `'${test.text}'`;
    case 'regex':
      return `/${test.pattern}/${test.ignoreCase ? 'i' : ''}`;
    case 'compare':
      return `${test.op} ${test.value}`;
    case 'range':
      return `${test.lowIncluded ? '[' : '{'}${test.low ?? '*'} ${test.high ?? '*'}${test.highIncluded ? ']' : '}'}`;
    case 'present':
      return '*';
  }
}

describe('filters', () => {
  it.each([
    ['', '*'],
    ['  ', '*'],
    ['*', '*'],
    ['**', '*'],
    ['*?', '*?'],
    ['a', 'a'],
    ['a b', 'and(a, b)'],
    ['a AND b OR c d', 'or(and(a, b), and(c, d))'],
    ['a and b', 'and(a, b)'],
    ['a OR b c', 'or(a, and(b, c))'],
    ['NOT a b', 'and(not(a), b)'],
    ['-a -b', 'and(not(a), not(b))'],
    ['- a', 'and(-, a)'],
    ['NOT NOT a', 'not(not(a))'],
    ['a-b -c', 'and(a-b, not(c))'],
    ['(a OR b) c', 'and(or(a, b), c)'],
    ['((a))', 'a'],
    ['\'AND\' "OR"', "and('AND', 'OR')"],
    ['"a \\"b\\" \\\\ \\n"', `'a "b" \\ \\n'`],
    ["don't", "don't"],
    ["'it\\'s'", "'it's'"],
    ['a"b"', "and(a, 'b')"],
    ['10.1.2.3', '10.1.2.3'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['fe80::1', 'fe80::1'],
    ['aa:bb:cc:dd:ee:ff', 'aa:bb:cc:dd:ee:ff'],
    ['12:34:56', '12:34:56'],
    ['http://x.y/z', 'http://x.y/z'],
    ['C:\\Windows', 'C:\\Windows'],
    ['sshd[1]:', 'sshd[1]:'],
    ['/etc/passwd', '/etc/passwd'],
    ['a@b.c', 'a@b.c'],
    ['host:web', 'host:web'],
    ['id.orig_h:10.0.0.1', 'id.orig_h:10.0.0.1'],
    ['@timestamp:2026', '@timestamp:2026'],
    ['ip:2001:db8::/32', 'ip:2001:db8::/32'],
    ['ts:2026-11-01T12:00', 'ts:2026-11-01T12:00'],
    ['host:"a b"', "host:'a b'"],
    ['"Flow Bytes/s":>5', 'Flow Bytes/s:> 5'],
    ['host:*', 'host:*'],
    ['host:w*b', 'host:w*b'],
    ['-host:*', 'not(host:*)'],
    ['bytes:>1000', 'bytes:> 1000'],
    ['bytes:>= 1000', 'bytes:>= 1000'],
    ['severity:<=err', 'severity:<= err'],
    ['p:[1 TO 1023]', 'p:[1 1023]'],
    ['p:{1 TO *]', 'p:{1 *]'],
    ['p:["a b" to c}', 'p:[a b c}'],
    ['ts:[2026-11-01 TO 2026-11-02T12:00]', 'ts:[2026-11-01 2026-11-02T12:00]'],
    ['h:(a OR b)', 'or(h:a, h:b)'],
    ['h:(a, b,"c")', "or(h:a, h:b, h:'c')"],
    ['h:(a AND NOT b)', 'and(h:a, not(h:b))'],
    ['h:((a OR b) AND c*)', 'and(or(h:a, h:b), h:c*)'],
    ['h:(>5 OR [1 TO 2])', 'or(h:> 5, h:[1 2])'],
    ['m:/^a b$/', 'm:/^a b$/'],
    ['m:/a\\/b/i', 'm:/a/b/i'],
    ['m:/[/]/ x', 'and(m:/[/]/, x)'],
    ['path:/etc/passwd', 'path:/etc/passwd'],
    ['path:/etc', 'path:/etc'],
    ['flow:10.1.2.3:4444-10.9.9.9:443/tcp', 'flow:10.1.2.3:4444-10.9.9.9:443/tcp'],
    ['flow:[2001:db8::1]:443-*', 'flow:[2001:db8::1]:443-*'],
    ['event_id:12:f345', 'event_id:12:f345'],
  ])('%s', (text, tree) => {
    expect(brief(parseQuery(text).filter)).toBe(tree);
  });
});

describe("other tools' spellings", () => {
  it.each([
    ['p=22', 'p:22 / p=22'],
    ['p==22', 'p:22 / p==22'],
    ['p = 22', 'p:22 / and(p, =, 22)'],
    ['p!=22', 'not(p:22) / p!=22'],
    ['p>22', 'p:> 22 / p>22'],
    ['p >= 22 x', 'and(p:>= 22 / and(p, >=, 22), x)'],
    ['h="a b"', "h:'a b' / and(h=, 'a b')"],
    ['h=w*', 'h:w* / h=w*'],
    ['h=*', 'h:* / h=*'],
    ['"f g"=5', "f g:5 / and('f g', =5)"],
    ['"a=b"', "'a=b'"],
    ['h=[x', 'h:[x / h=[x'],
    ['p=[1 TO 2]', 'p:[1 2] / and(p=[1, TO, 2])'],
    ['abc=', 'abc='],
    ['abc== | count', 'abc=='],
    ['a->b a=>b a<<b 1=2 /x?a=b', 'and(a->b, a=>b, a<<b, 1=2, /x?a=b)'],
    ['p in (1, 2)', 'or(p:1, p:2) / and(p, in, and(1,, 2))'],
    ['p IN (1 or 2)', 'or(p:1, p:2) / and(p, IN, or(1, 2))'],
    ['p not in (1)', 'not(p:1) / and(p, not, in, 1)'],
    ['p in {80 443}', 'or(p:80, p:443) / and(p, in, {80, 443})'],
    ['m contains "a.b"', "m:/a\\.b/i / and(m, contains, 'a.b')"],
    ['m startswith "a"', "m:/^a/i / and(m, startswith, 'a')"],
    ['m !endswith "a"', "not(m:/a$/i) / and(m, !endswith, 'a')"],
    ['m matches /a.b/', 'm:/a.b/ / and(m, matches, /a.b/)'],
    ['m =~ "a.b"', "m:/a.b/ / and(m, =~, 'a.b')"],
    ['m !~ /a/i', 'not(m:/a/i) / and(m, !~, /a/i)'],
    ['m like "%a_"', "m:/^(?s:.)*a(?s:.)$/i / and(m, like, '%a_')"],
    ['/Failed.*root/', '/Failed.*root/'],
    ['/etc/ /etc/passwd /a b/', 'and(/etc/, /etc/passwd, /a, b/)'],
    ['/etc/i', '/etc/i'],
    ['a && b || c', 'or(and(a, b), c)'],
    ['a||b', 'or(a, b)'],
    ['p==1&&q:2', 'and(p:1 / p==1, q:2)'],
    ['a and b or c', 'or(and(a, b), c)'],
    ['h:a and not i:b', 'and(h:a, not(i:b))'],
    ['h:(a or b and not c)', 'or(h:a, and(h:b, not(h:c)))'],
    ['and a or', 'and(and, a, or)'],
    ['user not found', 'and(user, not, found)'],
    ['user not (a)', 'and(user, not(a))'],
    ['not found', 'not(found)'],
    ['!a ! b !(c d)', 'and(not(a), not(b), not(and(c, d)))'],
    ['a!b', 'a!b'],
  ])('%s', (text, tree) => {
    expect(brief(parseQuery(text).filter)).toBe(tree);
  });

  it.each([
    ['a and b', [/^read as: a AND b; .*"and"$/]],
    ['not a', [/^read as: NOT a; .*"not"$/]],
    ['a or b=c', []],
    ['h:a and b', []],
    ['(a) or (b)', []],
    ['a AND b', []],
    ['a not b', [/^"not" was searched for as a word; the operator is NOT$/]],
    ['a&&b', [/as text/]],
    ['/etc/', [/as text.*message:\/etc\//]],
    ['a /zo. has/ b', [/^"\/zo\. has\/" was searched for as words; .* message:\/zo\. has\/$/]],
    ['/etc /var/log', []],
    ['a / b / c', []],
    ['/a | where b/', []],
    ['* | where a or b', [/^read as: a OR b/]],
    ['a | union (b or c)', [/^read as: b OR c/]],
  ])('%s is read, and said, so', (text, readings) => {
    const found = parseQuery(text).readings;
    expect(found).toHaveLength(readings.length);
    readings.forEach((reading, i) => expect(found[i]).toMatch(reading));
  });

  it.each<[string, object]>([
    ['| limit 3', { stage: 'head', limit: 3 }],
    ['| take 3', { stage: 'head', limit: 3 }],
    ['| table a, b', { stage: 'fields', fields: [{ name: 'a' }, { name: 'b' }] }],
    ['| project a', { stage: 'fields' }],
    ['| search a', { stage: 'where', filter: { text: 'a' } }],
    ['| sort by a desc', { keys: [{ by: { name: 'a' }, descending: true }] }],
    ['| sort by', { keys: [{ by: { name: 'by' } }] }],
    ['| order by a', { stage: 'sort', keys: [{ by: { name: 'a' } }] }],
    ['| summarize n = dcount(a) by b', { measures: [{ fn: 'distinct', as: 'n' }] }],
    ['| stats count by a', { measures: [{ fn: 'count' }], by: [{ name: 'a' }] }],
  ])('%s', (text, stage) => {
    expect(parseQuery(text).stages).toMatchObject([stage]);
  });

  it.each([
    ['join x', /lookup FILE on field/],
    ['timechart count', /timeline/],
    ['lmit 3', /limit/],
  ])('| %s is answered with what to write', (stage, hint) => {
    try {
      parseQuery(`* | ${stage}`);
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error;
      expect(error.hint).toMatch(hint);
      return;
    }
    expect.unreachable('it parsed');
  });
});

describe('stages', () => {
  it.each<[string, object[]]>([
    ['a | count', [{ stage: 'count' }]],
    ['|count', [{ stage: 'count' }]],
    ['a | COUNT', [{ stage: 'count' }]],
    ['| top 5 src_ip', [{ stage: 'top', limit: 5, by: { fn: 'count' } }]],
    ['| top a,b by sum(bytes)', [{ stage: 'top', limit: 10, by: { fn: 'sum', as: 'sum(bytes)' } }]],
    ['| timeline', [{ stage: 'timeline' }]],
    ['| timeline 5m by host', [{ interval: { count: 5, unit: 'm' }, by: { name: 'host' } }]],
    ['| timeline 1h spread', [{ interval: { unit: 'h' }, spread: { name: 'bytes' } }]],
    ['| timeline spread packets by host', [{ spread: { name: 'packets' }, by: { name: 'host' } }]],
    ['| stats count(), sum(x) as "a b" by h', [{ measures: [{ as: 'count' }, { as: 'a b' }] }]],
    ['| stats count by h | where count > 5', [{}, { filter: { name: 'count' } }]],
    ['| where sum(bytes) >= 5 b!=2', [{ filter: { items: [{}, { node: 'not' }] } }]],
    ['| sort a desc, -b, c asc', [{ keys: [{ descending: true }, { descending: true }, {}] }]],
    ['| sort sum(bytes) desc', [{ keys: [{ by: { name: 'sum(bytes)' } }] }]],
    ['| head', [{ limit: 10 }]],
    ['| head 3 | tail 0', [{ limit: 3 }, { limit: 0 }]],
    ['| dedup a, b, a', [{ fields: [{ name: 'a' }, { name: 'b' }] }]],
    ['| fields "Flow ID"', [{ fields: [{ name: 'Flow ID' }] }]],
    ['| talkers 5', [{ stage: 'talkers', limit: 5 }]],
    ['| patterns', [{ stage: 'patterns', limit: 100, descending: false }]],
    ['| patterns 7 desc | head 2', [{ limit: 7, descending: true }, { limit: 2 }]],
    ['| PATTERNS asc', [{ descending: false }]],
    ['| values host', [{ field: { name: 'host' } }]],
    ['a | union (b | head 5) | count', [{ query: { text: 'b | head 5' } }, { stage: 'count' }]],
    ['a | union ()', [{ query: { filter: { node: 'all' } } }]],
  ])('%s', (text, stages) => {
    expect(parseQuery(text).stages).toMatchObject(stages);
  });
});

describe('errors', () => {
  it.each([
    ['say "hello', 'unclosed " at column 5', 'add a closing "'],
    ["a 'b", "unclosed ' at column 3", "add a closing '"],
    ['(a OR b', 'unclosed ( at column 1', 'add a closing )'],
    ['a)', 'found ")" without "(" at column 2', undefined],
    ['a OR', 'found the end, expected a word, a phrase or a field at column 5', undefined],
    ['OR a', 'found OR, expected a word, a phrase or a field at column 1', /quotes/],
    ['a AND | count', 'found "|", expected a word, a phrase or a field at column 7', undefined],
    ['()', 'empty ( ) at column 1', /between/],
    ['user: x', 'found "x", expected a value after user: at column 6', /"user:"/],
    ['h:(a b)', 'found "b", expected OR, AND or ) at column 6', undefined],
    ['h:()', 'empty ( ) at column 3', /values/],
    ['h:(a OR OR)', 'found OR, expected a value at column 9', /"OR"/],
    ['p:[1 2]', 'found "2]", expected TO at column 6', 'write [1 TO 9]'],
    ['p:[1 TO 2', 'unclosed [ at column 3', 'add a closing ] or }'],
    ['p:[1 TO', 'unclosed [ at column 3', /TO/],
    ['p:[', 'unclosed [ at column 3', /TO/],
    ['m:/^a', 'unclosed / at column 3', /closing/],
    ['bytes:>', 'found the end, expected a value after > at column 8', undefined],
    ['a | tpo 5 x', 'unknown stage "tpo" at column 5', 'did you mean top?'],
    ['a |', 'found the end, expected a stage at column 4', /stages are/],
    ['a | count 5', 'found "5" in count, expected | or the end at column 11', 'count'],
    ['a | top 5', 'found the end, expected a field at column 10', /^write: top N/],
    ['a | top 5 x by smu(y)', 'found "smu", expected one of', /did you mean sum/],
    ['a | stats sum(x', 'unclosed ( at column 14', 'add a closing )'],
    ['a | stats count(x)', 'count() takes no field at column 17', /distinct/],
    ['a | stats sum()', 'sum needs a field at column 11', /sum\(bytes\)/],
    ['a | stats sum(x), sum(x)', 'a second column named "sum(x)" at column 19', /as other/],
    ['a | head x', 'found "x" in head, expected | or the end at column 10', 'head N'],
    ['a | head 5x', 'found "5x", expected a number at column 10', undefined],
    ['a | head -1', 'found "-1", expected a number at column 10', undefined],
    ['a | head 99999999999', 'expected at most', undefined],
    ['a | timeline 5y', 'found "5y", expected an interval at column 14', /ms, s, m/],
    ['a | timeline 999999999w', 'expected at most 100 years at column 14', undefined],
    ['a | timeline 0s', 'expected an interval', /5m/],
    ['a | where', 'found the end, expected a filter after where at column 10', undefined],
    ['a | union b', 'found "b", expected ( at column 11', 'union (query)'],
    ['a | union (b', 'unclosed ( at column 11', 'add a closing )'],
    ['a\u0007 | x\u0007y', 'unknown stage "x" at column 6', undefined],
  ])('%s', (text, message, hint) => {
    try {
      parseQuery(text);
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error;
      expect(error.code).toBe('query-syntax');
      expect(error.message).toContain(message);
      if (hint !== undefined) expect(error.hint).toMatch(hint);
      return;
    }
    expect.unreachable('it parsed');
  });
});

describe('limits', () => {
  it.each([
    ['long', 'a'.repeat(MAX_QUERY_LENGTH + 1), 'limit-exceeded'],
    ['brackets', '('.repeat(MAX_DEPTH + 1), 'query-syntax'],
    ['brackets in a list', `h:${'('.repeat(MAX_DEPTH + 1)}`, 'query-syntax'],
    ['NOT', 'NOT '.repeat(MAX_DEPTH + 1), 'query-syntax'],
    ['minus', `${'-'.repeat(MAX_DEPTH + 1)}a`, 'query-syntax'],
    ['union', '| union ('.repeat(MAX_UNIONS + 1), 'limit-exceeded'],
    ['terms', 'a '.repeat(MAX_TERMS + 1), 'limit-exceeded'],
    ['stages', 'a' + '| count'.repeat(51), 'limit-exceeded'],
  ])('%s', (_, text, code) => {
    expect(() => parseQuery(text)).toThrow(expect.objectContaining({ code }));
  });

  // Each level was read twice: these took 2 to the power of their depth.
  it('reads brackets in brackets once', () => {
    const unclosed = '| eval x = ' + 'case('.repeat(150);
    expect(() => parseQuery(unclosed)).toThrow(expect.objectContaining({ code: 'query-syntax' }));
    const words = '| where ' + 'if(x - '.repeat(90) + 'y' + ', 1, 2)'.repeat(90);
    expect(parseQuery(words).stages).toHaveLength(1);
  });

  it('lets what is within them through', () => {
    expect(() => parseQuery(`${'('.repeat(MAX_DEPTH)}a${')'.repeat(MAX_DEPTH)}`)).not.toThrow();
    expect(() => parseQuery('a '.repeat(MAX_TERMS))).not.toThrow();
  });
});

it('reads what it prints as the same tree', () => {
  const word = fc
    .stringMatching(/^[a-z][a-z0-9]{0,4}[*?]?$/)
    .filter((one) => !/^(?:and|or|not|in|has|like)$/.test(one));
  const value = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 });
  const bound = fc.option(fc.oneof(word, value), { nil: undefined });
  const test: fc.Arbitrary<Test> = fc.oneof(
    word.map((text) => ({ test: 'word', text }) as const),
    value.map((text) => ({ test: 'quoted', text }) as const),
    fc.record({ test: fc.constant('present' as const) }),
    fc.record({
      test: fc.constant('compare' as const),
      op: fc.constantFrom('>', '>=', '<', '<=', '='),
      value: fc.oneof(word, value),
    }),
    fc.record({
      test: fc.constant('range' as const),
      low: bound,
      high: bound,
      lowIncluded: fc.boolean(),
      highIncluded: fc.boolean(),
    }),
    fc
      .constantFrom('a.*b', '^x/y$', '[/|]+', '(?s:.)*')
      .map((pattern) => ({ test: 'regex', pattern, ignoreCase: true, at: 0 }) as const),
  );
  const span = { start: 0, end: 0 };
  const { tree } = fc.letrec<{ tree: Expression; leaf: Expression }>((tie) => ({
    leaf: fc.oneof(
      word.map((text) => ({ node: 'text', text, quoted: false, ...span }) as const),
      value.map((text) => ({ node: 'text', text, quoted: true, ...span }) as const),
      fc
        .tuple(
          fc.oneof(
            word.map((one) => one.replace(/\W/g, '')),
            value,
          ),
          test,
        )
        .map(([name, of]) => ({ node: 'field', name, test: of, ...span }) as const),
    ),
    tree: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      tie('tree').map((item) => ({ node: 'not', item, ...span }) as const),
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 2, maxLength: 3 }))
        .map(([node, items]) => ({ node, items, ...span }) as const),
    ),
  }));
  fc.assert(
    fc.property(tree, (written) => {
      expect(brief(parseQuery(printFilter(written)).filter)).toBe(brief(written));
    }),
    { seed: 11, numRuns: 2000 },
  );
});

it('gives a tree or a DaybookError on any text', () => {
  const part = fc.constantFrom(
    ...[
      '"',
      "'",
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '|',
      ':',
      '/',
      '\\',
      '*',
      '?',
      '-',
      ',',
      '>',
      '=',
      ' ',
    ],
    ...[
      'a',
      'AND',
      'OR',
      'NOT',
      'and',
      'or',
      'not',
      'in',
      'contains',
      '&&',
      '!',
      '~',
      '{',
      'TO',
      'host',
      'ip',
      '10.0.0.1',
      '::1',
      'top',
      'by',
      'sum',
      '5',
      '\0',
    ],
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, (query) => {
      try {
        parseQuery(query);
      } catch (error) {
        if (!(error instanceof DaybookError)) throw error;
      }
    }),
    { seed: 7, numRuns: 3000 },
  );
});

describe('queries within', () => {
  it.each([
    ['src_ip in [ failed | values src_ip ]', 'src_ip in failed | values src_ip'],
    ['a src_ip not in [b|values src_ip] c', 'and(a, not(src_ip in b|values src_ip), c)'],
    ['x in [ y in [ a | values y ] | values x ]', 'x in y in [ a | values y ] | values x'],
  ])('%s', (text, expected) => {
    expect(brief(parseQuery(text).filter)).toBe(expected);
  });

  it.each([
    ['src_ip in [ failed | values src_ip', 'unclosed [', 10],
    ['src_ip in [ failed | values src_ip )', 'found ")"', 35],
    ['a | eval x = lower(', 'found the end', 19],
    ['a | eval x lower(b)', 'expected =', 10],
    ['a | eval x = if(b, 1', 'unclosed (', 15],
    ['a | extract user', 'expected a text in quotes', 12],
  ])('%s is wrong', (text, message, position) => {
    expect(() => parseQuery(text)).toThrow(message);
    try {
      parseQuery(text);
    } catch (error) {
      expect(error).toMatchObject({ position });
    }
  });
});
