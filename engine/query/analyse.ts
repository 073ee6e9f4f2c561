/**
 * Syntax to filter: names are resolved and values read, so that what remains cannot be wrong.
 */
import type { EpochMicros } from '../contract/event.ts';
import {
  type Ast,
  type Expression,
  type FieldNode,
  type FieldOrTextNode,
  type Name,
  type PatternNode,
  type Test,
  walk,
} from './ast.ts';
import { type AddressRange, formatIp4, parseAddress } from './address.ts';
import {
  type Field,
  type Resolve,
  type TimeField,
  type VirtualField,
  knownField,
} from './fields.ts';
import { type AddressFilter, addressFilter } from './filters/address.ts';
import { addressPattern, addressTextFilter } from './filters/address-text.ts';
import { communityFilter } from './filters/community-id.ts';
import { dayFilter } from './filters/day.ts';
import { eventIdFilter } from './filters/event-id.ts';
import { ALL, type Filter } from './filters/filter.ts';
import { flowFilter } from './filters/flow.ts';
import { kindFilter } from './filters/kind.ts';
import { arrayPattern } from './filters/members.ts';
import { type NumberRange, parseNumber } from './filters/number.ts';
import { regexFilter } from './filters/regex.ts';
import { type Named, sourceFilter } from './filters/source.ts';
import { tagFilter } from './filters/tag.ts';
import { textFilter } from './filters/text.ts';
import { type ValueField, textValueFilter } from './filters/text-value.ts';
import type { TimeFilter } from './filters/time.ts';
import { comparison, numberRanges } from './number-test.ts';
import { printFilter } from './print.ts';
import { QueryError, shown, syntaxError } from './query-error.ts';
import { type TimeSpan, type ZoneOffset, parseDuration, parseTime } from './time.ts';

/** What values in a query may refer to. */
export interface Surroundings {
  readonly sources: readonly Named[];
  readonly tags: readonly Named[];
  /** The newest event of the case. */
  readonly newestTs: EpochMicros | undefined;
  /** For times that state no zone. */
  readonly zone: string;
  readonly zoneOffset: ZoneOffset;
  /** Where is noted how doubtful parts are read. */
  readonly readings: Set<string>;
  /** Names that no list knows: the events may have them, or not. */
  readonly unlisted: Set<string>;
}

export function analyse(node: Expression, resolve: Resolve, around: Surroundings): Filter {
  switch (node.node) {
    case 'all':
      return ALL;
    case 'not':
      return { filter: 'not', item: analyse(node.item, resolve, around) };
    case 'and':
      return { filter: 'and', items: node.items.map((item) => analyse(item, resolve, around)) };
    case 'or':
      return {
        filter: 'or',
        items: mergeLists(node.items.map((item) => analyse(item, resolve, around))),
      };
    case 'text': {
      const range = node.quoted ? undefined : parseAddress(node.text);
      const ip = knownField('ip');
      if (range === undefined || ip?.type !== 'address')
        return textFilter(node.text, node.quoted, node.start, undefined);
      // One IPv4 address is written in one way: the index of tokens knows its rows.
      const isPhrase = range.version === 4 && range.low === range.high;
      const text = isPhrase
        ? textFilter(formatIp4(range.low), true, node.start, undefined)
        : addressTextFilter(range, undefined);
      return { filter: 'or', items: [text, { filter: 'address', field: ip, ranges: [range] }] };
    }
    case 'pattern':
      return patternFilter(node, resolve);
    case 'field':
      return fieldFilter(node, resolve(node), around);
    case 'field-or-text':
      return fieldOrText(node, resolve, around);
  }
}

/** The columns that words are looked for in, and every attribute. */
const TEXTS = ['message', 'host', 'program', 'event_type', 'attributes'] as const;

function patternFilter({ test, start, end }: PatternNode, resolve: Resolve): Filter {
  const items = TEXTS.flatMap((name): Filter[] => {
    const field = resolved({ name, start, end }, resolve);
    if (field?.type === 'text') return [textTest(field, test, start)];
    if (field?.type !== 'virtual' || field.name !== 'attributes') return [];
    return [textTest({ ...field, name: 'attributes' }, test, start)];
  });
  if (items.length > 0) return { filter: 'or', items };
  throw syntaxError('no column here is a text to look in', start, 'name a field: host:/…/');
}

/** Undefined: there is no such field. */
function resolved(name: Name, resolve: Resolve): Field | undefined {
  try {
    return resolve(name);
  } catch (error) {
    if (error instanceof QueryError && error.code === 'unknown-field') return undefined;
    throw error;
  }
}

/** What people of other tools name that is no field of an event anywhere. */
export const NO_FIELDS: Readonly<Record<string, string>> = {
  index: 'a case is one store: leave it out; a file of evidence is source:NAME',
  earliest: 'write last:24h, ts:>=2026-11-21 or --from',
  latest: 'write ts:<2026-11-22 or --to',
  splunk_server: 'leave it out',
  eventtype: 'kinds of events are kind:log, kind:flow, …',
};

function fieldOrText(node: FieldOrTextNode, resolve: Resolve, around: Surroundings): Filter {
  const { readings } = around;
  const { unlisted } = around;
  const listed = new Set(unlisted);
  let unknown: QueryError;
  try {
    const filter = analyse(node.field, resolve, around);
    const open = [...unlisted].find((name) => !listed.has(name));
    if (open !== undefined && node.field.node !== 'not' && NO_FIELDS[open] === undefined) {
      unlisted.delete(open);
      readings.add(
        `no list says whether an event has a field ${shown(open)}: looked for it, and for ${writtenText(node)}`,
      );
      return { filter: 'or', items: [filter, analyse(node.text, resolve, around)] };
    }
    if (node.doubtful)
      readings.add(
        `read as: ${printFilter(node.field)}; to search for the words, put them in quotes`,
      );
    return filter;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    if (error.code !== 'unknown-field') {
      const hint = [error.hint, quotedHint(node)].flatMap((one) => one ?? []).join('; ');
      throw new QueryError(error.code, error.message, error.position, hint);
    }
    unknown = error;
  }
  const name = nameOf(node.field);
  const stated = NO_FIELDS[name.toLowerCase()];
  if (stated !== undefined)
    throw new QueryError(unknown.code, unknown.message, unknown.position, stated);
  let filter: Filter;
  try {
    filter = analyse(node.text, resolve, around);
  } catch (error) {
    // `a = b` is no text that can be searched for: the field is what is wrong with it.
    if (error instanceof QueryError) throw unknown;
    throw error;
  }
  const near = unknown.hint?.startsWith('did you mean') === true ? ` (${unknown.hint})` : '';
  readings.add(`${textReading(node)}${near}`);
  return filter;
}

function textReading(node: FieldOrTextNode): string {
  return `no event has a field ${shown(nameOf(node.field))}: searched for ${writtenText(node)}`;
}

/** Names that decide whether a part of a query is a test or a text. */
export function doubtfulNames(ast: Ast): Set<string> {
  const names = new Set<string>();
  walk(ast.filter, (node) => {
    if (node.node !== 'field-or-text') return;
    const name = nameOf(node.field);
    if (knownField(name) === undefined && NO_FIELDS[name.toLowerCase()] === undefined)
      names.add(name);
  });
  return names;
}

/** The same query, its doubtful parts decided. @param isField whether events have a field of a name */
export function settled(ast: Ast, isField: (name: string) => boolean): Ast {
  const readings = [...ast.readings];
  const settle = (node: Expression): Expression => {
    switch (node.node) {
      case 'not':
        return { ...node, item: settle(node.item) };
      case 'and':
      case 'or':
        return { ...node, items: node.items.map(settle) };
      case 'field-or-text':
        if (isField(nameOf(node.field))) return node.field;
        readings.push(textReading(node));
        return node.text;
      default:
        return node;
    }
  };
  return { ...ast, filter: settle(ast.filter), readings };
}

/** What is searched for where no field is meant: `the text user=root`, in quotes. */
function writtenText({ text }: FieldOrTextNode): string {
  if (text.node === 'text' && !text.quoted) return `the text ${JSON.stringify(text.text)}`;
  const items = text.node === 'and' ? text.items : [text];
  return `the words ${items.map((item) => printFilter(item)).join(' ')}`;
}

function quotedHint({ text }: FieldOrTextNode): string | undefined {
  return text.node === 'text' && !text.quoted
    ? `to search for the text, put it in quotes: ${JSON.stringify(text.text)}`
    : undefined;
}

function nameOf(node: Expression): string {
  switch (node.node) {
    case 'field':
      return node.name;
    case 'not':
      return nameOf(node.item);
    case 'and':
    case 'or':
      return nameOf(node.items[0]!);
    default:
      return '';
  }
}

/** Whether every event of a filter is one that only packets, or only one event by its id, can be. */
export function namesPackets(node: Expression): boolean {
  switch (node.node) {
    case 'field': {
      const name = knownField(node.name)?.name;
      return (name === 'event_id' || name === 'flow_id') && node.test.test !== 'present';
    }
    case 'field-or-text':
      return namesPackets(node.field);
    case 'and':
      return node.items.some(namesPackets);
    case 'or':
      return node.items.every(namesPackets);
    default:
      return false;
  }
}

/** Whether a filter says something about `kind`, so that packets are no longer left out. */
export function mentionsKind(node: Expression): boolean {
  switch (node.node) {
    case 'field': {
      const field = knownField(node.name);
      return field?.type === 'virtual' && field.name === 'kind';
    }
    case 'not':
      return mentionsKind(node.item);
    case 'field-or-text':
      return mentionsKind(node.field);
    case 'and':
    case 'or':
      return node.items.some(mentionsKind);
    default:
      return false;
  }
}

/** `ip:(a OR b OR …)` becomes one filter: one list in SQL rather than a chain of conditions. */
function mergeLists(items: readonly Filter[]): Filter[] {
  const out: Filter[] = [];
  const addresses = new Map<string, AddressFilter['ranges'][number][]>();
  const numbers = new Map<string, NumberRange[]>();
  for (const item of items.flatMap((one) => (one.filter === 'or' ? one.items : [one]))) {
    const key = item.filter === 'address' || item.filter === 'number' ? item.field.name : '';
    if (item.filter === 'address') {
      const known = addresses.get(key);
      if (known !== undefined) {
        known.push(...item.ranges);
        continue;
      }
      const ranges = [...item.ranges];
      addresses.set(key, ranges);
      out.push({ ...item, ranges });
    } else if (item.filter === 'number' && item.field.type === 'number') {
      const known = numbers.get(key);
      if (known !== undefined) {
        known.push(...item.ranges);
        continue;
      }
      const ranges = [...item.ranges];
      numbers.set(key, ranges);
      out.push({ ...item, ranges });
    } else out.push(item);
  }
  return out;
}

/** A name means the column and the attribute that has it. */
function fieldFilter(node: FieldNode, field: Field, around: Surroundings): Filter {
  const attribute = field.type === 'attribute' ? undefined : field.attribute;
  // A time says which part of the case is asked about.
  if (attribute === undefined || (field.type === 'time' && node.test.test === 'present'))
    return ownFilter(node, field, around);
  const { key, certain } = attribute;
  let own: Filter;
  try {
    own = ownFilter(node, field, around);
  } catch (error) {
    // `severity:high` is no severity, but may be what evidence calls one.
    if (!certain || !(error instanceof QueryError)) throw error;
    return ownFilter(node, { type: 'attribute', name: key, key }, around);
  }
  if (own.filter === 'time') return own;
  return {
    filter: 'or',
    items: [own, ownFilter(node, { type: 'attribute', name: key, key }, around)],
  };
}

function ownFilter(node: FieldNode, field: Field, around: Surroundings): Filter {
  const { test, start } = node;
  if (test.test === 'present' && !(field.type === 'virtual' && PRESENT_AS_LIST.has(field.name))) {
    return { filter: 'present', field };
  }
  switch (field.type) {
    case 'number':
      return { filter: 'number', field, ranges: numberRanges(field, test, start, around.readings) };
    case 'address':
      return addressFilter(field, test, start);
    case 'time':
      return timeFilter(field, test, start, around);
    case 'text':
    case 'attribute':
      return textTest(field, test, start);
    case 'virtual':
      return virtualFilter(field, test, start, around);
  }
}

/** `kind:*` and the like keep their own filter: it says which. */
const PRESENT_AS_LIST: ReadonlySet<string> = new Set(['kind', 'source', 'tag', 'day', 'last']);

function virtualFilter(field: VirtualField, given: Test, at: number, around: Surroundings): Filter {
  // `where kind = flow`
  const equal = given.test === 'compare' && given.op === '=';
  const test: Test = equal ? { test: 'quoted', text: given.value } : given;
  switch (field.name) {
    case 'kind':
      return kindFilter(test, at, field.ref);
    case 'source':
      return sourceFilter(test, around.sources, at, field.ref);
    case 'tag':
      return tagFilter(test, around.tags, at, field.ref);
    case 'day':
      return dayFilter(test, at, field.ref);
    case 'event_id':
      return eventIdFilter(test, at);
    case 'flow':
      return flowFilter(test, at);
    case 'last':
      return lastFilter(test, at, around);
    case 'community_id':
      return communityFilter(test, at, field.ref);
    case 'attributes':
      return textTest({ ...field, name: 'attributes' }, test, at);
  }
}

function lastFilter(test: Test, at: number, around: Surroundings): TimeFilter {
  const span =
    test.test === 'word' || test.test === 'quoted' ? parseDuration(test.text) : undefined;
  if (span === undefined || span === 0) {
    throw syntaxError('last takes a duration', at, 'write last:24h, last:30m or last:7d');
  }
  const { newestTs } = around;
  const ref = { column: 'ts' } as const;
  if (newestTs === undefined) return { filter: 'time', ref, from: 0, to: 0 };
  return { filter: 'time', ref, from: newestTs - span, to: newestTs + 1 };
}

/** Text and attributes. Attributes that are compared with numbers are compared as numbers. */
function textTest(field: ValueField, test: Test, at: number): Filter {
  const isMessage = field.type === 'text' && field.name === 'message';
  switch (test.test) {
    case 'word':
    case 'quoted': {
      const quoted = test.test === 'quoted';
      const range = quoted || field.type === 'virtual' ? undefined : parseAddress(test.text);
      const isBlock = range !== undefined && (range.version === 6 || range.low !== range.high);
      if (isMessage)
        return isBlock
          ? addressTextFilter(range, field.ref)
          : textFilter(test.text, quoted, at, field.ref);
      const value = textValueFilter(field, test.text, quoted, at);
      if (!isBlock) return value;
      return { filter: 'or', items: [value, addressValueFilter(field, range)] };
    }
    case 'regex':
      return regexFilter(field, test.pattern, test.ignoreCase, test.at);
    case 'compare': {
      const { op, value } = test;
      if (field.type === 'virtual') throw syntaxError('attributes takes words and patterns', at);
      const number = parseNumber(value);
      if (field.type === 'attribute' && number !== undefined) {
        return { filter: 'number', field, ranges: [comparison(op, number)] };
      }
      if (op === '=') return textValueFilter(field, value, true, at);
      const up = op.startsWith('>');
      return textRange(field, up ? value : undefined, up ? undefined : value, op.endsWith('='));
    }
    case 'range': {
      const { low, high } = test;
      if (field.type === 'virtual') throw syntaxError('attributes takes words and patterns', at);
      const bounds = [low, high].map((text) =>
        text === undefined ? undefined : parseNumber(text),
      );
      const numeric =
        (low === undefined || bounds[0] !== undefined) &&
        (high === undefined || bounds[1] !== undefined);
      if (field.type === 'attribute' && numeric && (low ?? high) !== undefined) {
        return {
          filter: 'number',
          field,
          ranges: [
            {
              low: bounds[0],
              high: bounds[1],
              lowIncluded: test.lowIncluded,
              highIncluded: test.highIncluded,
            },
          ],
        };
      }
      return {
        ...textRange(field, low, high, true),
        lowIncluded: test.lowIncluded,
        highIncluded: test.highIncluded,
      };
    }
    case 'present':
      return { filter: 'present', field };
  }
}

/** A text, or a member of a list, that is an address of a block. */
function addressValueFilter(field: ValueField, range: AddressRange): Filter {
  const address = addressPattern(range);
  const member = arrayPattern([`(?:"${address}"|${address})`]);
  return {
    ...{ filter: 'regex', field, ignoreCase: true },
    pattern: `^(?:${address})$|${member}`,
  };
}

function textRange(
  field: Exclude<ValueField, VirtualField>,
  low: string | undefined,
  high: string | undefined,
  included: boolean,
) {
  return {
    filter: 'text-range',
    field,
    low: low?.toWellFormed().replaceAll('\0', ''),
    high: high?.toWellFormed().replaceAll('\0', ''),
    lowIncluded: included,
    highIncluded: included,
  } as const;
}

const TIME_HINT = 'write 2026-11-21, 2026-11-21T12:00 or 2026-11-21T12:00:00+01:00';

function timeFilter(field: TimeField, test: Test, at: number, around: Surroundings): TimeFilter {
  const read = (text: string): TimeSpan => {
    const span = parseTime(text, around.zone, around.zoneOffset);
    if (span === undefined) throw syntaxError(`${shown(text)} is no time`, at, TIME_HINT);
    return span;
  };
  const { ref } = field;
  switch (test.test) {
    case 'word':
    case 'quoted':
      return { filter: 'time', ref, ...read(test.text) };
    case 'compare': {
      const { from, to } = read(test.value);
      switch (test.op) {
        case '=':
          return { filter: 'time', ref, from, to };
        case '>':
          return { filter: 'time', ref, from: to, to: undefined };
        case '>=':
          return { filter: 'time', ref, from, to: undefined };
        case '<':
          return { filter: 'time', ref, from: undefined, to: from };
        case '<=':
          return { filter: 'time', ref, from: undefined, to };
      }
    }
    // Falls to no other case: every operator returns.
    case 'range': {
      // Time ranges are half-open whatever the closing bracket.
      const low = test.low === undefined ? undefined : read(test.low);
      return {
        filter: 'time',
        ref,
        from: low === undefined ? undefined : test.lowIncluded ? low.from : low.from + 1,
        to: test.high === undefined ? undefined : read(test.high).from,
      };
    }
    default:
      throw syntaxError(`${field.name} is a time and takes no pattern`, at, TIME_HINT);
  }
}
