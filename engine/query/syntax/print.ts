/**
 * A filter's tree as text in the language's own spelling, shown to a person who wrote a query in another one.
 * `parseQuery(printFilter(tree))` gives the same tree, except for positions.
 */
import type { Expression, Test } from './ast.ts';

const BARE_NAME = /^(?!.*\s)[A-Za-z_@\u0080-\uffff][\w.@\-\u0080-\uffff]*$/;
/** Values that mean themselves without quotes, whatever the field. */
const BARE_VALUE = /^[^\s\u0000()|"',*?[\]{}<>=/\\-][^\s\u0000()|"',*?]*$/;
const NEGATIVE = /^-\d+(?:\.\d+)?$/;

/** @param source text of the tree: parts that are decided later are printed as written */
export function printFilter(node: Expression, source?: string): string {
  return print(node, 0, source);
}

/** How tightly an operator binds: decides where brackets are needed. */
const STRENGTH = { or: 1, and: 2, not: 3 } as const;

function print(node: Expression, outer: number, source: string | undefined): string {
  switch (node.node) {
    case 'all':
      return '*';
    case 'text':
      return node.quoted || /^(?:AND|OR|NOT|and|or|not)$/.test(node.text)
        ? quoted(node.text)
        : node.text;
    case 'pattern':
      return printTest(node.test);
    case 'field':
      if (node.against !== undefined && node.test.test !== 'present')
        return `${printName(node.name)} ${node.test.test === 'compare' ? node.test.op : '='} ${node.against.name}`;
      return `${printName(node.name)}:${printTest(node.test)}`;
    case 'compared':
      return node.written;
    case 'within':
      return `${printName(node.name)} in [ ${node.query.text.trim()} ]`;
    case 'field-or-text':
      return source?.slice(node.start, node.end) ?? print(node.field, outer, source);
    case 'not':
      return `NOT ${print(node.item, STRENGTH.not, source)}`;
    case 'and':
    case 'or': {
      const strength = STRENGTH[node.node];
      const text = node.items
        .map((item) => print(item, strength + (item.node === node.node ? 1 : 0), source))
        .join(node.node === 'and' ? ' AND ' : ' OR ');
      return strength < outer || (strength === outer && outer > 0) ? `(${text})` : text;
    }
  }
}

/** The name of a field before a colon. */
export function printName(name: string): string {
  return BARE_NAME.test(name) ? name : quoted(name);
}

/** A value as it is written after `field:`; in quotes where something in it would mean something. */
export function quoteValue(value: string | number): string {
  const text = String(value);
  if (/^(?:AND|OR|NOT|TO)$/i.test(text)) return quoted(text);
  return BARE_VALUE.test(text) || NEGATIVE.test(text) ? text : quoted(text);
}

/** The part after the colon. */
export function printTest(test: Test): string {
  switch (test.test) {
    case 'word':
      return test.text;
    case 'quoted':
      return quoted(test.text);
    case 'regex':
      return `/${slashed(test.pattern)}/${test.ignoreCase ? 'i' : ''}`;
    case 'compare':
      return `${test.op}${value(test.value)}`;
    case 'range': {
      const { low, high, lowIncluded, highIncluded } = test;
      return `${lowIncluded ? '[' : '{'}${end(low)} TO ${end(high)}${highIncluded ? ']' : '}'}`;
    }
    case 'present':
      return '*';
  }
}

function end(text: string | undefined): string {
  return text === undefined ? '*' : value(text);
}

function value(text: string): string {
  return /^(?!TO$)[\w.:+-]+$/i.test(text) ? text : quoted(text);
}

/** In quotes: nothing in it is a wildcard or ends it. */
export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** A slash outside of brackets would end a pattern. */
function slashed(pattern: string): string {
  let out = '';
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const c = pattern[at]!;
    if (c === '\\') {
      out += pattern.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (c === '[') inClass = true;
    else if (c === ']') inClass = false;
    out += c === '/' && !inClass ? '\\/' : c;
  }
  return out;
}
