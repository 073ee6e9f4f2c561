/**
 * A Windows event as XML, `<Event …><System>…</System><EventData>…</EventData></Event>`, as names and values: the
 * members of `System` under the names that Sigma uses (`EventID`, `Provider_Name`, …), those of `EventData` and
 * `UserData` under their own. https://learn.microsoft.com/en-us/windows/win32/wes/eventschema-schema
 *
 * Of several events the first is read, and of one that is cut off what is whole. It never throws.
 *
 * Invariant: a text is a text: a value that looks like a list is never read as one.
 */
import { ESCAPES } from '../cutting/found.ts';
import type { NamedValues } from '../registry/meanings.ts';
import { isJson } from './texts.ts';
import { unescapeText } from './unescape.ts';

const [OPEN, CLOSE, SLASH, SPACE, ASSIGN, QUOTE, APOSTROPHE, COLON, MARK, DECLARED] = [
  60, 62, 47, 32, 61, 34, 39, 58, 33, 63,
];
/** Elements within elements beyond this depth end the reading. */
const MOST_DEPTH = 24;
const MOST_MEMBERS = 1024;
/** A longer name of an element ends the reading; members with longer names are left out. */
const MOST_NAME = 256;

const utf8 = new TextDecoder();
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const [CDATA, CDATA_END, COMMENT, COMMENT_END] = [
  bytesOf('<![CDATA['),
  bytesOf(']]>'),
  bytesOf('<!--'),
  bytesOf('-->'),
] as const;

/** Names of the attributes of members of `System`; those of others are `ELEMENT_ATTRIBUTE`. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EventID: { Qualifiers: 'Qualifiers' },
};

/** The name of an attribute of a member of `System`. */
export function systemName(element: string, attribute: string): string {
  return ATTRIBUTES[element]?.[attribute] ?? `${element}_${attribute}`;
}

interface OpenElement {
  readonly name: string;
  /** The attribute `Name`. */
  readonly given: string;
  /** Where its text begins. */
  readonly text: number;
  hasElements: boolean;
}

/** Whether `b[start, end)` begins with an event, perhaps after a declaration. @returns where, or -1 */
export function eventStart(b: Uint8Array, start: number, end: number): number {
  let p = start;
  if (b[p] === OPEN && b[p + 1] === DECLARED) {
    while (p < end && b[p] !== CLOSE) p += 1;
    p += 1;
    while (p < end && b[p]! <= SPACE) p += 1;
  }
  if (end - p < 7 || b[p] !== OPEN) return -1;
  const isEvent = 'Event'.split('').every((letter, i) => b[p + 1 + i] === letter.charCodeAt(0));
  return isEvent && (b[p + 6] === CLOSE || b[p + 6]! <= SPACE) ? p : -1;
}

/** The event at the beginning of `b[start, end)`; undefined: it states no `EventID`. */
export function readEventXml(b: Uint8Array, start: number, end: number): NamedValues | undefined {
  const reader = new EventReader(b.subarray(start, end));
  reader.read();
  return reader.record();
}

class EventReader {
  private readonly b: Uint8Array;
  private readonly open: OpenElement[] = [];
  private readonly system = new Map<string, string[]>();
  private readonly data = new Map<string, string[]>();
  private members = 0;

  constructor(b: Uint8Array) {
    this.b = b;
  }

  record(): NamedValues | undefined {
    if (!this.system.has('EventID')) return undefined;
    const all = [...this.system];
    for (const [name, values] of this.data)
      all.push([this.system.has(name) ? `EventData.${name}` : name, values]);
    return {
      keys: all.map(([name]) => name),
      values: all.map(([, values]) => listed(values)),
    };
  }

  read(): void {
    const { b, open } = this;
    let p = 0;
    while (this.members < MOST_MEMBERS && open.length < MOST_DEPTH) {
      p = b.indexOf(OPEN, p);
      const stop = p < 0 ? -1 : markupEnd(b, p);
      if (stop < 0) return;
      const first = b[p + 1];
      if (first === SLASH) {
        this.close(p);
        if (open.length === 0) return;
      } else if (first !== MARK && first !== DECLARED && !this.begin(p + 1, stop)) return;
      p = stop + 1;
    }
  }

  /** A start tag, between `<` and `>`. @returns whether it is an event's */
  private begin(from: number, to: number): boolean {
    const { b, open } = this;
    const isEmpty = b[to - 1] === SLASH;
    const end = isEmpty ? to - 1 : to;
    let nameEnd = from;
    let name = from;
    // The prefix of a namespace is not part of the name.
    for (; nameEnd < end && b[nameEnd]! > SPACE; nameEnd++)
      if (b[nameEnd] === COLON) name = nameEnd + 1;
    if (nameEnd - name > MOST_NAME) return false;
    const element = utf8.decode(b.subarray(name, nameEnd));
    const parent = open.at(-1);
    if (parent !== undefined) parent.hasElements = true;
    let given = '';
    this.attributes(nameEnd, end, (attribute, value) => {
      if (attribute === 'Name') given = value;
      if (this.isSystem()) this.keep(this.system, systemName(element, attribute), value);
    });
    open.push({ name: element, given, text: to + 1, hasElements: false });
    if (isEmpty) this.close(to + 1);
    return true;
  }

  /** The innermost element, whose text ends at `at`. */
  private close(at: number): void {
    const element = this.open.pop();
    if (element === undefined || element.hasElements) return;
    const value = this.textIn(element.text, at);
    if (this.isSystem()) {
      if (value !== '') this.keep(this.system, element.name, value);
      return;
    }
    const section = this.open[1]?.name;
    // The only element of UserData names the structure.
    const outer = section === 'EventData' ? 2 : section === 'UserData' ? 3 : -1;
    if (outer < 0 || this.open.length < 2) return;
    const isUnnamed = element.name === 'Data' && element.given === '';
    if (value === '' && !isUnnamed) return;
    const leafName = element.given === '' ? element.name : element.given;
    const path = this.open.slice(outer).map(({ name }) => name);
    this.keep(this.data, [...path, leafName].join('.'), value);
  }

  /** Whether the next element is a member of System. */
  private isSystem(): boolean {
    return this.open.length === 2 && this.open[1]!.name === 'System';
  }

  private keep(to: Map<string, string[]>, name: string, value: string): void {
    this.members += 1;
    if (name.length > MOST_NAME) return;
    const before = to.get(name);
    if (before === undefined) to.set(name, [value]);
    // `System` has each member once.
    else if (to === this.data) before.push(value);
  }

  private attributes(from: number, end: number, take: (name: string, value: string) => void): void {
    const { b } = this;
    for (let p = from; p < end; p++) {
      while (p < end && b[p]! <= SPACE) p += 1;
      const name = p;
      while (p < end && b[p] !== ASSIGN) p += 1;
      const quote = b[p + 1];
      if (p >= end || (quote !== QUOTE && quote !== APOSTROPHE)) return;
      const value = p + 2;
      for (p = value; p < end && b[p] !== quote;) p += 1;
      take(utf8.decode(b.subarray(name, value - 2)), this.unescaped(value, p));
    }
  }

  /** The text of an element: sections of CDATA as they are, the rest without entities, no comments. */
  private textIn(start: number, end: number): string {
    const { b } = this;
    let text = '';
    for (let p = start; p < end;) {
      const size = b.subarray(p, end).indexOf(OPEN);
      if (size < 0) return text + this.unescaped(p, end);
      const mark = p + size;
      text += this.unescaped(p, mark);
      p = markupEnd(b, mark) + 1;
      if (isAt(b, mark, CDATA))
        text += utf8.decode(b.subarray(mark + CDATA.length, p - CDATA_END.length));
    }
    return text;
  }

  private unescaped(start: number, end: number): string {
    const { bytes, size } = unescapeText(this.b, start, end, ESCAPES.xml);
    return utf8.decode(bytes.subarray(0, size));
  }
}

/** A value of several as a list, and a text that looks like a list as the only element of one. */
export function listed(values: readonly string[]): string {
  const isText = values.length === 1 && !isJson(values[0]!);
  return isText ? values[0]! : JSON.stringify(values);
}

function isAt(b: Uint8Array, at: number, text: Uint8Array): boolean {
  return text.every((code, i) => b[at + i] === code);
}

/** The position of the `>` that ends what begins at `from`, a tag, a comment, a section of CDATA; -1: it is cut off. */
function markupEnd(b: Uint8Array, from: number): number {
  const last = isAt(b, from, CDATA) ? CDATA_END : isAt(b, from, COMMENT) ? COMMENT_END : undefined;
  if (last === undefined) return tagEnd(b, from);
  let p = from + 4;
  while (p < b.length && !isAt(b, p, last)) p += 1;
  return p < b.length ? p + 2 : -1;
}

/** The position of the `>` that ends a tag; -1: it is cut off. */
function tagEnd(b: Uint8Array, from: number): number {
  let quote = 0;
  for (let p = from; p < b.length; p++) {
    const code = b[p]!;
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === CLOSE) return p;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
  }
  return -1;
}
