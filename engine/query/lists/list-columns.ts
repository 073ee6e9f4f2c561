/**
 * Parses the cells of one column of a list as values of a field. A cell means what `field:"cell"` means in a query:
 * an address or a block, a number, a name for a number, or a whole text ignoring case.
 */
import { type ColumnName, COLUMNS } from '../../contract/event.ts';
import { type AddressRange, ip6ToUuid, parseAddress } from '../values/address.ts';
import { INTEGER_RANGES, SQL_TYPES, uuidLength } from '../dialect/duckdb.ts';
import type { AddressField, Field, NumberField } from '../names/fields.ts';
import { parseEventId } from '../filters/event-id.ts';
import { type FlowEnd, flowFilter } from '../filters/flow.ts';
import { codeOf } from '../filters/names.ts';
import { parseNumber } from '../filters/number-range.ts';
import { DaybookError } from '../../contract/errors.ts';
import { shown } from '../syntax/query-error.ts';
import { ListError } from './list-error.ts';

export type Side = 'src' | 'dst';

/** How a value is compared. */
export type Form =
  | { readonly form: 'address4' | 'address6'; readonly prefix: number }
  | { readonly form: 'port' }
  | { readonly form: 'number'; readonly column: ColumnName }
  | {
      readonly form: 'text';
      readonly column: ColumnName;
      /** The attribute that has its name. */
      readonly attribute: string | undefined;
    }
  | { readonly form: 'attribute'; readonly name: string }
  | { readonly form: 'community-id' };

/** Instead of a form's number: the cell is empty; or a value that no event can have. */
export const NOTHING = -1;
export const NEVER = -2;

/** One of each row: numbers, or texts, which an IPv6 address is as well. */
export type Values = Float64Array | readonly (number | string)[];

export interface ListColumn {
  /** The sides of an event that it may refer to; undefined: it has none. */
  readonly sides: readonly Side[] | undefined;
  readonly address: boolean;
  readonly forms: readonly Form[];
  /** For each row, the index of its form in `forms`. */
  readonly form: Int16Array;
  readonly values: Values;
}

class Cells implements ListColumn {
  readonly sides: readonly Side[] | undefined;
  readonly address: boolean;
  readonly forms: Form[] = [];
  readonly form: Int16Array;
  private rows = 0;
  private readonly numbers: Float64Array;
  private texts: (number | string)[] | undefined;

  /** @param rows that will be added */
  constructor(rows: number, sides: readonly Side[] | undefined, address = false) {
    this.form = new Int16Array(rows);
    this.numbers = new Float64Array(rows);
    this.sides = sides;
    this.address = address;
  }

  get values(): Values {
    return this.texts ?? this.numbers;
  }

  add(form: number, value: number | string): void {
    const row = this.rows++;
    this.form[row] = form;
    if (typeof value === 'number' && this.texts === undefined) this.numbers[row] = value;
    else {
      this.texts ??= Array.from(this.numbers);
      this.texts[row] = value;
    }
  }

  /** The index of a form, which is identified by its prefix. */
  formOf(form: Form): number {
    const prefix = 'prefix' in form ? form.prefix : 0;
    const at = this.forms.findIndex(
      (one) => one.form === form.form && (!('prefix' in one) || one.prefix === prefix),
    );
    return at < 0 ? this.forms.push(form) - 1 : at;
  }

  nothing(): void {
    this.add(NOTHING, 0);
  }
}

/** Brackets that reports put into indicators to make them unclickable: `10.0.0[.]1`, `a[@]b.example`. */
const DEFANGED = /\[(\.|:|@|:\/\/)\]/g;
const DEFANGED_SCHEME = /^hxxp(?=s?:\/\/)/i;

/** An address, a domain or a URL as events have it: `hxxps[://]b[.]example` is `https://b.example`. */
export function refanged(text: string): string {
  const plain = text.includes('[') ? text.replace(DEFANGED, '$1') : text;
  return plain.replace(DEFANGED_SCHEME, 'http');
}

/** A text with white space is not an address, domain or URL: a command may contain such brackets. */
function refangedText(cell: string): string {
  return /\s/.test(cell) ? cell : refanged(cell);
}

/**
 * The columns that a column of a list is: a flow is five.
 * @throws ListError
 */
export function readColumn(
  field: Field,
  cells: readonly string[],
  lines: readonly number[],
): ListColumn[] {
  switch (field.type) {
    case 'address':
      return [addresses(new Cells(cells.length, addressSides(field), true), cells, lines)];
    case 'number':
      return [numbers(field, cells, lines)];
    case 'text':
      if (!('column' in field.ref) || field.name === 'message') break;
      return [
        texts({ form: 'text', column: field.ref.column, attribute: field.attribute?.key }, cells),
      ];
    case 'attribute':
      return [texts({ form: 'attribute', name: field.key }, cells)];
    case 'virtual':
      if (field.name === 'community_id') return [texts({ form: 'community-id' }, cells)];
      if (field.name === 'event_id') return eventIds(cells, lines);
      if (field.name === 'flow') return flows(cells, lines);
      break;
    case 'time':
      break;
  }
  throw new ListError(
    'usage',
    undefined,
    `${field.name} is not a field that a list can have`,
    'a list has addresses, ports and other numbers, names such as host, attributes, flow, event_id, community_id, or text',
  );
}

function sidesOf(refs: readonly ({ column: ColumnName } | object | undefined)[]): Side[] {
  return refs.flatMap((ref) => {
    if (ref === undefined || !('column' in ref)) return [];
    return String(ref.column).startsWith('src_') ? ['src' as const] : ['dst' as const];
  });
}

function addressSides({ sides }: AddressField): Side[] {
  return sidesOf(sides.map(({ v4, v6 }) => v4 ?? v6));
}

function addresses(into: Cells, cells: readonly string[], lines: readonly number[]): ListColumn {
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]!;
    if (cell === '') into.nothing();
    else if (!addAddress(into, cell))
      throw new ListError(
        'usage',
        lines[row],
        `${shown(cell)} is not an IP address`,
        'addresses are written 10.0.0.1, 10.0.0.0/8 or 2001:db8::/32',
      );
  }
  return into;
}

function withoutFangs(cell: string): string {
  return cell.includes('[') ? refanged(cell).replace(/^\[(.*)\]$/, '$1') : cell;
}

/** The address or block in a cell; undefined if it is not one. */
export function addressOf(cell: string): AddressRange | undefined {
  return parseAddress(withoutFangs(cell));
}

function addAddress(into: Cells, cell: string): boolean {
  const plain = withoutFangs(cell);
  const range = parseAddress(plain);
  if (range === undefined) return false;
  const slash = plain.indexOf('/');
  if (range.version === 4) {
    const prefix = 32 - Math.log2(range.high - range.low + 1);
    into.add(into.formOf({ form: 'address4', prefix }), range.low);
  } else {
    const prefix = slash < 0 ? 128 : Number(plain.slice(slash + 1));
    into.add(into.formOf({ form: 'address6', prefix }), ip6Key(range.low, prefix));
  }
  return true;
}

/** Whether `text` is an address or a block of them. */
export function isAddress(text: string): boolean {
  return addressOf(text) !== undefined;
}

/** The part of an IPv6 address, as UUID text, that a block of `prefix` bits decides. */
function ip6Key(low: bigint, prefix: number): string {
  const uuid = ip6ToUuid(low);
  const digits = prefix >> 2;
  const rest = prefix % 4 === 0 ? '' : uuid[uuidLength(digits + 1) - 1]!;
  return uuid.slice(0, uuidLength(digits)) + rest;
}

const [ZERO, NINE] = [0x30, 0x39];
/** Digits of numbers that are exact whatever they are. */
const EXACT_DIGITS = 15;

/** Most numbers in lists consist of digits only. */
function wholeNumber(text: string): number | undefined {
  if (text.length > EXACT_DIGITS) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return undefined;
    value = value * 10 + code - ZERO;
  }
  return value;
}

/** Classification of a column of numbers. */
interface NumberColumn {
  readonly sides: readonly Side[] | undefined;
  readonly form: Form;
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

function numberColumn({ refs }: NumberField): NumberColumn {
  const [column] = refs.flatMap((ref) => ('column' in ref ? ref.column : []));
  if (column === undefined) throw new TypeError('a list is compared with stored columns');
  const isPort = column === 'src_port' || column === 'dst_port';
  const range = INTEGER_RANGES[SQL_TYPES[COLUMNS[column]]];
  const [least, most] = range ?? [-Infinity, Infinity];
  return {
    sides: isPort ? sidesOf(refs) : undefined,
    form: isPort ? { form: 'port' } : { form: 'number', column },
    ...{ least, most, whole: range !== undefined },
  };
}

/** The number in a cell of a field, or the one that its name means. */
function numberOf({ names }: NumberField, cell: string): number | undefined {
  return (
    wholeNumber(cell) ??
    parseNumber(cell) ??
    (names === undefined ? undefined : codeOf(names, cell))
  );
}

function numbers(
  field: NumberField,
  cells: readonly string[],
  lines: readonly number[],
): ListColumn {
  const { sides, form: numberForm, least, most, whole } = numberColumn(field);
  const into = new Cells(cells.length, sides);
  const form = into.formOf(numberForm);
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]!;
    if (cell === '') {
      into.nothing();
      continue;
    }
    const value = numberOf(field, cell);
    if (value === undefined)
      throw new ListError('usage', lines[row], `${field.name} has no value ${shown(cell)}`);
    const can = value >= least && value <= most && (!whole || Number.isInteger(value));
    into.add(can ? form : NEVER, value);
  }
  return into;
}

function texts(form: Form, cells: readonly string[]): ListColumn {
  const into = new Cells(cells.length, undefined);
  const number = into.formOf(form);
  for (const cell of cells) {
    if (cell === '') into.nothing();
    else into.add(number, refangedText(cell).toWellFormed());
  }
  return into;
}

function eventIds(cells: readonly string[], lines: readonly number[]): ListColumn[] {
  const source = new Cells(cells.length, undefined);
  const seq = new Cells(cells.length, undefined);
  const forms = [
    source.formOf({ form: 'number', column: 'source_id' }),
    seq.formOf({ form: 'number', column: 'seq' }),
  ] as const;
  for (let row = 0; row < cells.length; row++) {
    const id = parseEventId(cells[row]!);
    if (cells[row] === '') {
      source.nothing();
      seq.nothing();
    } else if (id === undefined)
      throw new ListError(
        'usage',
        lines[row],
        `${shown(cells[row]!)} is not the id of an event`,
        'an id looks like 12:345, or 12:f345 for a flow of packets',
      );
    else {
      source.add(forms[0], id.source);
      seq.add(forms[1], id.seq);
    }
  }
  return [source, seq];
}

/** `10.1.2.3:4444-10.9.9.9:443/tcp`: addresses, ports and protocol. */
function flows(cells: readonly string[], lines: readonly number[]): ListColumn[] {
  const ends = (['src', 'dst'] as const).map((side) => {
    const port = new Cells(cells.length, [side]);
    return {
      address: new Cells(cells.length, [side], true),
      port,
      form: port.formOf({ form: 'port' }),
    };
  });
  const proto = new Cells(cells.length, undefined);
  const form = proto.formOf({ form: 'number', column: 'proto' });
  const addEnd = (at: number, end: FlowEnd | undefined): void => {
    const { address, port, form: portForm } = ends[at]!;
    const range = end?.address;
    if (range === undefined) address.nothing();
    else {
      const prefix =
        range.version === 4
          ? 32 - Math.round(Math.log2(range.high - range.low + 1))
          : 128 -
            ((range.high ^ range.low) === 0n ? 0 : (range.high ^ range.low).toString(2).length);
      if (range.version === 4) address.add(address.formOf({ form: 'address4', prefix }), range.low);
      else address.add(address.formOf({ form: 'address6', prefix }), ip6Key(range.low, prefix));
    }
    if (end?.port === undefined) port.nothing();
    else port.add(portForm, end.port);
  };
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]!;
    const flow = cell === '' ? undefined : readFlow(cell, lines[row]);
    addEnd(0, flow?.ends[0]);
    addEnd(1, flow?.ends[1]);
    if (flow?.proto === undefined) proto.nothing();
    else proto.add(form, flow.proto);
  }
  return [...ends.flatMap(({ address, port }) => [address, port]), proto];
}

function readFlow(cell: string, line: number | undefined): ReturnType<typeof flowFilter> {
  try {
    return flowFilter({ test: 'quoted', text: cell }, 0);
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error;
    throw new ListError('usage', line, `${shown(cell)} is not a flow`, error.hint);
  }
}
