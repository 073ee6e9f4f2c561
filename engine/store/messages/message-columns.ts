/**
 * The columns that hold messages cut into shapes and variables, and the expression that puts a message together.
 *
 * `message` holds messages that are stored whole, `message:shape` the number of the shape plus one, the others the variables:
 * numbers as bytes (number-bytes.ts), or in segments from before in a list for each width; texts in a list.
 */
import { type Expression, NOTHING, call, column, element, number, text } from '../expression.ts';
import { Width } from './cut-rows.ts';
import { bytesIn, bytesOfLists, numberOf, numberStarts } from './number-bytes.ts';
import type { MessageShape } from './message-cutter.ts';

export const MESSAGE = 'message';
export const SHAPE = 'message:shape';
export const BYTES = 'message:bytes';
export const TEXTS = 'message:text';
/** Of segments from before `BYTES`, by `Width`. */
const LISTS = ['message:8', 'message:16', 'message:32'] as const;
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
 * them all; and what the number of each becomes. Numbers begin with 1.
 */
export function groupShapes(shapes: readonly MessageShape[]): {
  readonly shapes: readonly MessageShape[];
  /** By the number of before. */
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

/** A message that is not cut, out of a table that keeps it among the texts. */
export const WHOLE_OF_TEXTS: Expression = {
  ...{ kind: 'case', when: { kind: 'isNothing', value: column(SHAPE) } },
  ...{ then: element(column(TEXTS), 1), otherwise: NOTHING },
};

/**
 * The message of a row of a table that has one of these shapes.
 * @param shapes of the table, in the order of their numbers there
 * @param numbers of those that are meant, from 1; at least one
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

/** Any row's message. */
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
