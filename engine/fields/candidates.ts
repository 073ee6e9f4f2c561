/**
 * Which templates a message may match, without trying them: by what it begins with, and by texts that it has.
 *
 * Most templates begin with a text or have one within: up to four bytes of it are looked up while the message is read, so
 * that lines that fit no template cost little, however many templates there are.
 *
 * Invariant: every template that matches a message is picked, and templates are picked in the order that they were given.
 */
import type { Part, Template } from './template.ts';

export interface Candidate {
  readonly template: Template;
}

interface Uses {
  readonly starts: ReadonlyMap<number, number>;
  readonly windows: ReadonlyMap<number, number>;
}

interface Item<T> {
  readonly one: T;
  readonly order: number;
}

/** Templates by texts of so many bytes that are anywhere in their messages. */
interface Texts<T> {
  readonly length: number;
  readonly items: ReadonlyMap<number, readonly Item<T>[]>;
}

/** Templates of messages with one first byte. */
interface Group<T> {
  /** To be tried with any such message. */
  readonly always: readonly Item<T>[];
  /** By the first four bytes. */
  readonly byStart: ReadonlyMap<number, readonly Item<T>[]>;
  readonly byText: readonly Texts<T>[];
  /** By the last two bytes of those texts (`pairOf`): bit n, if some of `byText[n]` ends so. */
  readonly pairs: Uint8Array;
}

const LENGTHS = [4, 3, 2] as const;
/** Of templates that begin with the same four bytes, more than this are told apart by others. */
const MOST_ALIKE = 32;
const NONE: readonly never[] = [];

export class Candidates<T extends Candidate> {
  /** Made when the first message of each comes; null: no template begins so. */
  private readonly groups = new Array<Group<T> | null | undefined>(256).fill(undefined);
  private readonly items: readonly Item<T>[];
  private readonly uses: Uses;
  private readonly picked: Item<T>[] = [];
  private readonly found: T[] = [];

  constructor(all: readonly T[]) {
    this.items = all.map((one, order) => ({ one, order }));
    this.uses = countWindows(all);
  }

  /** Those that the message may match, until the next call. */
  of(b: Uint8Array, start: number, end: number): readonly T[] {
    const code = b[start]!;
    const known = this.groups[code];
    const group =
      known === undefined ? (this.groups[code] = groupOf(this.items, code, this.uses)) : known;
    if (group === null) return NONE;
    const { picked, found } = this;
    picked.length = 0;
    for (const item of group.always) picked.push(item);
    if (end - start >= 4) {
      const starting = group.byStart.get(windowAt(b, start, 4));
      if (starting !== undefined) for (const item of starting) picked.push(item);
    }
    if (group.byText.length > 0) pickByText(group, picked, b, start, end);
    if (picked.length === 0) return NONE;
    // Few: in place, by order.
    for (let i = 1; i < picked.length; i++) {
      const item = picked[i]!;
      let at = i;
      for (; at > 0 && picked[at - 1]!.order > item.order; at--) picked[at] = picked[at - 1]!;
      picked[at] = item;
    }
    found.length = 0;
    for (const { one } of picked) found.push(one);
    return found;
  }
}

function pickByText<T>(
  { byText, pairs }: Group<T>,
  picked: Item<T>[],
  b: Uint8Array,
  start: number,
  end: number,
): void {
  let window = b[start]!;
  for (let p = start + 1; p < end; p++) {
    window = (window << 8) | b[p]!;
    const flags = pairs[pairOf(window)]!;
    if (flags === 0) continue;
    for (let n = 0; n < byText.length; n++) {
      if ((flags & (1 << n)) === 0) continue;
      const { length, items } = byText[n]!;
      if (p - start < length - 1) continue;
      const having = items.get(length === 4 ? window : window & (length === 3 ? 0xffffff : 0xffff));
      if (having === undefined) continue;
      for (const item of having) if (!picked.includes(item)) picked.push(item);
    }
  }
}

const PAIRS = 4096;

/** Of the last two bytes of a window: texts seldom share more than these 12 bits. */
function pairOf(window: number): number {
  const pair = window & 0xffff;
  return (pair ^ (pair >>> 3)) & (PAIRS - 1);
}

function windowAt(b: Uint8Array, at: number, length: number): number {
  let window = 0;
  for (let i = 0; i < length; i++) window = (window << 8) | b[at + i]!;
  return window;
}

/** How many templates begin with each text of four bytes, or have it within. */
function countWindows(all: readonly Candidate[]): Uses {
  const starts = new Map<number, number>();
  const windows = new Map<number, number>();
  const count = (map: Map<number, number>, key: number): unknown =>
    map.set(key, (map.get(key) ?? 0) + 1);
  for (const { template } of all) {
    const start = startOf(template);
    if (start !== undefined) count(starts, start);
    for (const window of new Set(windowsOf(template, 4))) count(windows, window);
  }
  return { starts, windows };
}

function startOf({ parts: [first] }: Template): number | undefined {
  return first !== undefined && 'literal' in first && first.literal.length >= 4
    ? windowAt(first.literal, 0, 4)
    : undefined;
}

/** How many of its bytes are small letters or spaces, which most messages have. */
function commonness(window: number): number {
  let common = 0;
  for (let rest = window; rest !== 0; rest >>>= 8) {
    const code = rest & 255;
    if (code === 32 || (code >= 97 && code <= 122)) common += 1;
  }
  return common;
}

function windowsOf({ parts }: Template, length: number): number[] {
  return parts.flatMap((part) => {
    if (!('literal' in part)) return [];
    const { literal } = part;
    const count = Math.max(0, literal.length - length + 1);
    return Array.from({ length: count }, (_, i) => windowAt(literal, i, length));
  });
}

function groupOf<T extends Candidate>(
  items: readonly Item<T>[],
  code: number,
  uses: Uses,
): Group<T> | null {
  const always: Item<T>[] = [];
  const byStart = new Map<number, Item<T>[]>();
  const byText = LENGTHS.map((length) => ({ length, items: new Map<number, Item<T>[]>() }));
  for (const item of items) {
    const { template } = item.one;
    const [first] = template.parts;
    if (!mayBegin(first, code)) continue;
    const window = startOf(template);
    if (window !== undefined && uses.starts.get(window)! <= MOST_ALIKE) {
      add(byStart, window, item);
      continue;
    }
    const texts = byText.find(({ length }) => windowsOf(template, length).length > 0);
    // The one that the fewest others have.
    const rank = (one: number): number => (uses.windows.get(one) ?? 0) + commonness(one);
    const [rarest] = windowsOf(template, texts?.length ?? 4).sort((x, y) => rank(x) - rank(y));
    if (texts === undefined || rarest === undefined) always.push(item);
    else add(texts.items, rarest, item);
  }
  const used = byText.filter((texts) => texts.items.size > 0);
  if (always.length === 0 && byStart.size === 0 && used.length === 0) return null;
  const pairs = new Uint8Array(PAIRS);
  for (const [n, { items: keys }] of used.entries())
    for (const window of keys.keys()) pairs[pairOf(window)]! |= 1 << n;
  return { always, byStart, byText: used, pairs };
}

function add<T>(map: Map<number, T[]>, key: number, item: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

/** Whether a message that a part begins may have this first byte. */
function mayBegin(part: Part | undefined, code: number): boolean {
  if (part === undefined) return false;
  if ('literal' in part) return part.literal[0] === code;
  const isDigit = code >= 48 && code <= 57;
  const letter = code | 32;
  switch (part.capture) {
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
