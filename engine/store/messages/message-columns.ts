/**
 * The columns that hold messages cut into shapes and variables, and the SQL that puts a message together.
 *
 * `message` holds what is kept whole, `message:shape` the number of the shape plus one, the others the variables:
 * numbers as bytes (number-bytes.ts), or in segments from before in a list for each width; texts in a list.
 */
import { Width } from './cut-rows.ts';
import { bytesIn, bytesOfLists, numberSql, numberStarts } from './number-bytes.ts';
import type { MessageShape } from './message-cutter.ts';

export const MESSAGE = 'message';
export const SHAPE = 'message:shape';
export const BYTES = 'message:bytes';
export const TEXTS = 'message:text';
/** Of segments from before `BYTES`, by `Width`. */
const LISTS = ['message:8', 'message:16', 'message:32'] as const;
/** Columns of numbers, in either form. */
export const NUMBERS: readonly string[] = [BYTES, ...LISTS];
export const MESSAGE_PARTS: ReadonlySet<string> = new Set([SHAPE, BYTES, TEXTS]);

/** How a table's numbers lie: `bytes` of one list, or a list for each width. */
export type NumberForm = 'bytes' | 'widths';

/** SQL of a row's variables as columns of today's names, in a table of either form. */
export function variableColumns(form: NumberForm): string[] {
  const [of8, of16, of32] = LISTS.map((name) => `"${name}"`);
  const bytes = `"${BYTES}"`;
  return [
    form === 'bytes' ? bytes : `${bytesOfLists(of8!, of16!, of32!)} AS ${bytes}`,
    `"${TEXTS}"`,
  ];
}

/** The messages of a part or of segments that are merged. */
export interface CutMessages {
  readonly shapes: readonly MessageShape[];
  /** Of the messages, about how many are kept whole. */
  readonly wholeShare: number;
}

/** The shapes of a table, in the order of their numbers there, and what its column of them is made from. */
export interface StoredShapes {
  readonly shapes: readonly MessageShape[];
  /** SQL of the number in the table, where "message:shape" is that in the part. */
  readonly number: string;
  /** SQL of a row's message. */
  readonly message: string;
}

/** Shapes out of the text that a segment keeps them in; undefined when it is not one. */
export function readShapes(text: unknown): MessageShape[] | undefined {
  try {
    const list: unknown = JSON.parse(String(text));
    return Array.isArray(list) && list.every(isShape) ? list : undefined;
  } catch {
    return undefined;
  }
}

const WIDTHS: ReadonlySet<unknown> = new Set(Object.values(Width));

function isShape(value: unknown): value is MessageShape {
  if (typeof value !== 'object' || value === null) return false;
  if (!('constants' in value && 'widths' in value)) return false;
  const { constants, widths } = value;
  return (
    Array.isArray(constants) &&
    Array.isArray(widths) &&
    constants.length === widths.length + 1 &&
    constants.every((text) => typeof text === 'string') &&
    widths.every((width) => WIDTHS.has(width))
  );
}

/** Shapes whose variables are alike, and the place of the first in the table's numbers. */
interface Alike {
  readonly first: number;
  readonly shapes: readonly MessageShape[];
}

/** Between texts that are looked up; no constant of a shape has it. */
const SEPARATOR = '\u0001';

/**
 * How a table stores shapes: those with alike variables beside each other, since one expression then serves
 * them all. What a part calls shape `n` is `numbers[n]` in the table, both from 1.
 */
export function storedShapes(shapes: readonly MessageShape[]): StoredShapes {
  const groups = new Map<string, number[]>();
  shapes.forEach(({ widths }, i) => {
    const key = widths.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [i]);
    else group.push(i);
  });
  const numbers: number[] = [];
  const alike: Alike[] = [];
  let next = 1;
  for (const group of groups.values()) {
    alike.push({ first: next, shapes: group.map((i) => shapes[i]!) });
    for (const i of group) numbers[i] = next++;
  }
  const message = `CASE WHEN "${SHAPE}" IS NULL THEN "${MESSAGE}" ELSE ${choose(alike, 0, alike.length, 'bytes')} END`;
  const number = `[${numbers.join(', ')}]["${SHAPE}"]::USMALLINT`;
  return { shapes: alike.flatMap((group) => group.shapes), number, message };
}

/**
 * SQL of the message of a row of a table that has one of these shapes.
 * @param shapes of the table, in the order of their numbers there
 * @param numbers of those that are meant, from 1; at least one
 */
export function messageOf(
  shapes: readonly MessageShape[],
  numbers: ReadonlySet<number>,
  form: NumberForm,
): string {
  const groups: { first: number; shapes: MessageShape[]; wanted: boolean; key: string }[] = [];
  shapes.forEach((shape, i) => {
    const key = shape.widths.join();
    const last = groups.at(-1);
    const wanted = numbers.has(i + 1);
    if (last?.key === key) {
      last.shapes.push(shape);
      last.wanted ||= wanted;
    } else groups.push({ first: i + 1, shapes: [shape], wanted, key });
  });
  const wanted = groups.filter((group) => group.wanted);
  return choose(wanted, 0, wanted.length, form);
}

/** SQL of any row's message. */
export function anyMessage(shapes: readonly MessageShape[], form: NumberForm): string {
  const own = messageOf(shapes, new Set(shapes.keys().map((i) => i + 1)), form);
  return `CASE WHEN "${SHAPE}" IS NULL THEN "${MESSAGE}" ELSE ${own} END`;
}

function choose(groups: readonly Alike[], from: number, to: number, form: NumberForm): string {
  if (to - from === 1) return groupSql(groups[from]!, form);
  const middle = (from + to) >>> 1;
  return `CASE WHEN "${SHAPE}" < ${groups[middle]!.first} THEN ${choose(groups, from, middle, form)} ELSE ${choose(groups, middle, to, form)} END`;
}

function groupSql({ first, shapes }: Alike, form: NumberForm): string {
  const { widths } = shapes[0]!;
  const parts: string[] = [];
  const used = [0, 0, 0, 0];
  const starts = numberStarts(widths);
  for (let i = 0; i <= widths.length; i++) {
    const texts = shapes.map(({ constants }) => constants[i]!);
    if (texts.some((text) => text !== texts[0])) {
      parts.push(
        `string_split(${quoted(texts.join(SEPARATOR))}, ${quoted(SEPARATOR)})["${SHAPE}" - ${first - 1}]`,
      );
    } else if (texts[0] !== '') parts.push(quoted(texts[0]!));
    const width = widths[i];
    if (width === undefined) continue;
    if (width === Width.pid) {
      parts.push('"pid"');
      continue;
    }
    const place = used[width]!++;
    if (width === Width.text) parts.push(`"${TEXTS}"[${place + 1}]`);
    else if (form === 'widths') parts.push(`"${LISTS[width]}"[${place + 1}]`);
    else parts.push(numberSql(`"${BYTES}"`, starts[width] + place * bytesIn(width), width));
  }
  return widths.length === 0 ? parts[0]! : `concat(${parts.join(', ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
