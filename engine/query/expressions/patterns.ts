/** Patterns (RE2) in expressions: whether there is a match, its replacement, and the text of its groups. */
import { matches as matchesThere, replacedAll, untranslated } from '../dialect/clickhouse.ts';
import { matches, replaceAll } from '../dialect/duckdb.ts';
import { CaptureMatcher } from '../re2/captures.ts';
import { compilePattern } from '../re2/matcher.ts';
import { type Call, type Made, type PatternArgument, literalAt, typedAt } from './operator.ts';
import { valueClickHouse, onePart } from './value.ts';

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function patternMatches(call: Call): Made {
  const text = typedAt(call, 0, 'text');
  const [, given] = call.args;
  if (given?.type !== 'pattern') return call.wrong(1, 'takes a pattern: /…/');
  const matcher = compilePattern(given.pattern, given.ignoreCase);
  return {
    type: 'condition',
    sql: (scope) => [
      `coalesce(${matches(onePart(text, scope), scope.params.text(given.pattern), given.ignoreCase)}, FALSE)`,
    ],
    clickhouse: (scope) =>
      `ifNull(${matchesThere(valueClickHouse(text, scope), given.pattern, given.ignoreCase)}, false)`,
    reader: (scope) => {
      const read = text.reader(scope);
      return (row) => {
        const cell = read(row);
        if (cell === null) return 0;
        const bytes = utf8.encode(String(cell));
        return matcher.test(bytes, 0, bytes.length) ? 1 : 0;
      };
    },
  };
}

export function patternReplace(call: Call, { pattern, ignoreCase }: PatternArgument): Made {
  const text = typedAt(call, 0, 'text');
  const by = String(literalAt(call, 2, 'text'));
  const matcher = new CaptureMatcher(pattern, ignoreCase);
  const flagged = ignoreCase ? `(?i)${pattern}` : pattern;
  return {
    type: 'text',
    sql: (scope) => [
      replaceAll(
        onePart(text, scope),
        scope.params.text(flagged),
        scope.params.text(by.replaceAll('\\', '\\\\')),
      ),
    ],
    clickhouse: (scope) => {
      if (mayBeEmpty(pattern))
        throw untranslated(`replace of /${pattern}/, which may match nothing at all,`);
      // ClickHouse takes it for a group, even after another backslash.
      if (/\\\d/.test(by)) throw untranslated('replace by a text with a backslash before a digit');
      return replacedAll(valueClickHouse(text, scope), pattern, by, ignoreCase);
    },
    reader: (scope) => {
      const read = text.reader(scope);
      return (row) => {
        const cell = read(row);
        return cell === null ? null : replaced(String(cell), matcher, by);
      };
    },
  };
}

/** Zero-width assertions, together with tokens that only look like them. */
const PLACES = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\^|\$/g;

/** Whether some text may have a match of no characters: engines take those in different ways. */
function mayBeEmpty(pattern: string): boolean {
  const anywhere = pattern.replace(PLACES, (part) =>
    /^(?:\\[bBAz]|\^|\$)$/.test(part) ? '(?:)' : part,
  );
  return compilePattern(anywhere, false).test(new Uint8Array(), 0, 0);
}

/** Every match, leftmost first, as in RE2's GlobalReplace: no empty match directly after another. */
function replaced(text: string, matcher: CaptureMatcher, by: string): string {
  const bytes = utf8.encode(text);
  let out = '';
  let from = 0;
  let at = 0;
  let lastEnd = -1;
  while (at <= bytes.length) {
    const found = matcher.exec(bytes, at);
    if (found === undefined) break;
    const [start, end] = [found[0]!, found[1]!];
    out += decoder.decode(bytes.subarray(from, start));
    from = start;
    if (start === lastEnd && end === lastEnd) {
      // An empty match directly after another does not count: one character is skipped.
      const next = nextCharacter(bytes, start);
      out += decoder.decode(bytes.subarray(start, next));
      from = next;
      at = next;
      lastEnd = -1;
      if (start >= bytes.length) break;
      continue;
    }
    out += by;
    from = end;
    at = end;
    lastEnd = end;
  }
  return out + decoder.decode(bytes.subarray(Math.min(from, bytes.length)));
}

function nextCharacter(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && (bytes[next]! & 0xc0) === 0x80) next += 1;
  return next;
}
