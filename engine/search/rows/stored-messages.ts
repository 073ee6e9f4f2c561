/** A segment's message shapes in the form that queries need, made from those that the store keeps. */
import type { StoredMessages, StoredShape } from '../../query/index.ts';
import { sqlOf } from '../../store/expression.ts';
import { Width } from '../../store/messages/cut-rows.ts';
import {
  MESSAGE,
  type NumberForm,
  SHAPE,
  anyMessage,
  messageOf,
} from '../../store/messages/message-columns.ts';
import type { MessageShape } from '../../store/messages/message-cutter.ts';

/** Digits of the largest number of a width. */
const VARIABLES = {
  [Width.u8]: 3,
  [Width.u16]: 5,
  [Width.u32]: 10,
  [Width.pid]: 10,
  [Width.text]: 'token',
} as const;

/** By stored shape; results of patterns are cached by this object. */
const stored = new WeakMap<MessageShape, StoredShape>();

/** @param shapes of the segment; undefined or empty: nothing is known */
export function storedMessages(
  shapes: readonly MessageShape[] | undefined,
  form: NumberForm = 'bytes',
): StoredMessages | undefined {
  if (shapes === undefined || shapes.length === 0) return undefined;
  return {
    shapes: shapes.map(storedShape),
    number: `"${SHAPE}"`,
    whole: `"${MESSAGE}"`,
    get message() {
      return sqlOf(anyMessage(shapes, form));
    },
    messageOf: (numbers) => sqlOf(messageOf(shapes, numbers, form)),
  };
}

function storedShape(shape: MessageShape): StoredShape {
  let known = stored.get(shape);
  if (known === undefined) {
    known = {
      constants: shape.constants,
      variables: shape.widths.map((width) => VARIABLES[width]),
    };
    stored.set(shape, known);
  }
  return known;
}
