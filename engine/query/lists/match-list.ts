/**
 * A list of values, prepared for comparison with events: an event matches if it matches every value of any row.
 *
 * Rows of one form (the same columns, blocks of the same length) are a group, which is compared with events at
 * once: a group's keys are single columns. Values that may be on either side of an event (`ip`, `port`, a flow in
 * either direction) are in the groups in both arrangements.
 */
import { counted } from '../../contract/words/counted.ts';
import { type ColumnName, COLUMNS } from '../../contract/event.ts';
import { foldText } from '../../util/fold.ts';
import type { Ip4Ranges } from '../plan/known-rows/index-view.ts';
import { SQL_TYPES } from '../dialect/duckdb.ts';
import { type Field, type Resolve, knownField } from '../names/fields.ts';
import { addressTextFilter } from '../filters/address-text.ts';
import { type TextFilter, textFilter } from '../filters/text.ts';
import { isMacName, macDigits, macTexts, statedMacDigits } from '../values/mac-text.ts';
import { QueryError, shown } from '../syntax/query-error.ts';
import { type CutList, cutList } from './cut-list.ts';
import {
  type Form,
  type ListColumn,
  type Side,
  type Values,
  NEVER,
  NOTHING,
  addressOf,
  isAddress,
  readColumn,
  refanged,
} from './list-columns.ts';
import { LIST_LIMITS, ListError } from './list-error.ts';

/** The operand of a key's values; `present` has none: the side must have an address. */
export type ListKey =
  | {
      readonly key: 'address4';
      readonly column: 'src_ip4' | 'dst_ip4';
      readonly prefix: number;
    }
  | {
      readonly key: 'address6';
      readonly column: 'src_ip6' | 'dst_ip6';
      readonly prefix: number;
    }
  | { readonly key: 'number'; readonly column: ColumnName }
  | {
      readonly key: 'text';
      readonly column: ColumnName;
      /** The attribute that has its name. */
      readonly attribute: string | undefined;
    }
  | { readonly key: 'attribute'; readonly name: string }
  | {
      /** An IPv4 address written anywhere in the text of an event. */
      readonly key: 'written4';
      readonly prefix: number;
    }
  | { readonly key: 'community-id' }
  | { readonly key: 'present'; readonly side: Side };

/** A key with the values of a group's rows. */
export class KeyValues {
  readonly key: ListKey;
  /** As SQL has it. */
  readonly type: string;
  /** One for each row: numbers, or texts; empty for a `present` key. */
  readonly values: Values;
  private ranges: Ip4Ranges | undefined;
  private texts: ReadonlySet<string> | undefined;

  constructor(key: ListKey, values: Values) {
    this.key = key;
    this.type =
      key.key === 'address4' || key.key === 'number'
        ? SQL_TYPES[COLUMNS[key.column]]
        : key.key === 'written4'
          ? SQL_TYPES.u32
          : 'VARCHAR';
    this.values = values;
  }

  /** The IPv4 addresses that they are. */
  asRanges(): Ip4Ranges {
    this.ranges ??= rangesOf(this.values, this.key.key === 'address4' ? this.key.prefix : 32);
    return this.ranges;
  }

  /** Whether one of them is `text`, case ignored. */
  hasText(text: string): boolean {
    this.texts ??= new Set(Array.from(this.values, (value) => foldText(String(value))));
    return this.texts.has(foldText(text));
  }
}

function rangesOf(values: Values, prefix: number): Ip4Ranges {
  const last = 2 ** (32 - prefix) - 1;
  const lows: number[] = [];
  const highs: number[] = [];
  const sorted = new Uint32Array(values.length);
  for (let row = 0; row < sorted.length; row++) sorted[row] = Number(values[row]);
  for (const low of sorted.sort()) {
    const before = highs.length - 1;
    if (before >= 0 && low <= highs[before]! + 1) {
      highs[before] = Math.max(highs[before]!, low + last);
      continue;
    }
    lows.push(low);
    highs.push(low + last);
  }
  return { lows: Uint32Array.from(lows), highs: Uint32Array.from(highs) };
}

export interface ListGroup {
  /** Name of its table. */
  readonly table: string;
  readonly keys: readonly KeyValues[];
  /** Line of each row. */
  readonly lines: readonly number[];
}

interface ListOptions {
  readonly text: string;
  /** Identifies this list: hexadecimal digits. */
  readonly digest: string;
  /** Names of the columns that count. */
  readonly fields?: readonly string[] | undefined;
  /** The field of each column, by its place, instead of `fields`: see `CutOptions`. */
  readonly columns?: readonly (string | undefined)[] | undefined;
  readonly header?: boolean | undefined;
  /** Rows with both addresses of a conversation hold in the direction they were written in only. */
  readonly directed?: boolean | undefined;
  readonly resolve: Resolve;
}

/** A value that is searched in all texts of events. */
export interface ListText {
  readonly filter: TextFilter;
  readonly line: number;
}

/** Whether a group consists of addresses as written in text. */
export function isWritten({ keys }: ListGroup): boolean {
  return keys[0]?.key.key === 'written4';
}

interface Parts {
  readonly digest: string;
  readonly fields: readonly string[];
  readonly lines: readonly number[];
  readonly groups: readonly ListGroup[];
  readonly texts: readonly ListText[];
  readonly eitherWay: boolean;
  readonly anyType?: ValueCounts | undefined;
  readonly unlisted?: readonly string[];
}

/** Lines of a list of values of any type, by what they are. */
interface ValueCounts {
  readonly addresses: number;
  readonly texts: number;
}

export class MatchList implements Parts {
  readonly digest: string;
  /** Names of the columns. */
  readonly fields: readonly string[];
  /** Numbers of the lines with values. */
  readonly lines: readonly number[];
  readonly groups: readonly ListGroup[];
  readonly texts: readonly ListText[];
  /** Rows name both ends of a conversation and are found in either direction. */
  readonly eitherWay: boolean;
  /** Undefined: its columns are fields. */
  readonly anyType: ValueCounts | undefined;
  /** Names in `fields` that only the overflow of attributes may have. */
  readonly unlisted: readonly string[];

  constructor({ digest, fields, lines, groups, texts, eitherWay, anyType, unlisted }: Parts) {
    this.digest = digest;
    this.fields = fields;
    this.lines = lines;
    this.groups = groups;
    this.texts = texts;
    this.eitherWay = eitherWay;
    this.anyType = anyType;
    this.unlisted = unlisted ?? [];
  }

  /** The groups that are compared with columns. */
  get columnGroups(): readonly ListGroup[] {
    return this.groups.filter((group) => !isWritten(group));
  }

  /** Rows of all groups. */
  get rows(): number {
    return this.groups.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** Filters are identified by their JSON: a list by its digest. */
  toJSON(): string {
    return this.digest;
  }
}

/** Not a field: searched in all texts of an event. */
const TEXT = 'text';
const isText = (name: string): boolean => name.toLowerCase() === TEXT;

/**
 * The field that a column with this name means by default. A name that no event is known to have might be in the
 * overflow of attributes, but so might any word: it is not a field.
 */
export function listFieldOf(name: string, resolve: Resolve): string | undefined {
  if (isText(name)) return TEXT;
  const field = fieldNamed(name, resolve);
  if (field === undefined) return undefined;
  return isGuess(field) && knownField(name) === undefined ? undefined : field.name;
}

/** Whether a first line that has this name is names of columns, if only of fields that other cases have. */
export function isListHeading(name: string, resolve: Resolve): boolean {
  return knownField(name) !== undefined || listFieldOf(name, resolve) !== undefined;
}

function isGuess(field: Field): boolean {
  return field.type === 'attribute' && field.isGuess === true;
}

function fieldNamed(name: string, resolve: Resolve): Field | undefined {
  try {
    return resolve({ name, start: 0, end: 0 });
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

/** @throws ListError */
export function readList(options: ListOptions): MatchList {
  const { text, fields, columns: named, header, digest, resolve, directed } = options;
  const fieldOf = (name: string): Field | undefined => fieldNamed(name, resolve);
  const isField = (name: string) => listFieldOf(name, resolve) !== undefined;
  const isHeading = (name: string) => isListHeading(name, resolve);
  const cut = cutList(text, { fields, columns: named, header, isField, isHeading });
  if (cut.names === undefined) return ofAnyType(cut, digest, fieldOf);
  if (cut.names.some(isText)) return ofTexts(cut, digest);
  const { names } = cut;
  const seen = new Map<string, string>();
  const fieldsOf = names.map(fieldOf);
  const { cells, lines } = inAllForms(cut, fieldsOf);
  const read = names.map((name, at) => {
    const field = fieldsOf[at];
    if (field === undefined)
      throw new ListError('unknown-field', undefined, `no event has a field ${shown(name)}`);
    // Each column that may be on either side doubles the number of rows.
    const other = seen.get(`${field.type} ${field.name}`);
    if (other !== undefined)
      throw new ListError(
        'usage',
        undefined,
        `${shown(other)} and ${shown(name)} are the same field`,
        'name the columns to use with --list-field, each once',
      );
    seen.set(`${field.type} ${field.name}`, name);
    return { field, columns: readColumn(field, cells[at]!, lines) };
  });
  const columns = read.flatMap((one) => one.columns);
  const isFlow = read.some(({ field }) => field.name === 'flow' && field.type === 'virtual');
  if (
    isFlow &&
    read.filter((one) => one.columns.some(({ sides }) => sides !== undefined)).length > 1
  )
    throw new ListError(
      'usage',
      undefined,
      'flow cannot be combined with other addresses and ports',
    );
  const hasEnd = (side: Side) =>
    columns.some(({ address, sides }) => address && sides?.length === 1 && sides[0] === side);
  const eitherWay = isFlow || (directed !== true && hasEnd('src') && hasEnd('dst'));
  return new MatchList({
    ...{ digest, lines: cut.lines, eitherWay, texts: [] },
    fields: read.map(({ field }) => field.name),
    unlisted: read.flatMap(({ field }) => (isGuess(field) ? [field.name] : [])),
    groups: groupsOf(digest, columns, lines, eitherWay),
  });
}

/** A row with a hardware address is one for each way to write it. */
function inAllForms(cut: CutList, fields: readonly (Field | undefined)[]): CutList {
  const hasMacs = fields.map(
    (field) => (field?.type === 'text' || field?.type === 'attribute') && isMacName(field.name),
  );
  if (!hasMacs.includes(true)) return cut;
  const rows = [...cut.lines.keys()].flatMap((row) => {
    let forms: string[][] = [[]];
    for (const [at, column] of cut.cells.entries()) {
      const cell = column[row]!;
      const digits = hasMacs[at] === true ? statedMacDigits(cell) : undefined;
      const texts = digits === undefined || cell.includes('*') ? [cell] : macTexts(digits);
      forms = forms.flatMap((before) => texts.map((text) => [...before, text]));
    }
    return forms.map((cells) => ({ cells, line: cut.lines[row]! }));
  });
  return {
    names: cut.names,
    cells: cut.cells.map((_, at) => rows.map(({ cells }) => cells[at]!)),
    lines: rows.map(({ line }) => line),
  };
}

/**
 * One column without a name. An address or block means what it means in a query: the addresses of an event, and its
 * text. Everything else is text.
 */
function ofAnyType(
  { cells, lines }: CutList,
  digest: string,
  fieldOf: (name: string) => Field | undefined,
): MatchList {
  const values = cells[0]!;
  const cellsThat = (takes: (text: string) => boolean): CutList => {
    const rows = [...values.keys()].filter((row) => takes(values[row]!));
    return {
      names: undefined,
      cells: [rows.map((row) => values[row]!)],
      lines: rows.map((row) => lines[row]!),
    };
  };
  const addresses = cellsThat(isAddress);
  const texts = cellsThat((text) => !isAddress(text));
  const ip = fieldOf('ip');
  if (ip === undefined) throw new TypeError('events have addresses');
  const has = { addresses: addresses.lines.length > 0, texts: texts.lines.length > 0 };
  const columns = has.addresses ? readColumn(ip, addresses.cells[0]!, addresses.lines) : [];
  const groups = has.addresses ? groupsOf(digest, columns, addresses.lines, false) : [];
  // Each IPv6 address needs its own search: it has many spellings.
  const written6 = cellsThat((text) => addressOf(text)?.version === 6);
  return new MatchList({
    ...{ digest, lines, eitherWay: false },
    anyType: { addresses: addresses.lines.length, texts: texts.lines.length },
    groups: [...groups, ...writtenGroups(digest, columns, addresses.lines)],
    fields: [
      ...(has.addresses ? ['ip', TEXT] : []),
      ...(has.texts && !has.addresses ? [TEXT] : []),
    ],
    texts: [
      ...phrases(texts, written6.lines.length),
      ...written6.cells[0]!.map((text, row) => ({
        filter: addressTextFilter(addressOf(text)!, undefined),
        line: written6.lines[row]!,
      })),
    ],
  });
}

/** IPv4 addresses and blocks of a list as they may be written in text, grouped by length. */
function writtenGroups(
  digest: string,
  columns: readonly ListColumn[],
  lines: readonly number[],
): ListGroup[] {
  const [column] = columns;
  return (column?.forms ?? []).flatMap((form, number) => {
    if (form.form !== 'address4') return [];
    const rows = [...lines.keys()].filter((row) => column?.form[row] === number);
    const values = Float64Array.from(rows, (row) => Number(column?.values[row]));
    return {
      table: `l${digest}_w${form.prefix}`,
      keys: [new KeyValues({ key: 'written4', prefix: form.prefix }, values)],
      lines: rows.map((row) => lines[row]!),
    };
  });
}

function ofTexts(cut: CutList, digest: string): MatchList {
  if (cut.cells.length > 1)
    throw new ListError('usage', undefined, 'text cannot be combined with other columns');
  return new MatchList({
    ...{ digest, lines: cut.lines, groups: [], eitherWay: false },
    ...{ fields: [TEXT], texts: phrases(cut) },
  });
}

function checkTexts(phrases: number, addresses = 0): void {
  const count = phrases + addresses;
  if (count <= LIST_LIMITS.texts) return;
  const counts = [
    ...(phrases === 0 ? [] : [counted(phrases, 'phrase')]),
    ...(addresses === 0
      ? []
      : [counted(addresses, 'IPv6 address or block', 'IPv6 addresses and blocks')]),
  ];
  const hint = [
    ...(phrases === 0 ? [] : ['if they are values of a field, name it, as in --list-field host']),
    ...(addresses === 0 ? [] : ['--list-field ip searches only the columns of addresses']),
    `or split the list into parts of ${LIST_LIMITS.texts}`,
  ];
  throw new ListError(
    'limit-exceeded',
    undefined,
    `${counts.join(' and ')} would each be searched for in the text of events; at most ${LIST_LIMITS.texts} can be`,
    hint.join('; '),
  );
}

/** @param addresses that are searched in text in addition */
function phrases({ cells, lines }: CutList, addresses = 0): ListText[] {
  const each = cells[0]!.flatMap((cell, row) => {
    const text = refanged(cell);
    const mac = macDigits(text);
    const texts = mac === undefined ? [text] : macTexts(mac);
    return texts.map((one) => ({ text: one, line: lines[row]! }));
  });
  checkTexts(lines.length, addresses);
  return each.map(({ text, line }) => {
    try {
      return { filter: textFilter(text, true, 0, undefined), line };
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      throw new ListError(error.code, line, `${shown(text)} has no letter or digit to search for`);
    }
  });
}

/** The side that each column refers to. */
type Variant = readonly (Side | undefined)[];

function variantsOf(columns: readonly ListColumn[], eitherWay: boolean): Variant[] {
  const ways = eitherWay ? [false, true] : [false];
  let out: (Side | undefined)[][] = [[]];
  for (const { sides } of columns)
    if (sides !== undefined && sides.length > 1)
      out = out.flatMap((before) => sides.map((side) => [...before, side]));
    else out = out.map((before) => [...before, sides?.[0]]);
  return ways.flatMap((swapped) =>
    out.map((variant) =>
      variant.map((side, at) => (swapped && columns[at]!.sides?.length === 1 ? other(side) : side)),
    ),
  );
}

function other(side: Side | undefined): Side | undefined {
  if (side === undefined) return undefined;
  return side === 'src' ? 'dst' : 'src';
}

/** A group while rows are added to it. */
interface Open {
  readonly keys: readonly ListKey[];
  /** Its rows, by arrangement. */
  readonly parts: Part[];
}

interface Part {
  readonly variant: Variant;
  /** The columns that the keys with values are of. */
  readonly from: readonly number[];
  /** `all`: each of the list's, in their order. */
  rows: number[] | 'all';
}

function groupsOf(
  digest: string,
  columns: readonly ListColumn[],
  lines: readonly number[],
  eitherWay: boolean,
): ListGroup[] {
  const groups = new Map<string, Open>();
  const never = new Set<number>();
  for (const { form } of columns) {
    if (!form.includes(NEVER)) continue;
    for (let row = 0; row < form.length; row++) if (form[row] === NEVER) never.add(row);
  }
  const oneVariant = never.size === 0 && columns.every(({ form }) => isOfOne(form));
  for (const variant of variantsOf(columns, eitherWay)) {
    if (oneVariant) {
      const forms = columns.map(({ form }) => form[0]!);
      partOf(groups, columns, forms, variant, eitherWay, lines[0]!).rows = 'all';
      continue;
    }
    // Most rows are of the form of the row before.
    let forms: readonly number[] | undefined;
    let part: Part | undefined;
    for (let row = 0; row < lines.length; row++) {
      if (never.has(row)) continue;
      if (part === undefined || forms === undefined || !sameForms(columns, row, forms)) {
        forms = columns.map(({ form }) => form[row]!);
        part = partOf(groups, columns, forms, variant, eitherWay, lines[row]!);
      }
      if (part.rows !== 'all') part.rows.push(row);
    }
  }
  return [...groups.values()].map(({ keys, parts }, number) => ({
    table: `l${digest}_${number}`,
    lines: parts.reduce<readonly number[]>(
      (all, { rows }) => all.concat(rows === 'all' ? lines : rows.map((row) => lines[row]!)),
      [],
    ),
    keys: keys.map((key, at) => new KeyValues(key, valuesOf(columns, parts, lines.length, at))),
  }));
}

/** Whether all rows of a column are of one form. */
function isOfOne(form: Int16Array): boolean {
  for (let row = 1; row < form.length; row++) if (form[row] !== form[0]) return false;
  return true;
}

/**
 * The values of a key, of each row of a group.
 * @param total rows of the list
 */
function valuesOf(
  columns: readonly ListColumn[],
  parts: readonly Part[],
  total: number,
  key: number,
): Values {
  const of = parts.map(({ from, rows }) => ({ values: columns[from[key] ?? -1]?.values, rows }));
  const count = (rows: Part['rows']) => (rows === 'all' ? total : rows.length);
  const numbers = new Float64Array(of.reduce((sum, { rows }) => sum + count(rows), 0));
  let to = 0;
  for (const { values, rows } of of) {
    // No column: the key has no values.
    if (values === undefined) return [];
    if (!(values instanceof Float64Array)) return of.flatMap(mixedValues);
    if (rows === 'all') numbers.set(values, to);
    else for (let at = 0; at < rows.length; at++) numbers[to + at] = values[rows[at]!]!;
    to += count(rows);
  }
  return numbers;
}

/** Numbers and texts for each row. */
function mixedValues({
  values = [],
  rows,
}: {
  readonly values: Values | undefined;
  readonly rows: Part['rows'];
}): (number | string)[] {
  return rows === 'all' ? [...values] : rows.map((row) => values[row] ?? '');
}

function sameForms(columns: readonly ListColumn[], row: number, forms: readonly number[]): boolean {
  for (let at = 0; at < columns.length; at++)
    if (columns[at]!.form[row] !== forms[at]) return false;
  return true;
}

function partOf(
  groups: Map<string, Open>,
  columns: readonly ListColumn[],
  forms: readonly number[],
  variant: Variant,
  eitherWay: boolean,
  line: number,
): Part {
  const keys: ListKey[] = [];
  const from: number[] = [];
  const present: ListKey[] = [];
  columns.forEach(({ forms: columnForms, address }, at) => {
    const form = forms[at]!;
    const side = variant[at];
    if (form !== NOTHING) {
      keys.push(keyOf(columnForms[form]!, side));
      from.push(at);
    } else if (eitherWay && address && side !== undefined) present.push({ key: 'present', side });
  });
  // The order of keys is that of columns in one direction: both directions are one group.
  const order = keys.map((key, at) => ({ text: JSON.stringify(key), at }));
  order.sort((a, b) => (a.text < b.text ? -1 : 1));
  const all = [...order.map(({ at }) => keys[at]!), ...present];
  const name = JSON.stringify(all);
  const group = groups.get(name) ?? { keys: all, parts: [] };
  const known = group.parts.find((part) => part.variant === variant);
  if (known !== undefined) return known;
  if (groups.size === LIST_LIMITS.groups && !groups.has(name))
    throw new ListError(
      'limit-exceeded',
      line,
      `rows of more than ${LIST_LIMITS.groups} different forms`,
      'rows that have the same columns, and blocks of the same length, are one form',
    );
  groups.set(name, group);
  const part = { variant, from: order.map(({ at }) => from[at]!), rows: [] };
  group.parts.push(part);
  return part;
}

function keyOf(form: Form, side: Side | undefined): ListKey {
  switch (form.form) {
    case 'address4':
      return { key: 'address4', column: `${side ?? 'src'}_ip4`, prefix: form.prefix };
    case 'address6':
      return { key: 'address6', column: `${side ?? 'src'}_ip6`, prefix: form.prefix };
    case 'port':
      return { key: 'number', column: `${side ?? 'src'}_port` };
    case 'number':
      return { key: 'number', column: form.column };
    case 'text':
      return { key: 'text', column: form.column, attribute: form.attribute };
    case 'attribute':
      return { key: 'attribute', name: form.name };
    case 'community-id':
      return { key: 'community-id' };
  }
}
