/**
 * Finds the first of many templates that a message matches by trying only a few: those selected by the beginning of
 * the message, and by texts that it contains.
 *
 * Most templates begin with a text or contain one: up to four bytes of it are looked up while the message is read,
 * so that lines that fit no template cost little, however many templates there are.
 *
 * Invariant: it is the first of all that match, in the given order.
 */
import { matches } from './match.ts';
import { scramble } from '../../util/hash-table/hash.ts';
import { HashIndex } from '../../util/hash-table/hash-index.ts';
import { firstMark, KINDS_OF_PAIRS, kindOfPairs } from '../reading/read-pairs.ts';
import { OPERATION, type Template, type TemplateDraft } from './template.ts';
import { isDigit } from './values.ts';

interface Candidate {
  readonly template: Template;
}

/** A template that is made when a message arrives that may match its beginning. */
export interface CandidateDraft<T> {
  readonly start: TemplateDraft['start'];
  readonly make: () => T;
}

interface Uses {
  readonly starts: ReadonlyMap<number, number>;
  readonly windows: ReadonlyMap<number, number>;
}

interface Item<T> {
  readonly one: T;
  readonly order: number;
  /** Bytes that its texts have, a bit each, of ASCII. */
  readonly bytes: Int32Array;
  /** Whether only a message with an address can match. */
  readonly needsAddress: boolean;
  /** For templates of strict pairs only: `kindOfPairs`; otherwise -1. */
  readonly kindOfPairs: number;
}

/** Templates by texts that are anywhere in their messages. */
interface Texts<T> {
  /** Step between the byte pairs of a message that are looked up: each text has one of these, wherever it is. */
  readonly step: number;
  /**
   * By two bytes (`pairPlace`), a bit for each of `PLACES` where a text has them: most pairs of a message are in no
   * text.
   */
  readonly pairs: Uint8Array;
  /** By texts of four, three and two bytes. */
  readonly byLength: readonly (WindowTable<readonly Item<T>[]> | undefined)[];
}

/** Templates of messages with one first byte. */
interface Group<T> {
  /** To be tried with any such message. */
  readonly always: readonly Item<T>[];
  /** By the first four bytes; includes those of `always`. */
  readonly byStart: WindowTable<readonly Item<T>[]> | undefined;
  readonly texts: Texts<T> | undefined;
}

const [DOT, COLON] = [46, 58];
const LENGTHS = [4, 3, 2] as const;
/** Where a byte pair may be in a text: which of `LENGTHS` the text has, and the number of bytes before the pair. */
const PLACES = LENGTHS.flatMap((length, kind) =>
  Array.from({ length: length - 1 }, (_, before) => ({ kind, length, before })),
);
/** If more templates than this begin with the same four bytes, other bytes distinguish them. */
const MOST_ALIKE = 32;
/** Slots for byte pairs: few different pairs share one, and all slots fit in the processor's nearest cache. */
const PAIR_BITS = 12;
/** Up to this many candidates are simply tried: telling them apart by their texts or bytes takes longer. */
const FEW = 2;

/** Maps texts of up to four bytes to values: nearly all look-ups find nothing. */
class WindowTable<V> {
  private readonly index: HashIndex;
  private readonly values: readonly V[];

  constructor(given: ReadonlyMap<number, V>) {
    this.index = new HashIndex(given.size);
    this.values = [...given.values()];
    for (const window of given.keys()) this.index.add(this.index.size, scramble(window));
  }

  get(window: number): V | undefined {
    // Different windows have different hashes.
    const at = this.index.first(scramble(window));
    return at < 0 ? undefined : this.values[at];
  }
}

export class Candidates<T extends Candidate> {
  private readonly drafts: readonly CandidateDraft<T>[];
  /** Those that were made, by their order. */
  private readonly items: (Item<T> | undefined)[] = [];
  /** Made when the first message of each arrives; null: no template begins so. */
  private readonly groups = new Array<Group<T> | null | undefined>(256).fill(undefined);
  private readonly picked: Picked<T> = { items: [], count: 0 };

  constructor(drafts: readonly CandidateDraft<T>[]) {
    this.drafts = drafts;
  }

  /** The first that a message matches. */
  firstMatch(b: Uint8Array, start: number, end: number): T | undefined {
    const code = b[start]!;
    const known = this.groups[code];
    const group = known === undefined ? (this.groups[code] = this.groupOf(code)) : known;
    if (group === null) return undefined;
    const { always, byStart, texts } = group;
    const starting =
      byStart !== undefined && end - start >= 4
        ? (byStart.get(windowAt(b, start, 4)) ?? always)
        : always;
    const { picked } = this;
    picked.count = 0;
    if (texts !== undefined) pickByText(texts, picked, b, start, end);
    if (picked.count === 0) return firstOf(starting, starting.length, b, start, end);
    for (let i = 0; i < starting.length; i++) picked.items[picked.count++] = starting[i]!;
    sortFew(picked);
    return firstOf(picked.items, picked.count, b, start, end);
  }

  private groupOf(code: number): Group<T> | null {
    const items: Item<T>[] = [];
    for (const [order, { start, make }] of this.drafts.entries())
      if (mayBegin(start, code)) items.push((this.items[order] ??= itemOf(make(), order)));
    return items.length === 0 ? null : groupOf(items, countWindows(items));
  }
}

function itemOf<T extends Candidate>(one: T, order: number): Item<T> {
  const { template } = one;
  const { pairs, parts } = template;
  const isOfPairs = pairs?.isStrict === true && parts[0]!.operation === OPERATION.pairs;
  return {
    one,
    order,
    bytes: bytesOf(template),
    needsAddress: isAddressNeeded(template),
    kindOfPairs: isOfPairs ? kindOfPairs(pairs) : -1,
  };
}

/** Selected candidates; those at the beginning count. */
interface Picked<T> {
  readonly items: Item<T>[];
  count: number;
}

/** The byte after the first key of the current message, by `kindOfPairs`; -1: not known yet. */
const marks = new Int16Array(KINDS_OF_PAIRS);

/** For candidates after the first few, the message must contain all bytes of their texts. */
function firstOf<T extends Candidate>(
  items: readonly Item<T>[],
  count: number,
  b: Uint8Array,
  start: number,
  end: number,
): T | undefined {
  let areNoted = false;
  let areMarked = false;
  for (let i = 0; i < count; i++) {
    const { one, bytes, needsAddress, kindOfPairs: kind } = items[i]!;
    if (kind >= 0) {
      if (!areMarked) marks.fill(-1);
      areMarked = true;
      if (marks[kind]! < 0) marks[kind] = firstMark(kind, b, start, end);
      if (marks[kind] !== one.template.pairs!.assign) continue;
    }
    if (needsAddress && !mayHaveAddress(b, start, end)) continue;
    // Pairs are read to the end of a message before they are known not to be any.
    if (i >= FEW || one.template.parts[0]!.operation === OPERATION.pairs) {
      if (!areNoted && !isEmpty(bytes)) {
        noteBytes(b, start, end);
        areNoted = true;
      }
      if (areNoted && !isNoted(bytes)) continue;
    }
    if (matches(one.template, b, start, end)) return one;
  }
  return undefined;
}

/** Whether one of the fields that a template needs can only come from pairs, as an address. */
function isAddressNeeded({ parts, pairs, needs, fields }: Template): boolean {
  return needs.some((choice) => {
    const [field, another] = choice;
    if (pairs === undefined || another !== undefined || !fields[field!]?.endsWith('_ip'))
      return false;
    const slots = [...parts, ...pairs.keys.values, ...pairs.labels.map(([, slot]) => slot)];
    return slots.every((slot) => slot.field !== field || ADDRESSES.has(slot.operation));
  });
}

/** A slot of one of these has an address as the message writes it, and never a name. */
const ADDRESSES: ReadonlySet<number> = new Set([
  ...[OPERATION.ip, OPERATION.peer, OPERATION.endpoint, OPERATION.socket],
]);

/**
 * An IPv4 address has three dots between digits; an IPv6 address has `::`, seven colons, or an IPv4 address at its
 * end.
 */
export function mayHaveAddress(b: Uint8Array, start: number, end: number): boolean {
  if (last.b !== b || last.start !== start || last.end !== end) {
    last.b = b;
    last.start = start;
    last.end = end;
    last.hasAddress = hasAddressAt(b, start, end);
  }
  return last.hasAddress;
}

/** Cached for one message, since every stage asks. */
const last: { b: Uint8Array; start: number; end: number; hasAddress: boolean } = {
  ...{ b: new Uint8Array(0), start: -1, end: -1, hasAddress: false },
};

/** Clears the cache: the next message may have the same offsets in the same buffer. */
export function beginMessage(): void {
  last.start = -1;
}

function hasAddressAt(b: Uint8Array, start: number, end: number): boolean {
  let dots = 0;
  let colons = 0;
  for (let p = start; p < end; p++) {
    const code = b[p];
    if (code === DOT) {
      if (isDigit(b[p - 1]!) && isDigit(b[p + 1]!) && ++dots === 3) return true;
    } else if (code === COLON && (b[p + 1] === COLON || ++colons === 7)) return true;
  }
  return false;
}

/** Bytes of the message at hand, a bit each. */
const noted = new Int32Array(8);

function noteBytes(b: Uint8Array, start: number, end: number): void {
  noted.fill(0);
  for (let p = start; p < end; p++) noted[b[p]! >>> 5]! |= 1 << (b[p]! & 31);
}

function isEmpty(bytes: Int32Array): boolean {
  for (let i = 0; i < 4; i++) if (bytes[i] !== 0) return false;
  return true;
}

function isNoted(bytes: Int32Array): boolean {
  for (let i = 0; i < 4; i++) if ((bytes[i]! & ~noted[i]!) !== 0) return false;
  return true;
}

function bytesOf({ parts, pairs, fields, needs }: Template): Int32Array {
  const bytes = new Int32Array(8);
  // A pair needs the character between key and value; a single pair needs no separator.
  const isGiven = (field: number): boolean =>
    parts.some((part) => part.field === field || part.second === field || part.third === field);
  const needsPair = needs.some((choice) => !choice.some(isGiven));
  if (pairs !== undefined && needsPair && parts.at(-1)!.operation === OPERATION.pairs) {
    bytes[pairs.assign >>> 5]! |= 1 << (pairs.assign & 31);
    const { isStrict, separator, isSpaced } = pairs;
    const isNeeded = (name: string): boolean =>
      needs.some((choice) => choice.length === 1 && fields[choice[0]!] === name);
    // No pair gives both addresses; a single pair also counts as pairs with blanks between them.
    const isSeparated = isSpaced || (isNeeded('src_ip') && isNeeded('dst_ip'));
    if (isStrict && separator > 32 && isSeparated) bytes[separator >>> 5]! |= 1 << (separator & 31);
  }
  for (const { literal } of parts)
    for (const code of literal ?? []) bytes[code >>> 5]! |= 1 << (code & 31);
  return bytes;
}

/** In place, by order. */
function sortFew<T>({ items, count }: Picked<T>): void {
  for (let i = 1; i < count; i++) {
    const item = items[i]!;
    let at = i;
    for (; at > 0 && items[at - 1]!.order > item.order; at--) items[at] = items[at - 1]!;
    items[at] = item;
  }
}

function pickByText<T>(
  { step, pairs, byLength }: Texts<T>,
  picked: Picked<T>,
  b: Uint8Array,
  start: number,
  end: number,
): void {
  for (let p = start + step - 1; p < end - 1; p += step) {
    const places = pairs[pairPlace(b[p]!, b[p + 1]!)]!;
    if (places !== 0) pickAt(byLength, places, picked, b, p, start, end);
  }
}

/** Texts that have the pair at `p` in one of `places`. */
function pickAt<T>(
  byLength: Texts<T>['byLength'],
  places: number,
  picked: Picked<T>,
  b: Uint8Array,
  p: number,
  start: number,
  end: number,
): void {
  for (let i = 0, rest = places; rest !== 0; i++, rest >>>= 1) {
    if ((rest & 1) === 0) continue;
    const { kind, length, before } = PLACES[i]!;
    const from = p - before;
    if (from < start || from + length > end) continue;
    const having = byLength[kind]!.get(windowAt(b, from, length));
    if (having !== undefined) pickAll(having, picked);
  }
}

function pickAll<T>(having: readonly Item<T>[], picked: Picked<T>): void {
  for (const item of having) {
    let i = 0;
    while (i < picked.count && picked.items[i] !== item) i += 1;
    if (i === picked.count) picked.items[picked.count++] = item;
  }
}

function pairPlace(one: number, next: number): number {
  return ((one << (PAIR_BITS - 8)) ^ next) & ((1 << PAIR_BITS) - 1);
}

function pairsOf(windows: readonly (readonly number[])[]): Uint8Array {
  const pairs = new Uint8Array(1 << PAIR_BITS);
  for (const [i, { kind, length, before }] of PLACES.entries())
    for (const window of windows[kind]!) {
      const two = window >>> ((length - 2 - before) * 8);
      pairs[pairPlace((two >>> 8) & 255, two & 255)]! |= 1 << i;
    }
  return pairs;
}

function windowAt(b: Uint8Array, at: number, length: number): number {
  let window = 0;
  for (let i = 0; i < length; i++) window = (window << 8) | b[at + i]!;
  return window;
}

/** Number of templates that begin with, or contain, each text of four bytes. */
function countWindows(items: readonly Item<Candidate>[]): Uses {
  const starts = new Map<number, number>();
  const windows = new Map<number, number>();
  const count = (map: Map<number, number>, key: number): unknown =>
    map.set(key, (map.get(key) ?? 0) + 1);
  for (const {
    one: { template },
  } of items) {
    const start = startOf(template);
    if (start !== undefined) count(starts, start);
    for (const window of new Set(windowsOf(template, 4))) count(windows, window);
  }
  return { starts, windows };
}

function startOf({ parts: [first] }: Template): number | undefined {
  const literal = first?.literal;
  return literal !== undefined && literal.length >= 4 ? windowAt(literal, 0, 4) : undefined;
}

/** The one that the fewest others have. */
function rarestOf(windows: readonly number[], uses: Uses): number {
  let rarest = windows[0]!;
  let least = Infinity;
  for (const one of windows) {
    const rank = (uses.windows.get(one) ?? 0) + commonness(one);
    if (rank >= least) continue;
    least = rank;
    rarest = one;
  }
  return rarest;
}

/** How many of its bytes are small letters or spaces, which most messages contain. */
function commonness(window: number): number {
  let common = 0;
  for (let rest = window; rest !== 0; rest >>>= 8) {
    const code = rest & 255;
    if (code === 32 || (code >= 97 && code <= 122)) common += 1;
  }
  return common;
}

function windowsOf({ parts }: Template, length: number): number[] {
  const windows: number[] = [];
  for (const { literal } of parts)
    for (let at = 0; literal !== undefined && at + length <= literal.length; at++)
      windows.push(windowAt(literal, at, length));
  return windows;
}

function groupOf<T extends Candidate>(items: readonly Item<T>[], uses: Uses): Group<T> {
  const always: Item<T>[] = [];
  const byStart = new Map<number, Item<T>[]>();
  const byText = LENGTHS.map((length) => ({ length, items: new Map<number, Item<T>[]>() }));
  for (const item of items) {
    const { template } = item.one;
    const window = startOf(template);
    if (window !== undefined && uses.starts.get(window)! <= MOST_ALIKE) {
      add(byStart, window, item);
      continue;
    }
    const longest = Math.max(0, ...template.parts.map(({ literal }) => literal?.length ?? 0));
    const texts = byText.find(({ length }) => length <= longest);
    if (texts === undefined) always.push(item);
    else add(texts.items, rarestOf(windowsOf(template, texts.length), uses), item);
  }
  // Trying a few is faster than reading a message for their texts.
  for (const { items: texts } of byText) {
    const few = [...texts.values()].flat();
    if (few.length > FEW) continue;
    always.push(...few);
    texts.clear();
  }
  always.sort((one, other) => one.order - other.order);
  for (const list of byStart.values()) {
    list.push(...always);
    list.sort((one, other) => one.order - other.order);
  }
  return {
    always,
    byStart: byStart.size === 0 ? undefined : new WindowTable(byStart),
    texts: textsOf(byText.map(({ items: texts }) => texts)),
  };
}

function textsOf<T>(
  byLength: readonly ReadonlyMap<number, readonly Item<T>[]>[],
): Texts<T> | undefined {
  if (byLength.every((texts) => texts.size === 0)) return undefined;
  const shortest = Math.min(...LENGTHS.filter((_, kind) => byLength[kind]!.size > 0));
  return {
    step: shortest - 1,
    pairs: pairsOf(byLength.map((texts) => [...texts.keys()])),
    byLength: byLength.map((texts) => (texts.size === 0 ? undefined : new WindowTable(texts))),
  };
}

function add<T>(map: Map<number, T[]>, key: number, item: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

/** Whether a message that begins so may have this first byte. */
function mayBegin(start: TemplateDraft['start'], code: number): boolean {
  if (typeof start !== 'string') return start === code;
  const isDigit = code >= 48 && code <= 57;
  const letter = code | 32;
  switch (start) {
    case 'ip':
    case 'peer':
      return isDigit || code === 58 || (letter >= 97 && letter <= 102);
    case 'port':
    case 'number':
      return isDigit;
    case 'proto':
    case 'host':
      return isDigit || code === 58 || code === 95 || (letter >= 97 && letter <= 122);
    case 'word':
    case 'account':
    case 'principal':
      return code !== 32;
    case 'json':
      return code === 123;
    default:
      return true;
  }
}
