/**
 * The meaning of a query, implemented a second time and as plainly as possible: an evaluator of the syntax tree
 * over events in memory. Tests compare the compiled SQL with it. It shares with the compiler only the parser and
 * tables of names.
 */
import { type ColumnName, COLUMNS, isColumn, PROTOCOLS, SEVERITIES } from '../../contract/event.ts';
import type { Expression, Test } from '../syntax/ast.ts';
import { uuidToIp6, formatIp4, formatIp6 } from '../values/address.ts';
import { SOURCES, TAGS, type TestEvent, dayOf } from './test-case.ts';

const TEXT_COLUMNS: readonly ColumnName[] = ['message', 'host', 'program', 'event_type'];
const ALIASES: Readonly<Record<string, string>> = {
  'id.orig_h': 'src_ip',
  'source.ip': 'src_ip',
  dest_port: 'dst_port',
  'host.name': 'host',
};

export function evaluate(filter: Expression, all: readonly TestEvent[], kindMentioned: boolean) {
  return all.filter(
    (event) =>
      event.deleted !== true &&
      (kindMentioned || event.kind !== 'packet' || event.fields.flow_id === undefined) &&
      matches(filter, event),
  );
}

function matches(node: Expression, event: TestEvent): boolean {
  switch (node.node) {
    case 'all':
      return true;
    case 'not':
      return !matches(node.item, event);
    case 'and':
      return node.items.every((item) => matches(item, event));
    case 'or':
      return node.items.some((item) => matches(item, event));
    case 'text': {
      const texts = [
        ...TEXT_COLUMNS.flatMap((name) => event.fields[name] ?? []),
        ...Object.values(event.attributes),
        ...Object.values(event.overflow ?? {}),
      ].map(String);
      const isAddress = !node.quoted && /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(node.text);
      if (isAddress && texts.some((text) => hasAddress(text, node.text))) return true;
      if (!isAddress) return texts.some((text) => hasPhrase(text, node.text, node.quoted));
      return addresses(event, 'ip').some((one) => inBlock(one, node.text));
    }
    case 'pattern': {
      const texts = [
        ...TEXT_COLUMNS.flatMap((name) => event.fields[name] ?? []),
        ...Object.values(event.attributes),
        ...Object.values(event.overflow ?? {}),
      ].map(String);
      const pattern = new RegExp(node.test.pattern, node.test.ignoreCase ? 'iu' : 'u');
      return texts.some((text) => pattern.test(text));
    }
    case 'compared':
    case 'within':
      throw new TypeError('computed values are tested by expressions/values.test.ts');
    case 'field-or-text':
      return matches(node.field, event);
    case 'field':
      return fieldMatches(ALIASES[node.name] ?? node.name, node.test, event);
  }
}

interface Piece {
  token: boolean;
  text: string;
}

function pieces(text: string, wildcards: boolean): Piece[] {
  const out: Piece[] = [];
  for (const char of text) {
    const token = /[A-Za-z0-9_]/.test(char) || char > '\x7f' || (wildcards && /[*?]/.test(char));
    const last = out.at(-1);
    if (last !== undefined && last.token === token) last.text += char;
    else out.push({ token, text: char });
  }
  return out;
}

function sameText(a: string, b: string): boolean {
  const literal = [...b].map((char) => `\\u{${char.codePointAt(0)!.toString(16)}}`).join('');
  return new RegExp(`^${literal}$`, 'iu').test(a);
}

/** Wildcards by recursion. */
function glob(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '*') return glob(rest, text) || (text.length > 0 && glob(pattern, text.slice(1)));
  const [head, ...tail] = text;
  return head !== undefined && (first === '?' || sameText(head, first)) && glob(rest, tail);
}

function hasPhrase(text: string, phrase: string, quoted: boolean): boolean {
  const wanted = pieces(phrase, !quoted);
  while (wanted[0]?.token === false) wanted.shift();
  while (wanted.at(-1)?.token === false) wanted.pop();
  const given = pieces(text, false);
  return given.some((_, at) =>
    wanted.every((piece, i) => {
      const token = given[at + i];
      if (token === undefined || token.token !== piece.token) return false;
      if (!piece.token) return token.text === piece.text;
      return quoted ? sameText(token.text, piece.text) : glob([...piece.text], [...token.text]);
    }),
  );
}

/** Whether four tokens in a row with dots between them are an address of the block. */
function hasAddress(text: string, block: string): boolean {
  const given = pieces(text, false);
  return given.some((_, at) => {
    const address = given.slice(at, at + 7);
    const isOne =
      address.length === 7 &&
      address.every(({ text: piece }, i) =>
        i % 2 === 0 ? /^(0|[1-9]\d{0,2})$/.test(piece) && Number(piece) <= 255 : piece === '.',
      );
    return isOne && inBlock(address.map((one) => one.text).join(''), block);
  });
}

function addresses(event: TestEvent, field: string): string[] {
  const sides = field === 'ip' ? ['src', 'dst'] : [field.slice(0, 3)];
  return sides.flatMap((side) => {
    const v4 = event.fields[`${side}_ip4` as ColumnName];
    const v6 = event.fields[`${side}_ip6` as ColumnName];
    return [
      ...(v4 === undefined ? [] : [formatIp4(Number(v4))]),
      ...(v6 === undefined ? [] : [formatIp6(uuidToIp6(String(v6)))]),
    ];
  });
}

function bits(address: string): string {
  return address
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('');
}

function inBlock(address: string, block: string): boolean {
  const [base, length = '32'] = block.split('/');
  if (address.includes(':') || base!.includes(':')) return address === base;
  return bits(address).slice(0, Number(length)) === bits(base!).slice(0, Number(length));
}

function numbers(event: TestEvent, field: string): number[] {
  const names = field === 'port' ? ['src_port', 'dst_port'] : [field];
  return names.flatMap((name) => {
    const value = event.fields[name as ColumnName];
    return value === undefined ? [] : [Number(value)];
  });
}

function numberOf(field: string, text: string): number {
  if (field === 'proto' && Object.hasOwn(PROTOCOLS, text)) return PROTOCOLS[text]!;
  const severity = SEVERITIES.findIndex((name) => name === text);
  return field === 'severity' && severity >= 0 ? severity : Number(text);
}

function compares(value: number, op: string, than: number): boolean {
  if (op === '>') return value > than;
  if (op === '>=') return value >= than;
  if (op === '<') return value < than;
  return op === '<=' ? value <= than : value === than;
}

function numberMatches(values: readonly number[], test: Test, read: (text: string) => number) {
  return values.some((value) => {
    switch (test.test) {
      case 'word':
      case 'quoted':
        return value === read(test.text);
      case 'compare':
        return compares(value, test.op, read(test.value));
      case 'range':
        return (
          (test.low === undefined ||
            compares(value, test.lowIncluded ? '>=' : '>', read(test.low))) &&
          (test.high === undefined ||
            compares(value, test.highIncluded ? '<=' : '<', read(test.high)))
        );
      default:
        return true;
    }
  });
}

function textMatches(value: string, test: Test): boolean {
  switch (test.test) {
    case 'word':
      return glob([...test.text], [...value]);
    case 'quoted':
      return sameText(value, test.text);
    case 'regex':
      return new RegExp(test.pattern, test.ignoreCase ? 'iu' : 'u').test(value);
    case 'compare':
      return numberMatches(value.trim() === '' ? [] : [Number(value)], test, Number);
    case 'range':
      return numberMatches(value.trim() === '' ? [] : [Number(value)], test, Number);
    case 'present':
      return true;
  }
}

function fieldMatches(field: string, test: Test, event: TestEvent): boolean {
  const word = test.test === 'word' || test.test === 'quoted' ? test.text : '';
  switch (field) {
    case 'kind':
      return test.test === 'present' || glob([...word], [...event.kind]);
    case 'day':
      return glob([...word], [...dayOf(event.ts)]);
    case 'source': {
      const name = SOURCES.find(({ id }) => id === event.source)!.name;
      return [name, ...name.split(/[/!]/)].some((one) => glob([...word], [...one]));
    }
    case 'tag':
      return (event.tags ?? []).some((tag) => {
        const name = TAGS.find(({ id }) => id === tag)!.name;
        return test.test === 'present' || glob([...word], [...name]);
      });
    case 'ts': {
      if (event.ts === undefined) return false;
      if (test.test !== 'range') return true;
      const at = (text: string) => Date.parse(`${text}Z`) * 1000;
      return (
        (test.low === undefined || event.ts >= at(test.low)) &&
        (test.high === undefined || event.ts < at(test.high))
      );
    }
    case 'src_ip':
    case 'dst_ip':
    case 'ip': {
      const found = addresses(event, field);
      return test.test === 'present' ? found.length > 0 : found.some((one) => inBlock(one, word));
    }
    case 'message':
      if (test.test === 'word' || test.test === 'quoted') {
        const text = event.fields.message;
        return text !== undefined && hasPhrase(String(text), word, test.test === 'quoted');
      }
      break;
    default:
  }
  if (field === 'port' || (isColumn(field) && COLUMNS[field] !== 'text')) {
    return numberMatches(numbers(event, field), test, (text) => numberOf(field, text));
  }
  const value =
    event.fields[field as ColumnName] ?? event.attributes[field] ?? event.overflow?.[field];
  return value !== undefined && textMatches(String(value), test);
}
