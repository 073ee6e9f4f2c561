/**
 * Syntax to filter: names are resolved and values read, so that what remains cannot be wrong.
 */
import type { EpochMicros } from '../contract/event.ts';
import type { Expression, FieldNode, FieldOrTextNode, Name, PatternNode, Test } from './ast.ts';
import { type AddressRange, formatIp4, parseAddress } from './address.ts';
import {
  type Field,
  type NameSet,
  type NumberField,
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
import { NAMED, codeOf, codesOf } from './filters/names.ts';
import { type NumberFilter, type NumberRange, exactly, parseNumber } from './filters/number.ts';
import { regexFilter } from './filters/regex.ts';
import { type Named, sourceFilter } from './filters/source.ts';
import { tagFilter } from './filters/tag.ts';
import { textFilter } from './filters/text.ts';
import { type ValueField, textValueFilter } from './filters/text-value.ts';
import type { TimeFilter } from './filters/time.ts';
import { hasWildcard } from './filters/wildcard.ts';
import { printFilter } from './print.ts';
import { QueryError, didYouMean, shown, syntaxError } from './query-error.ts';
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
const NO_FIELDS: Readonly<Record<string, string>> = {
  index: 'a case is one store: leave it out; a file of evidence is source:NAME',
  earliest: 'write last:24h, ts:>=2026-11-21 or --from',
  latest: 'write ts:<2026-11-22 or --to',
  splunk_server: 'leave it out',
  eventtype: 'kinds of events are kind:log, kind:flow, …',
};

function fieldOrText(node: FieldOrTextNode, resolve: Resolve, around: Surroundings): Filter {
  const { readings } = around;
  let unknown: QueryError;
  try {
    const filter = analyse(node.field, resolve, around);
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
  readings.add(`no event has a field ${shown(name)}: searched for ${writtenText(node)}${near}`);
  return filter;
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
      return numberFilter(field, test, start);
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

const NUMBER_HINT = 'write bytes:1000, bytes:>1000 or bytes:[1 TO 1000]';

function numberFilter(field: NumberField, test: Test, at: number): NumberFilter {
  return { filter: 'number', field, ranges: numberRanges(field, test, at) };
}

function numberRanges(field: NumberField, test: Test, at: number): NumberRange[] {
  const read = (text: string): number => {
    const value =
      parseNumber(text) ?? (field.names === undefined ? undefined : codeOf(field.names, text));
    if (value !== undefined) return value;
    throw syntaxError(
      `${field.name} has no value ${shown(text)}`,
      at,
      field.names === undefined ? NUMBER_HINT : namesHint(field.names, text),
    );
  };
  switch (test.test) {
    case 'word':
      if (hasWildcard(test.text)) {
        const codes = field.names === undefined ? [] : codesOf(field.names, test.text);
        if (field.names === undefined || codes.length === 0) {
          throw syntaxError(
            `${field.name} has no value ${shown(test.text)}`,
            at,
            field.names === undefined ? NUMBER_HINT : namesHint(field.names, test.text),
          );
        }
        return codes.map(exactly);
      }
      return [exactly(read(test.text))];
    case 'quoted':
      return [exactly(read(test.text))];
    case 'compare':
      return [comparison(test.op, read(test.value))];
    case 'range':
      return [
        {
          low: test.low === undefined ? undefined : read(test.low),
          high: test.high === undefined ? undefined : read(test.high),
          lowIncluded: test.lowIncluded,
          highIncluded: test.highIncluded,
        },
      ];
    default:
      throw syntaxError(`${field.name} is a number and takes no pattern`, at, NUMBER_HINT);
  }
}

function namesHint(set: NameSet, text: string): string {
  const names = [...NAMED[set].keys()];
  return didYouMean(text, names) ?? `names are ${names.slice(0, 12).join(', ')}, …`;
}

function comparison(op: string, value: number): NumberRange {
  if (op === '=') return exactly(value);
  const up = op.startsWith('>');
  const included = op.endsWith('=');
  return {
    low: up ? value : undefined,
    high: up ? undefined : value,
    lowIncluded: included,
    highIncluded: included,
  };
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
