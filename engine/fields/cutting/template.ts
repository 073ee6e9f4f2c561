/**
 * Templates of messages: literal texts and captures, matched byte by byte.
 *
 * `Failed {password|none} for {user:text} from {src_ip} port {src_port}{:rest}`: `{a|b}` is either text, `{field}`
 * a value of the field's own type, `{field:type}` one of another type, `{:type}` is discarded. A backslash makes a
 * following brace or bar literal.
 *
 * Only `text` and `brief` backtrack, trying each occurrence of the next literal text; their number is bounded, and
 * a message that exceeds it is left uncut.
 */
import { KeyTable } from '../reading/key-table.ts';
import { fieldEntry } from '../registry/registry.ts';

const CAPTURES = [
  /** An IPv4 or IPv6 address. */
  'ip',
  /** An address that is not unspecified (0.0.0.0, ::). */
  'peer',
  /** The address in brackets that a value ends with: `GUI(192.0.2.1)`. */
  'inner',
  /** An address, otherwise a name: for src_ip and dst_ip the name becomes src_domain and dst_domain. */
  'host',
  'port',
  'number',
  /** A protocol by name or number. */
  'proto',
  /** One byte or more, without white space. */
  'word',
  /** Like `word`, or nothing. */
  'value',
  /** Anything, as long as possible; may be empty. */
  'text',
  /** Anything, as short as possible; may be empty. */
  'brief',
  /** Anything, if the literal text that follows it is in the message once only. */
  'sole',
  /** Anything but a closing square bracket, as short as possible; may be empty. */
  'inside',
  /** The last five of twelve digits: the message of Sophos's identifiers of logs. */
  'last5',
  /** Up to the unescaped closing quote; may be empty. */
  'quoted',
  /** An HTTP request line up to the unescaped closing quote: http_method and url; may be empty. */
  'request',
  /** Anything up to the next comma; may be empty. */
  'cell',
  /** Up to an unescaped bar (headers of CEF and LEEF); may be empty. */
  'bar',
  /** Linux audit's encoding of arbitrary values: in quotes, or in hexadecimal; not `?` or `(null)`. */
  'audit',
  /** The arguments of a command as Linux audit writes them, up to the end: `a0="ls" a1="-l"`. */
  'arguments',
  /** `address:port`, and whatever follows another colon; the port becomes src_port or dst_port. */
  'endpoint',
  /** Like `endpoint`, and with a port always: `2001:db8::1:22` is port 22 of 2001:db8::1. */
  'socket',
  /** Like `word`; the domain of `DOMAIN\\name` becomes user_domain. */
  'account',
  /** Like `account`, and `name@domain`, too. */
  'principal',
  /** Like `account`, if it can be a name: not a time, the word for a level, or a number without a domain. */
  'name',
  /** The hexadecimal digits of an MD5, SHA-1 or SHA-256, which are the field of their length. */
  'hash',
  /** A hardware address: six bytes in hexadecimal, after each one, two or three of them `-`, `:`, `.` or nothing. */
  'mac',
  /** Anything up to the end. */
  'rest',
  /** Pairs of keys and values up to the end. */
  'pairs',
  /** The extension of CEF up to the end. */
  'cef',
  /** The attributes of LEEF up to the end, and before them the delimiter that LEEF 2 may name. */
  'leef',
  /** A JSON object up to the end; its keys are names of members, joined by dots. */
  'json',
  /** Elements of XML up to the end; keys are their names, or `Name` attributes (read-xml.ts). */
  'xml',
  /** A sentence about the result of a login (read-login.ts). */
  'login',
  /** A sentence about the origin of traffic (read-traffic.ts). */
  'traffic',
  /** Columns up to the end. */
  'columns',
] as const;
export type Capture = (typeof CAPTURES)[number];

/** The kind of a template's part, as a number: matching mostly compares these. */
export const OPERATION = {
  literal: 0,
  ...(Object.fromEntries(CAPTURES.map((name, i) => [name, i + 1])) as Record<Capture, number>),
} as const;

// Both have the same properties in the same order: code that reads them is compiled for one kind of object.
interface Literal {
  readonly operation: number;
  readonly literal: Uint8Array;
  readonly capture: undefined;
  readonly field: number;
  readonly second: number;
  readonly third: number;
  readonly isPlain: boolean;
}
export interface Slot {
  readonly operation: number;
  readonly literal: undefined;
  readonly capture: Capture;
  /** Index of its field in `Template.fields`; -1: discarded. */
  readonly field: number;
  /**
   * Index of the field of its second part: an endpoint's port, an account's domain, a request's method; -1: none.
   * Of a hash, `field`, `second` and `third` are MD5, SHA-1 and SHA-256.
   */
  readonly second: number;
  readonly third: number;
  /** Whether any bytes are a value, which is stored unchanged. */
  readonly isPlain: boolean;
}
export type Part = Literal | Slot;

export interface Pairs {
  /** Of several keys for one field the first takes precedence. */
  readonly keys: KeyTable<Slot>;
  /** For custom fields of CEF: by their labels, in lower case. */
  readonly labels: readonly (readonly [Uint8Array, Slot])[];
  readonly separator: number;
  readonly assign: number;
  /** -1: none. */
  readonly stop: number;
  /** For `pairs`: read by `readStrictPairs`. */
  readonly isStrict: boolean;
  /** For `pairs` and `xml`: values of contradictory keys are dropped, and a backslash escapes no quote. */
  readonly isOnce: boolean;
  /** For strict pairs: keys are compared by small letters and digits only. */
  readonly isAlike: boolean;
  /** For strict pairs: a blank follows every separator. */
  readonly isSpaced: boolean;
}

export interface Template {
  readonly text: string;
  readonly parts: readonly Part[];
  /** Every field that it cuts, those of constants included. */
  readonly fields: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly pairs: Pairs | undefined;
  readonly columns: readonly (Slot | undefined)[];
  readonly separator: number;
  /** Indexes of fields that must be present for anything to be cut; of a nested list, one is enough. */
  readonly needs: readonly (readonly number[])[];
  /** Numbers that `found` may have: those of fields, and those of keys that only have to be there. */
  readonly size: number;
  /** Whether it has literal texts, or needs fields, that few other messages have. */
  readonly isDistinct: boolean;
}

/** A template that is made when a message may match it: most messages may match only a few. */
export interface TemplateDraft {
  /** The beginning of every message that it matches: this byte, or a value of this type; undefined: empty. */
  readonly start: number | string | undefined;
  /** @throws Error that says what is wrong with it */
  readonly make: () => Template;
}

interface GivenTemplate {
  readonly text: string;
  readonly set: Readonly<Record<string, string>>;
  readonly pairs?: Readonly<Record<string, string>> | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** With several, a template for each. */
  readonly separator?: string | readonly string[] | undefined;
  readonly assign?: string | undefined;
  readonly stop?: string | undefined;
  readonly strict?: boolean | undefined;
  readonly once?: boolean | undefined;
  readonly alike?: boolean | undefined;
  readonly spaced?: boolean | undefined;
  readonly columns?: readonly (string | null)[] | undefined;
  readonly needs?: readonly (string | readonly string[])[] | undefined;
  readonly has?: readonly (string | readonly string[])[] | undefined;
}

const MOST_VARIANTS = 64;
const utf8 = new TextEncoder();

/** One template for each choice of `{a|b}` and each separator. @throws Error that says what is wrong with it */
export function parseTemplate(given: GivenTemplate): Template[] {
  return draftTemplates(given).map(({ make }) => make());
}

/** Like `parseTemplate`, before they are made. @throws Error that says what is wrong with its choices */
export function draftTemplates(given: GivenTemplate): TemplateDraft[] {
  const variants = choices(given.text);
  if (variants.length > MOST_VARIANTS)
    throw new Error(`it has more than ${MOST_VARIANTS} variants`);
  const { separator } = given;
  const separators = typeof separator === 'object' ? separator : [separator];
  return separators.flatMap((one) =>
    variants.map((text) => ({
      start: startOf(text),
      make: () => compile(text, one, given),
    })),
  );
}

/** A brace with its content, a character after a backslash, or literal text. */
const TOKENS = /\\.|\{[^{}]*\}|[^\\{}]+|./gsu;

/** The literal text of a token; undefined: it is a brace. */
function literalText(token: string): string | undefined {
  if (token.length === 2 && token.startsWith('\\')) return token[1];
  return token.startsWith('{') || token === '}' ? undefined : token;
}

function startOf(text: string): number | string | undefined {
  if (text.startsWith('{')) return captureOf(text.slice(1, text.indexOf('}'))).capture;
  const first = text.codePointAt(text.startsWith('\\') ? 1 : 0);
  return first === undefined ? undefined : encoded(String.fromCodePoint(first))[0];
}

/** As UTF-8. Nearly all are a few ASCII letters, for which an encoder takes several times as long. */
function encoded(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return utf8.encode(text);
    bytes[i] = code;
  }
  return bytes;
}

/** The alternative texts of a text with choices, which may contain captures and choices. */
function choices(text: string): string[] {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') {
      const { bars, end } = braces(text, at);
      if (bars.length > 1) {
        const rest = choices(text.slice(end + 1));
        const ends = [...bars.slice(1), end];
        return bars
          .flatMap((bar, i) => choices(text.slice(bar + 1, ends[i])))
          .flatMap((one) => rest.map((more) => text.slice(0, at) + one + more));
      }
      at = end;
    }
  }
  return [text];
}

/** Positions of the brace at `start` and each bar directly within it, and of the closing brace. */
function braces(text: string, start: number): { bars: number[]; end: number } {
  const bars = [start];
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && --depth === 0) return { bars, end: at };
    else if (text[at] === '|' && depth === 1) bars.push(at);
  }
  throw new Error('a brace is not closed');
}

function compile(text: string, separator: string | undefined, given: GivenTemplate): Template {
  const fields: string[] = Object.keys(given.set);
  const numberOf = (name: string): number => {
    const known = fields.indexOf(name);
    return known >= 0 ? known : fields.push(name) - 1;
  };
  const parts: Part[] = [];
  let literal = '';
  const endLiteral = (): void => {
    if (literal !== '') parts.push(literalOf(encoded(literal)));
    literal = '';
  };
  for (const [token] of text.matchAll(TOKENS)) {
    const letters = literalText(token);
    if (letters !== undefined) {
      literal += letters;
      continue;
    }
    if (token.length === 1) throw new Error('a brace is not opened or not closed');
    endLiteral();
    const slot = slotOf(token.slice(1, -1), numberOf);
    const last = parts.at(-1);
    if (last?.capture !== undefined && !endsItself(last.capture))
      throw new Error(`no text separates ${token} from what is before it`);
    parts.push(slot);
  }
  endLiteral();
  checkEnd(parts, given);
  const code = (one: string | undefined, usual: number): number => one?.charCodeAt(0) ?? usual;
  const slotsOf = (tokens: Readonly<Record<string, string>> = {}): [string, Slot][] =>
    Object.entries(tokens).map(([key, token]) => [key, slotOf(token, numberOf)]);
  const columns = (given.columns ?? []).map((token) =>
    token === null ? undefined : slotOf(token, numberOf),
  );
  const pairs = slotsOf(given.pairs);
  const labels = slotsOf(given.labels);
  const needs = (given.needs ?? []).map((choice) =>
    [choice].flat().map((name) => {
      if (!fields.includes(name)) throw new Error(`it needs ${name}, which it does not extract`);
      return fields.indexOf(name);
    }),
  );
  let size = fields.length;
  const keyNumber = (key: string): number => {
    const known = pairs.find(([one]) => one === key)?.[1].field;
    if (known !== undefined) return known;
    pairs.push([key, slot('text', size)]);
    return size++;
  };
  for (const keys of given.has ?? [])
    needs.push((typeof keys === 'string' ? [keys] : keys).map(keyNumber));
  return {
    text,
    parts,
    set: given.set,
    pairs: given.pairs && {
      keys: new KeyTable(pairs),
      labels: labels.map(([key, slot]) => [utf8.encode(key.toLowerCase()), slot]),
      separator: code(separator, 32),
      assign: code(given.assign, 61),
      stop: code(given.stop, -1),
      isStrict: given.strict === true,
      isOnce: given.once === true,
      isAlike: given.alike === true,
      isSpaced: given.spaced === true,
    },
    columns,
    separator: code(separator, 44),
    fields,
    needs,
    size,
    isDistinct:
      needs.length > 0 || isDistinct(parts.flatMap(({ literal: text }) => text?.length ?? [])),
  };
}

/** @throws Error if a capture of the rest is not at the end, or its settings are missing or belong to another */
function checkEnd(parts: readonly Part[], given: GivenTemplate): void {
  const end = parts.findIndex(({ capture }) => capture !== undefined && isLast(capture));
  if (end >= 0 && end < parts.length - 1)
    throw new Error(
      'rest, arguments, pairs, cef, leef, json, xml, login, traffic and columns can only be at its end',
    );
  const of = parts.at(-1)?.capture;
  if ((of !== undefined && hasKeys(of)) !== (given.pairs !== undefined))
    throw new Error(
      '{:pairs}, {:cef}, {:leef}, {:json}, {:xml}, {:login} or {:traffic} and "pairs" belong together',
    );
  if (given.strict === true && of !== 'pairs') throw new Error('only {:pairs} can be strict');
  if (given.once === true && ((of !== 'pairs' && of !== 'xml') || given.strict === true))
    throw new Error('only {:xml}, and {:pairs} that is not strict, can be once');
  if ((given.alike === true || given.spaced === true) && given.strict !== true)
    throw new Error('only strict pairs can be alike or spaced');
  if ((of === 'columns') !== (given.columns !== undefined))
    throw new Error('{:columns} and "columns" belong together');
}

/** One text of four bytes, or eight in all. */
function isDistinct(lengths: readonly number[]): boolean {
  return lengths.some((one) => one >= 4) || lengths.reduce((sum, one) => sum + one, 0) >= 8;
}

/** `name:type`, either of which may be missing. */
function captureOf(token: string): { name: string; capture: string } {
  const [name = '', type] = token.split(':');
  return { name, capture: type ?? defaultCapture(name) };
}

function slotOf(token: string, numberOf: (name: string) => number): Slot {
  const { name, capture } = captureOf(token);
  if (capture === 'request') return slot(capture, numberOf('url'), numberOf('http_method'));
  if (capture === 'hash')
    return slot(capture, numberOf('md5'), numberOf('sha1'), numberOf('sha256'));
  if (!isCapture(capture)) throw new Error(`there is no type ${capture}`);
  const field = name === '' ? -1 : numberOf(name);
  if (capture === 'host' && field >= 0) numberOf(domainOf(name));
  if (capture === 'account' || capture === 'principal' || capture === 'name') {
    return slot(capture, field, name === 'user' ? numberOf('user_domain') : -1);
  }
  if ((capture !== 'endpoint' && capture !== 'socket') || field < 0) return slot(capture, field);
  if (name !== 'src_ip' && name !== 'dst_ip')
    throw new Error(`${token}: only an address has a port`);
  return slot(capture, field, numberOf(name === 'src_ip' ? 'src_port' : 'dst_port'));
}

function literalOf(literal: Uint8Array): Literal {
  const operation = OPERATION.literal;
  return {
    operation,
    literal,
    capture: undefined,
    field: -1,
    second: -1,
    third: -1,
    isPlain: false,
  };
}

function slot(capture: Capture, field: number, second = -1, third = -1): Slot {
  const operation = OPERATION[capture];
  const isPlain = PLAIN.has(capture);
  return { operation, literal: undefined, capture, field, second, third, isPlain };
}

/** Captures whose values may be any bytes, which are stored unchanged. */
const PLAIN: ReadonlySet<Capture> = new Set<Capture>([
  ...(['word', 'value', 'cell', 'bar', 'quoted'] as const),
  ...(['text', 'brief', 'sole', 'inside', 'rest'] as const),
]);

function isCapture(name: string): name is Capture {
  return CAPTURES.some((one) => one === name);
}

/** Whether the end of a capture does not depend on the text that follows. */
function endsItself(capture: Capture): boolean {
  switch (capture) {
    case 'ip':
    case 'peer':
    case 'port':
    case 'number':
    case 'quoted':
    case 'request':
    case 'cell':
    case 'bar':
    case 'audit':
      return true;
    default:
      return false;
  }
}

function hasKeys(capture: Capture): boolean {
  return (
    capture === 'pairs' ||
    capture === 'cef' ||
    capture === 'leef' ||
    capture === 'json' ||
    capture === 'xml' ||
    capture === 'login' ||
    capture === 'traffic'
  );
}

function isLast(capture: Capture): boolean {
  return capture === 'rest' || capture === 'arguments' || capture === 'columns' || hasKeys(capture);
}

/** The default capture of `{name}`. */
function defaultCapture(name: string): string {
  const type = fieldEntry(name)?.type;
  return type === 'ip' || type === 'port' || type === 'number' || type === 'proto' ? type : 'word';
}

/** The field for a side that is given by name. */
export function domainOf(name: string): string {
  return name === 'dst_ip' ? 'dst_domain' : 'src_domain';
}
