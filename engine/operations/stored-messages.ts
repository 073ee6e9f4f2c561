/**
 * How segments store their messages, as it was read of them: shapes never change. Bounded. Shapes that several
 * segments have are one object, so that what is judged of one is judged once.
 */
import type { StoredMessages, StoredShape } from '../query/index.ts';
import { Width } from '../store/messages/cut-rows.ts';
import {
  MESSAGE,
  SHAPE,
  anyMessage,
  messageOf,
  readShapes,
} from '../store/messages/message-columns.ts';
import type { MessageShape } from '../store/messages/message-cutter.ts';

/** Characters of shapes that are kept. */
const MOST_KEPT = 16e6;

/** Unlike shapes that are kept apart from their segments. */
const MOST_SHAPES = 10_000;

/** Digits of the largest number of a width. */
const VARIABLES = {
  [Width.u8]: 3,
  [Width.u16]: 5,
  [Width.u32]: 10,
  [Width.pid]: 10,
  [Width.text]: 'token',
} as const;

export class MessageStores {
  /** By segment, the one used last at the end; undefined: its shapes could not be read. */
  private readonly kept = new Map<number, { of: StoredMessages | undefined; size: number }>();
  private size = 0;
  private readonly shapes = new Map<string, StoredShape>();

  has(segment: number): boolean {
    return this.kept.has(segment);
  }

  get(segment: number): StoredMessages | undefined {
    const one = this.kept.get(segment);
    if (one === undefined) return undefined;
    this.kept.delete(segment);
    this.kept.set(segment, one);
    return one.of;
  }

  /** @param note what the table of a segment says of its shapes */
  set(segment: number, note: unknown): void {
    this.size -= this.kept.get(segment)?.size ?? 0;
    this.kept.delete(segment);
    const list = readShapes(note);
    const of = list === undefined || list.length === 0 ? undefined : this.storedMessages(list);
    const size = String(note).length;
    this.kept.set(segment, { of, size });
    this.size += size;
    for (const [oldest, one] of this.kept) {
      if (this.size <= MOST_KEPT) break;
      this.kept.delete(oldest);
      this.size -= one.size;
    }
  }

  private storedMessages(list: readonly MessageShape[]): StoredMessages {
    return {
      shapes: list.map((shape) => this.shape(shape)),
      number: `"${SHAPE}"`,
      whole: `"${MESSAGE}"`,
      get message() {
        return anyMessage(list);
      },
      messageOf: (numbers) => messageOf(list, numbers),
    };
  }

  private shape({ constants, widths }: MessageShape): StoredShape {
    const key = JSON.stringify([constants, widths]);
    let shape = this.shapes.get(key);
    if (shape === undefined) {
      shape = { constants, variables: widths.map((width) => VARIABLES[width]) };
      if (this.shapes.size >= MOST_SHAPES) this.shapes.clear();
      this.shapes.set(key, shape);
    }
    return shape;
  }
}
