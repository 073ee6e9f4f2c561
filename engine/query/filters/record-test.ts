/**
 * Whether a record that could not be read contains what a query asks for. Of such a record there is text and
 * nothing else: words, values, patterns and addresses are looked for in it; what a field must be otherwise,
 * such as a kind or a time, is not known and leaves no record out.
 */
import type { MatchList } from '../lists/match-list.ts';
import { compilePattern } from '../re2/matcher.ts';
import { addressTextFilter } from './address-text.ts';
import type { Filter } from './filter.ts';
import { textFilter, wholePattern } from './text.ts';

/** `undefined`: the text does not say. */
type Contains = (bytes: Uint8Array, text: () => string) => boolean | undefined;

const UNKNOWN: Contains = () => undefined;

/** Undefined: nothing is asked that a text could contain. */
export function recordTest(
  filters: readonly Filter[],
): ((bytes: Uint8Array) => boolean) | undefined {
  if (!filters.some(asksText)) return undefined;
  const tests = filters.map(compile);
  const decoder = new TextDecoder();
  return (bytes) => {
    let known: string | undefined;
    const text = () => (known ??= decoder.decode(bytes));
    return tests.some((test) => test(bytes, text) === true);
  };
}

function asksText(filter: Filter): boolean {
  switch (filter.filter) {
    case 'and':
    case 'or':
      return filter.items.some(asksText);
    case 'text':
    case 'text-value':
    case 'regex':
    case 'address':
    case 'list':
    case 'list-text':
      return true;
    default:
      return false;
  }
}

function compile(filter: Filter): Contains {
  switch (filter.filter) {
    case 'and': {
      const items = filter.items.map(compile);
      return (bytes, text) => {
        const all = items.map((item) => item(bytes, text));
        return all.includes(false) ? false : all.includes(true) ? true : undefined;
      };
    }
    case 'or': {
      const items = filter.items.map(compile);
      return (bytes, text) => {
        const all = items.map((item) => item(bytes, text));
        return all.includes(true) ? true : all.includes(undefined) ? undefined : false;
      };
    }
    case 'not': {
      const item = compile(filter.item);
      return (bytes, text) => {
        const found = item(bytes, text);
        return found === undefined ? undefined : !found;
      };
    }
    case 'text':
      return matching(wholePattern(filter));
    case 'text-value':
      return valueIn(filter.text, filter.wildcard);
    case 'regex':
      return matching(filter.pattern, filter.ignoreCase);
    case 'address':
      return anyOf(
        filter.ranges.map((range) =>
          range.version === 'mask'
            ? UNKNOWN
            : matching(wholePattern(addressTextFilter(range, undefined))),
        ),
      );
    case 'list':
    case 'list-text':
      return listed(filter.list);
    default:
      return UNKNOWN;
  }
}

function anyOf(items: readonly Contains[]): Contains {
  return (bytes, text) => {
    const all = items.map((item) => item(bytes, text));
    return all.includes(true) ? true : all.includes(undefined) ? undefined : false;
  };
}

function matching(pattern: string, ignoreCase = true): Contains {
  const matcher = compilePattern(pattern, ignoreCase);
  return (bytes) => matcher.test(bytes, 0, bytes.length);
}

/** A value of a field as it stands among others in a record. */
function valueIn(value: string, wildcard: boolean): Contains {
  return /[\w\u0080-\u{10ffff}]/u.test(value)
    ? matching(wholePattern(textFilter(value, !wildcard, 0, undefined)))
    : UNKNOWN;
}

const QUAD = /(?<![\w\u0080-\uffff])\d{1,3}(?:\.\d{1,3}){3,}(?![\w\u0080-\uffff])/g;

/** The IPv4 addresses and texts of a list; its other keys are columns. */
function listed({ groups }: MatchList): Contains {
  const blocks = groups.flatMap(({ keys }) =>
    keys.flatMap(({ key, values }) =>
      key.key === 'address4' || key.key === 'written4'
        ? [{ prefix: key.prefix, values: new Set(Array.from(values, Number)) }]
        : [],
    ),
  );
  return (_, text) => {
    for (const [run] of text().matchAll(QUAD)) {
      const octets = run.split('.').map(Number);
      for (let at = 0; at + 4 <= octets.length; at++) {
        const quad = octets.slice(at, at + 4);
        if (quad.some((octet) => octet > 255)) continue;
        const value = quad.reduce((sum, octet) => sum * 256 + octet, 0);
        for (const { prefix, values } of blocks)
          if (values.has(value - (value % 2 ** (32 - prefix)))) return true;
      }
    }
    return false;
  };
}
