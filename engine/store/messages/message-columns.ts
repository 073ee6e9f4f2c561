/**
 * The columns that hold messages cut into shapes and variables, and the expression that assembles a message.
 *
 * `message` holds messages that are stored whole, `message:shape` the number of the shape plus one, the others the
 * variables: numbers as bytes (number-bytes.ts), or in older segments in a list for each width; texts in a list.
 */
import { type Expression, NOTHING, call, column, element, number, text } from '../expression.ts';
import { Width } from './cut-rows.ts';
import { bytesIn, bytesOfLists, numberOf, numberStarts } from './number-bytes.ts';
import type { MessageShape } from './message-cutter.ts';

export const MESSAGE = 'message';
export const SHAPE = 'message:shape';
export const BYTES = 'message:bytes';
export const TEXTS = 'message:text';
/** Columns of older segments, without `BYTES`, by `Width`. */
const LISTS = ['message:8', 'message:16', 'message:32'] as const;
export const MESSAGE_PARTS: ReadonlySet<string> = new Set([SHAPE, BYTES, TEXTS]);

/** The layout of a table's numbers: `bytes` in one list, or a list for each width. */
export type NumberForm = 'bytes' | 'widths';

/** SQL of a row's variables as columns with their current names, for a table of either form. */
export function variableColumns(form: NumberForm): string[] {
  const [of8, of16, of32] = LISTS.map((name) => `"${name}"`);
  const bytes = `"${BYTES}"`;
  return [
    form === 'bytes' ? bytes : `${bytesOfLists(of8!, of16!, of32!)} AS ${bytes}`,
    `"${TEXTS}"`,
  ];
}

/** How the messages of a part, or of segments to merge, are cut. */
export interface CutMessages {
  readonly shapes: readonly MessageShape[];
  /** Approximate share of messages that are stored whole. */
  readonly wholeShare: number;
}

/** Shapes from the text in which a segment stores them; undefined if it is invalid. */
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

/** Shapes with the same kinds of variables, and the position of the first in the table's numbers. */
interface Alike {
  readonly first: number;
  readonly shapes: readonly MessageShape[];
}

/** Separates texts that are looked up; no constant of a shape contains it. */
const SEPARATOR = '\u0001';

/**
 * The order in which a table stores shapes: those with the same kinds of variables are adjacent, since one
 * expression then serves them all; and their new numbers, from 1.
 */
export function groupShapes(shapes: readonly MessageShape[]): {
  readonly shapes: readonly MessageShape[];
  /** By the old number. */
  readonly numbers: readonly number[];
} {
  const order = [...Map.groupBy(shapes.keys(), (i) => shapes[i]!.widths.join()).values()].flat();
  const numbers: number[] = [];
  order.forEach((before, i) => (numbers[before + 1] = i + 1));
  return { shapes: order.map((i) => shapes[i]!), numbers };
}

/** The shapes as a table's comment. */
export function shapesText(shapes: readonly MessageShape[]): string {
  return JSON.stringify(shapes);
}

/** The expression for a whole message in a table that keeps these among the texts. */
export const WHOLE_OF_TEXTS: Expression = {
  ...{ kind: 'case', when: { kind: 'isNothing', value: column(SHAPE) } },
  ...{ then: element(column(TEXTS), 1), otherwise: NOTHING },
};

/**
 * The message of a row that has one of these shapes.
 * @param shapes of the table, in the order of their numbers
 * @param numbers of the requested shapes, from 1; at least one
 */
export function messageOf(
  shapes: readonly MessageShape[],
  numbers: ReadonlySet<number>,
  form: NumberForm,
): Expression {
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

/** The message of any row. */
export function anyMessage(shapes: readonly MessageShape[], form: NumberForm): Expression {
  return {
    ...{ kind: 'case', when: { kind: 'isNothing', value: column(SHAPE) } },
    then: column(MESSAGE),
    otherwise: messageOf(shapes, new Set(shapes.keys().map((i) => i + 1)), form),
  };
}

function choose(groups: readonly Alike[], from: number, to: number, form: NumberForm): Expression {
  if (to - from === 1) return ofGroup(groups[from]!, form);
  const middle = (from + to) >>> 1;
  return {
    ...{ kind: 'case', then: choose(groups, from, middle, form) },
    when: { kind: 'less', left: column(SHAPE), right: number(groups[middle]!.first) },
    otherwise: choose(groups, middle, to, form),
  };
}

function ofGroup({ first, shapes }: Alike, form: NumberForm): Expression {
  const { widths } = shapes[0]!;
  const parts: Expression[] = [];
  const used = [0, 0, 0, 0];
  const starts = numberStarts(widths);
  for (let i = 0; i <= widths.length; i++) {
    const texts = shapes.map(({ constants }) => constants[i]!);
    if (texts.some((one) => one !== texts[0])) {
      const all = call('string_split', text(texts.join(SEPARATOR)), text(SEPARATOR));
      parts.push(element(all, call('-', column(SHAPE), number(first - 1))));
    } else if (texts[0] !== '') parts.push(text(texts[0]!));
    const width = widths[i];
    if (width === undefined) continue;
    if (width === Width.pid) {
      parts.push(column('pid'));
      continue;
    }
    const place = used[width]!++;
    if (width === Width.text) parts.push(element(column(TEXTS), place + 1));
    else if (form === 'widths') parts.push(element(column(LISTS[width]), place + 1));
    else parts.push(numberOf(column(BYTES), starts[width] + place * bytesIn(width), width));
  }
  return widths.length === 0 ? (parts[0] ?? text('')) : call('concat', ...parts);
}
