/** Converts syntax to a filter: resolves names and parses values, so that the result is always valid. */
import {
  type Ast,
  type CompareOp,
  type ComparedNode,
  type Expression,
  type FieldNode,
  type FieldOrTextNode,
  type Name,
  type PatternNode,
  type ValueNode,
  walk,
} from '../syntax/ast.ts';
import { type AddressRange, formatIp4, mappedRange, parseAddress } from '../values/address.ts';
import {
  type AttributeField,
  CLOCK_NAMES,
  type Field,
  type Resolve,
  type TextField,
  isCutText,
  knownField,
} from '../names/fields.ts';
import { isNameOfRole } from '../../fields/registry/registry.ts';
import { macDigits, macTexts } from '../values/mac-text.ts';
import { addressPattern, addressTextFilter } from '../filters/address-text.ts';
import { type ValueField, isValueField } from '../filters/field-texts.ts';
import { ALL, type Filter, allOf, mergeLists, readTest } from '../filters/filter.ts';
import { arrayPattern } from '../filters/members.ts';
import type { Surroundings, WrittenTest } from '../filters/surroundings.ts';
import { regexFilter } from '../filters/regex.ts';
import { textFilter } from '../filters/text.ts';
import { type ValueContext, fieldOf, fieldValue, valueOf } from '../expressions/analyse.ts';
import { NAMES, converted } from '../expressions/operator.ts';
import type { Value } from '../expressions/value.ts';
import { printFilter, printName } from '../syntax/print.ts';
import { time as timeSql } from '../dialect/clickhouse.ts';
import { counted, nounOf } from '../../contract/words/counted.ts';
import { parseTime } from '../time/time.ts';
import { QueryError, shown, syntaxError } from '../syntax/query-error.ts';

const NOTHING: Filter = { filter: 'not', item: ALL };

export function analyse(node: Expression, resolve: Resolve, around: Surroundings): Filter {
  switch (node.node) {
    case 'all':
      return ALL;
    case 'not':
      return { filter: 'not', item: analyse(node.item, resolve, around) };
    case 'and':
      return { filter: 'and', items: node.items.map((item) => analyse(item, resolve, around)) };
    case 'or': {
      const given = node.items.filter(isGiven);
      if (given.length === node.items.length) return givenFilter(given, resolve, around);
      return {
        filter: 'or',
        items: mergeLists(node.items.map((item) => analyse(item, resolve, around))),
      };
    }
    case 'text': {
      const range = node.quoted ? undefined : parseAddress(node.text);
      const ip = knownField('ip');
      if (range === undefined || ip?.type !== 'address') {
        const mac = node.quoted ? undefined : macDigits(node.text);
        if (mac !== undefined) return macAnywhere(mac, node.start);
        return textFilter(node.text, node.quoted, node.start, undefined);
      }
      // One IPv4 address is written in one way: the index of tokens knows its rows.
      const isPhrase = range.version === 4 && range.low === range.high;
      const text = isPhrase
        ? textFilter(formatIp4(range.low), true, node.start, undefined)
        : addressTextFilter(range, undefined);
      // Older cases stored an IPv4 address that was written as IPv6 in that form.
      const isMapped = range.version === 4 && node.text.includes(':');
      const ranges = isMapped ? [range, mappedRange(range)] : [range];
      return { filter: 'or', items: [text, { filter: 'address', field: ip, ranges }] };
    }
    case 'pattern':
      return patternFilter(node, resolve);
    case 'field': {
      if (isGiven(node)) return givenFilter([node], resolve, around);
      const field = resolve(node);
      return fieldsCompared(node, field, resolve, around) ?? fieldFilter(node, field, around);
    }
    case 'compared':
      return comparison(node, resolve, around);
    case 'within':
      throw syntaxError(
        'a query within a query cannot be used there',
        node.start,
        "it can be in the filter, in where, in union and in the steps of sequence: daybook query CASE '… | where src_ip in [ … | values dst_ip ]'",
      );
    case 'field-or-text':
      return fieldOrText(node, resolve, around);
  }
}

/** A hardware address, in each way to write it: in text, and in its columns. */
function macAnywhere(digits: string, at: number): Filter {
  return {
    filter: 'or',
    items: macTexts(digits).map((text) => textFilter(text, true, at, undefined)),
  };
}

// -- computed values -------------------------------------------------------------------------------

function valueContext(resolve: Resolve, around: Surroundings): ValueContext {
  return { resolve, zone: around.zone, condition: (filter) => analyse(filter, resolve, around) };
}

/** Names of fields, and expressions in their places. */
export function withExpressions(resolve: Resolve, around: Surroundings): Resolve {
  const { columns } = resolve;
  const found = (name: Name): Field =>
    name.expression === undefined || columns?.has(name.name) === true
      ? resolve(name)
      : fieldOf(name.name, valueOf(name.expression, valueContext(resolve, around)));
  return columns === undefined ? found : Object.assign(found, { columns });
}

/** The value of an expression. */
export function computedValue(value: ValueNode, resolve: Resolve, around: Surroundings): Value {
  return valueOf(value, valueContext(resolve, around));
}

/** The same as a field. */
export function computedField(
  name: string,
  value: ValueNode,
  resolve: Resolve,
  around: Surroundings,
): Field {
  return fieldOf(name, computedValue(value, resolve, around));
}

function comparison(node: ComparedNode, resolve: Resolve, around: Surroundings): Filter {
  const context = valueContext(resolve, around);
  const { op, written } = node;
  const left = valueOf(node.left, context);
  if (node.right === undefined || op === undefined) {
    if (left.type === 'condition')
      return { filter: 'comparison', left, op, right: undefined, written };
    throw syntaxError('found no comparison', node.end, `write ${written} > 5, or = "text"`);
  }
  return compared(left, op, valueOf(node.right, context), node, around);
}

function compared(
  a: Value,
  op: CompareOp,
  b: Value,
  { start, written }: { readonly start: number; readonly written: string },
  around: Surroundings,
): Filter {
  const [left, right] = sameType(withTime(a, b, around), withTime(b, a, around)) ?? [];
  if (left === undefined || right === undefined)
    throw syntaxError(`${NAMES[a.type]} and ${NAMES[b.type]} cannot be compared`, start);
  if (left.type === 'address' && op !== '=')
    throw syntaxError('addresses can only be equal or not', start, 'write = or !=');
  return { filter: 'comparison', left, op, right, written };
}

/** A text that is compared with a time is a time: its first instant. */
function withTime(value: Value, other: Value, { zone, zoneOffset }: Surroundings): Value {
  if (other.type !== 'time' || typeof value.literal !== 'string') return value;
  const span = parseTime(value.literal, zone, zoneOffset);
  if (span === undefined) return value;
  return {
    ...{ type: 'time', text: value.text, reader: () => () => span.from },
    sql: (scope) => [scope.params.time(span.from)],
    clickhouse: () => timeSql(span.from),
  };
}

/** Two values as ones of a type that both can be: of a text and another, the other's. */
function sameType(a: Value, b: Value): [Value, Value] | undefined {
  if (a.type === b.type) return [a, b];
  const other = a.type === 'text' ? b.type : b.type === 'text' ? a.type : undefined;
  if (other === undefined) return undefined;
  const type = other === 'condition' ? 'text' : other;
  const [left, right] = [converted(a, type), converted(b, type)];
  return left === undefined || right === undefined ? undefined : [left, right];
}

/** Fields that are values, compared with each other; undefined if the second is a literal value. */
function fieldsCompared(
  node: FieldNode,
  field: Field,
  resolve: Resolve,
  around: Surroundings,
): Filter | undefined {
  const { against, test } = node;
  if (against === undefined || field.type === 'virtual') return undefined;
  const other = statedField(against, resolve, around);
  if (other === undefined || other.type === 'virtual') return undefined;
  const isText = field.type === 'text' || field.type === 'attribute';
  if (!isText && isValue(node, field, around)) return undefined;
  const op = test.test === 'compare' ? test.op : '=';
  const written = `${printName(node.name)} ${op} ${printName(against.name)}`;
  if (isText)
    around.readings.add(
      `read as: ${written}, two fields; for the text write ${printName(node.name)} ${op} "${against.name}"`,
    );
  return compared(
    fieldValue(field, node.start),
    op,
    fieldValue(other, against.start),
    { ...node, written },
    around,
  );
}

/** A field that there is for certain. */
function statedField(name: Name, resolve: Resolve, around: Surroundings): Field | undefined {
  const before = new Set(around.unlisted);
  const field = resolved(name, resolve);
  const open = [...around.unlisted].filter((one) => !before.has(one));
  for (const one of open) around.unlisted.delete(one);
  return open.length > 0 ? undefined : field;
}

/** Whether the text is a value of the field: `dst_port = ssh`. */
function isValue(node: FieldNode, field: Field, around: Surroundings): boolean {
  try {
    filterOfField(node, field, { ...around, readings: new Set() });
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

function isGiven(node: Expression): node is FieldNode {
  return node.node === 'field' && node.given === true;
}

/**
 * Any of the values that an inner query returned. A value that the field cannot have, such as a name among
 * addresses, matches nothing.
 */
function givenFilter(nodes: readonly FieldNode[], resolve: Resolve, around: Surroundings): Filter {
  const [first] = nodes;
  if (first === undefined) return NOTHING;
  const field = resolve(first);
  const items: Filter[] = [];
  const others: string[] = [];
  for (const node of nodes) {
    try {
      items.push(fieldFilter(node, field, { ...around, readings: new Set() }));
    } catch (error) {
      if (!(error instanceof QueryError) || node.test.test !== 'quoted') throw error;
      others.push(shown(node.test.text));
    }
  }
  if (others.length > 0)
    around.readings.add(
      `${others.length} of the ${counted(nodes.length, 'value')} of the query within cannot be in ${printName(first.name)} and ${nounOf(others.length, 'matches', 'match')} nothing, such as ${others[0]}`,
    );
  return items.length === 0 ? NOTHING : { filter: 'or', items: mergeLists(items) };
}

/** A pattern in any text of an event, or of a row of a table. */
function patternFilter({ test, start, end }: PatternNode, resolve: Resolve): Filter {
  const isText = (name: string): boolean => {
    const field = resolved({ name, start, end }, resolve);
    return field !== undefined && isValueField(field);
  };
  if (resolve.columns !== undefined && ![...resolve.columns].some(isText))
    throw syntaxError('no column here has text to search', start);
  return regexFilter(undefined, test.pattern, test.ignoreCase, test.at);
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

/** Names from other tools that are not fields of events. */
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
        `whether an event has a field ${shown(open)} is not known: searched for it and for ${writtenText(node)}`,
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
    // `a = b` is not a text that can be searched for: the error is its field.
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
    const known = knownField(name);
    const mayLack = known === undefined || isCutText(known.name);
    if (
      mayLack &&
      !CLOCK_NAMES.has(name.toLowerCase()) &&
      NO_FIELDS[name.toLowerCase()] === undefined
    )
      names.add(name);
  });
  return names;
}

/** The same query with its ambiguous parts decided. @param isField whether events have a field with a name */
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

/** How to search for the text if no field is meant: `the text user=root`, in quotes. */
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

/** Whether a filter mentions `kind`, so that packets are no longer omitted. */
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

/**
 * A name means the column and the attribute with that name; the name of a role means the attribute, or the column
 * if there is none.
 */
function fieldFilter(node: FieldNode, field: Field, around: Surroundings): Filter {
  const attribute = field.type === 'attribute' ? undefined : field.attribute;
  // A time selects the part of the case to read.
  if (attribute === undefined || (field.type === 'time' && node.test.test === 'present'))
    return filterOfField(node, field, around);
  const { key, certain } = attribute;
  let filter: Filter;
  try {
    filter = filterOfField(node, field, around);
  } catch (error) {
    // `severity:high` is not a severity, but evidence may use that word. A time is never looked up in an attribute.
    if (!certain || field.type === 'time' || !(error instanceof QueryError)) throw error;
    around.readings.add(`${error.message}: compared with the attribute ${shown(key)} alone`);
    return filterOfField(node, { type: 'attribute', name: key, key }, around);
  }
  if (filter.filter === 'time') return filter;
  const named: AttributeField = { type: 'attribute', name: key, key };
  const other = filterOfField(node, named, around);
  if (node.test.test === 'present' || !isNameOfRole(key))
    return { filter: 'or', items: [filter, other] };
  const isThere = filterOfField({ ...node, test: { test: 'present' } }, named, around);
  return { filter: 'or', items: [other, allOf([{ filter: 'not', item: isThere }, filter])] };
}

function filterOfField({ test, start: at }: FieldNode, field: Field, around: Surroundings): Filter {
  if (field.type === 'text' || field.type === 'attribute') {
    const range = test.test === 'word' ? parseAddress(test.text) : undefined;
    const isBlock = range !== undefined && (range.version === 6 || range.low !== range.high);
    if (isBlock) return blockFilter(field, range, { field, test, at, around });
    // Attributes are compared as written: one address has two spellings.
    if (range?.version === 4 && field.type === 'attribute') {
      const address = formatIp4(range.low);
      const written = [address, `::ffff:${address}`].map((text) =>
        readTest({ field, test: { test: 'word', text }, at, around }),
      );
      return { filter: 'or', items: written };
    }
  }
  // `where kind = flow`
  if (field.type === 'virtual' && test.test === 'compare' && test.op === '=')
    return readTest({ field, test: { test: 'quoted', text: test.value }, at, around });
  return readTest({ field, test, at, around });
}

/** A block of addresses in a text: a message contains one of them; another text, or a member of it, is one. */
function blockFilter(
  field: TextField | AttributeField,
  range: AddressRange,
  written: WrittenTest,
): Filter {
  if (field.type === 'text' && field.name === 'message') return addressTextFilter(range, field.ref);
  return { filter: 'or', items: [readTest(written), addressValueFilter(field, range)] };
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
