/** Tokens: those of any text, and those of a text that is right, beside its tree. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ast, type Expression, walk } from './ast.ts';
import { parseQuery, tokensOf } from './parse.ts';
import { pieceSpans, pipeBefore } from './pieces.ts';
import { QueryError } from './query-error.ts';

const SHORT: Readonly<Record<string, string>> = {
  field: 'f',
  operator: 'o',
  compare: 'c',
  keyword: 'k',
  stage: 'S',
  function: 'F',
  string: 's',
  regex: 'r',
  wildcard: 'w',
  number: 'n',
  bracket: 'b',
  punctuation: 'p',
  pipe: '|',
  word: 'W',
  error: 'E',
};
const shape = (text: string): string =>
  tokensOf(text)
    .map(({ type, start, end }) => `${SHORT[type]}(${text.slice(start, end)})`)
    .join(' ');

describe('tokens of a query', () => {
  it.each([
    ['', ''],
    ['failed password -root', 'W(failed) W(password) o(-) W(root)'],
    ['a AND b OR NOT c and', 'W(a) o(AND) W(b) o(OR) o(NOT) W(c) W(and)'],
    ['a and not b=c or !d', 'W(a) o(and) o(not) f(b) c(=) W(c) o(or) o(!) W(d)'],
    ['user not found', 'W(user) W(not) W(found)'],
    ['a && b||c', 'W(a) o(&&) W(b) o(||) W(c)'],
    [
      'p in (1, 2) h not like "w%"',
      'f(p) o(in) b(() n(1) p(,) n(2) b()) f(h) o(not) o(like) s("w%")',
    ],
    [
      'p in {80 443} /a.*b/ m =~ /x/i',
      'f(p) o(in) b({) n(80) n(443) b(}) r(/a.*b/) f(m) c(=~) r(/x/i)',
    ],
    ['ip.src==10.0.0.1&&tcp.port==80', 'f(ip.src) c(==) W(10.0.0.1) o(&&) f(tcp.port) c(==) n(80)'],
    ['* | limit 3', 'w(*) |(|) S(limit) n(3)'],
    ['fail* us?r 10.0.0.0/8', 'w(fail*) w(us?r) W(10.0.0.0/8)'],
    ['"a \\" b" \'c d\' e\'f', 's("a \\" b") s(\'c d\') W(e\'f)'],
    ['src_ip:10.0.0.0/8', 'f(src_ip) p(:) W(10.0.0.0/8)'],
    ['bytes:>1000', 'f(bytes) p(:) c(>) n(1000)'],
    ['dst_port:[1 TO 1023}', 'f(dst_port) p(:) b([) n(1) o(TO) n(1023) b(})'],
    ['"Flow Bytes/s":>1e6', 'f("Flow Bytes/s") p(:) c(>) n(1e6)'],
    ['"a": b', 's("a") W(:) W(b)'],
    ['message:/a|b [/)]/i x', 'f(message) p(:) r(/a|b [/)]/i) W(x)'],
    ['path:/etc/passwd', 'f(path) p(:) W(/etc/passwd)'],
    ['user:(a OR "b c", d*)', 'f(user) p(:) b(() W(a) o(OR) s("b c") p(,) w(d*) b())'],
    [
      '2001:db8::1 fe80::1 http://x.y/z C:\\x',
      'W(2001:db8::1) W(fe80::1) W(http://x.y/z) W(C:\\x)',
    ],
    ['ip:2001:db8::/32', 'f(ip) p(:) W(2001:db8::/32)'],
    ['flow:[2001:db8::1]:443-*', 'f(flow) p(:) w([2001:db8::1]:443-*)'],
    [
      'x | top 10 src_ip by sum(bytes)',
      'W(x) |(|) S(top) n(10) f(src_ip) k(by) F(sum) b(() f(bytes) b())',
    ],
    ['| timeline 5m spread by kind', '|(|) S(timeline) n(5m) k(spread) k(by) f(kind)'],
    [
      '| stats count() as n, p95(x) by h',
      '|(|) S(stats) F(count) b(() b()) k(as) f(n) p(,) F(p95) b(() f(x) b()) k(by) f(h)',
    ],
    [
      '| where b > 1e9 c:d | head 5',
      '|(|) S(where) f(b) c(>) n(1e9) f(c) p(:) W(d) |(|) S(head) n(5)',
    ],
    [
      '| sequence by u within 5m: failed x10 then host:a "then"',
      '|(|) S(sequence) k(by) f(u) k(within) n(5m) p(:) W(failed) k(x10) k(then) f(host) p(:) W(a) s("then")',
    ],
    ['| session by u gap 30m', '|(|) S(session) k(by) f(u) k(gap) n(30m)'],
    ['| where sum(bytes) != "x"', '|(|) S(where) f(sum(bytes)) c(!=) s("x")'],
    [
      'a | union (b:c | head 3) | sort -ts',
      'W(a) |(|) S(union) b(() f(b) p(:) W(c) |(|) S(head) n(3) b()) |(|) S(sort) o(-) f(ts)',
    ],
    ['| tpo 3 | head 2', '|(|) E(tpo) n(3) |(|) S(head) n(2)'],
    ['"unclosed | head', 's("unclosed | head)'],
    ['x:', 'f(x) p(:)'],
    ['a user: b:c | head 3', 'W(a) f(user) p(:) f(b) p(:) W(c) |(|) S(head) n(3)'],
    ['a) OR b | top', 'W(a) E()) E(OR) W(b) |(|) S(top)'],
    ['| where len(a) > 2 * b', '|(|) S(where) F(len) b(() f(a) b()) c(>) n(2) o(*) f(b)'],
    ['| where a - b', '|(|) S(where) W(a) W(-) W(b)'],
    [
      '| eval x = if(a:b, "c", 1)',
      '|(|) S(eval) f(x) p(=) F(if) b(() f(a) p(:) W(b) p(,) s("c") p(,) n(1) b())',
    ],
    ['p=[1 TO 2]', 'f(p) c(=) b([) n(1) o(TO) n(2) b(])'],
    ['| extract /(?<b>c|d)/ from url', '|(|) S(extract) r(/(?<b>c|d)/) k(from) f(url)'],
    ['h in [ a | values b ] c', 'f(h) o(in) b([) W(a) |(|) S(values) f(b) b(]) W(c)'],
  ])('%s', (text, expected) => {
    expect(shape(text)).toBe(expected);
  });

  const piece = fc.constantFrom(
    ...[
      'a',
      'b:c',
      '"q | r"',
      "'s'",
      "don't",
      'x:/p|q/',
      'x:(a OR b)',
      'x:[1 TO 2]',
      '-y',
      'NOT z',
    ],
    ...['AND', 'OR', '(', ')', '|', '| top a', '| where n > 3', '| union (a | head 1)', ' ', '*'],
    ...['and', 'or', 'not', '&&', '||', '!', '!z', 'a=b', 'n > 5', 'n!=5', 'p in (1, 2 or 3)'],
    ...['p not in {1 2}', 'm contains "q | r"', 'm like w%', 'u=[x', 'a=1&&b=2', 'm =~ /p|q/'],
    ...['/etc/', '/p.*|q/', '| limit 3', '| search a or b', 'abc=', 'm matches x', 'x:(a and b)'],
    ...['| where len(a) > 2', '| eval x = match(b, /c|d/)', '| extract /(?<b>c|d)/ from url'],
    ...['src_ip in [ a | values src_ip ]', '| stats sum(x) as y by z', 'p=[1 TO 2]', '| sort -a'],
    ...['| sequence by u within 5m: failed x10 then a:b', '| lookup "a|b" on c', 'case(', ',', '}'],
    ...['2001:db8::1', 'n:>"a b"', '"f g":h', '/x|y/', '-', ':', '[', '\\', '"', '| head 3', 'é:ß'],
  );
  const texts = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(' '));

  it('covers any text but its space, in order', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
        let at = 0;
        for (const { start, end } of tokensOf(text)) {
          expect(text.slice(at, start).replace(/[\s\u0000]/g, '')).toBe('');
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(text.slice(at).replace(/[\s\u0000]/g, '')).toBe('');
      }),
      { numRuns: 2000 },
    );
  });

  it('of a text that is right are those that its tree is made of', () => {
    let accepted = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const ast = parsed(text);
        if (ast === undefined) return;
        accepted += 1;
        const tokens = tokensOf(text);
        expect(tokens.filter(({ type }) => type === 'error')).toEqual([]);
        const starts = (wanted: string) =>
          new Set(tokens.flatMap(({ type, start }) => (type === wanted ? [start] : [])));
        const [stages, fields] = [starts('stage'), starts('field')];
        for (const { start } of ast.stages) expect(stages).toContain(start);
        for (const start of fieldStarts(text, ast.filter)) expect(fields).toContain(start);
        // Queries within have fields of their own.
        if (text.includes(' in [')) return;
        const end = ast.stages[0] === undefined ? text.length : pipeBefore(text, ast.stages[0]);
        const inFilter = [...fields].filter((start) => start < end);
        expect(inFilter.sort((a, b) => a - b)).toEqual(fieldStarts(text, ast.filter));
        const pieces = pieceSpans(text);
        expect(pieces.slice(1).map(({ start }) => start)).toEqual(
          ast.stages.map(({ start }) => start),
        );
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it('of a text that is longer than any query are one', () => {
    expect(tokensOf('a '.repeat(40_000))).toEqual([{ type: 'error', start: 0, end: 80_000 }]);
  });
});

describe('parts of a text', () => {
  it.each([
    ['a | head 3 | ', ['a', 'head 3', '']],
    ['a OR | top x', ['a OR', 'top x']],
    ['user: | tpo "a|b" | head', ['user:', 'tpo "a|b"', 'head']],
    ['(a OR user: ) | head', ['(a OR user: )', 'head']],
    ['x:[1 TO | head', ['x:[1 TO', 'head']],
    ['a | union (b | head', ['a', 'union (b | head']],
    ['src_ip in [ a | values src_ip | head', ['src_ip in [ a | values src_ip | head']],
    ['src_ip in [ a | values src_ip ] | head', ['src_ip in [ a | values src_ip ]', 'head']],
    ['a || b | head', ['a || b', 'head']],
    ['"a | head', ['"a | head']],
  ])('%s', (text, expected) => {
    expect(pieceSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });
});

function parsed(text: string): Ast | undefined {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

/** Where names of fields begin in a filter; values of a list are tests of their own, after the name. */
function fieldStarts(text: string, filter: Expression): number[] {
  const starts = new Set<number>();
  walk(filter, (node) => {
    const isGroup = node.node === 'and' || node.node === 'or';
    if (isGroup && node.items[0]!.start !== node.start && text[node.start] !== '(')
      starts.add(node.start);
    if (node.node === 'within') starts.add(node.start);
    if (node.node !== 'field') return;
    if (['', '"', "'"].some((quote) => text.startsWith(quote + node.name, node.start)))
      starts.add(node.start);
  });
  return [...starts].sort((a, b) => a - b);
}
