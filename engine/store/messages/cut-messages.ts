/** Cuts the messages of some rows of a batch into shapes and variables. */
import type { EventBatch } from '../../columns/event-batch.ts';
import {
  type BatchRows,
  textBytesOf,
  textLength,
  textStartsOf,
  valuesOf,
} from '../parts/batch-rows.ts';
import { CutRows } from './cut-rows.ts';
import { type CutRowGroup, MessageCutter } from './message-cutter.ts';
import { NumberBytes } from './number-bytes.ts';

/** The rows being cut; shared by all parts of a thread. */
const cutRows = new CutRows();
const numberBytes = new NumberBytes();

/** Cuts the messages of one part. */
export class MessageParts {
  private readonly cutter = new MessageCutter(cutRows);
  private texts: Uint8Array = new Uint8Array(0);
  private starts: Uint32Array = new Uint32Array(0);
  /** Number of messages that were cut, and of those that are whole. */
  cut = 0;
  whole = 0;
  /** By row: 1 if the message was cut. */
  shaped: Uint8Array = new Uint8Array(0);

  get shapes(): MessageCutter['shapes'] {
    return this.cutter.shapes;
  }

  /** Cuts these rows' messages; the result is valid until the next rows, of whichever part. */
  take({ message, pid }: EventBatch, rows: BatchRows): CutRowGroup {
    const n = rows.to - rows.from;
    const present = valuesOf(message.present, rows);
    const texts = textBytesOf(message, rows);
    const starts = textStartsOf(message, rows);
    const pids = valuesOf(pid.values, rows);
    const whole = new Uint8Array(n);
    const shapeOf = new Uint16Array(n);
    this.shaped = new Uint8Array(n);
    this.texts = texts;
    this.starts = starts;
    this.cutter.begin(n);
    this.cut = this.cutAll(present, valuesOf(pid.present, rows), pids, whole, shapeOf);
    const { shapes } = this;
    return { shapes, shapeOf, whole, variables: cutRows, pids };
  }

  private cutAll(
    present: Uint8Array,
    hasPid: Uint8Array,
    pids: Uint32Array,
    whole: Uint8Array,
    shapeOf: Uint16Array,
  ): number {
    const { cutter, texts, starts, shaped } = this;
    let cut = 0;
    let kept = 0;
    for (let i = 0; i < present.length; i++) {
      if (present[i] === 0) continue;
      const at = starts[i]! + 4;
      const pid = hasPid[i] === 1 ? pids[i]! : -1;
      if (cutter.add(i, texts, at, at + textLength(texts, at - 4), pid)) {
        shaped[i] = 1;
        shapeOf[i] = cutter.number;
        cut += 1;
      } else {
        whole[i] = 1;
        kept += 1;
      }
    }
    this.whole = kept;
    return cut;
  }

  /** The numbers among the variables, as bytes; valid as long as the result of `take`. */
  bytes(rows: number): NumberBytes {
    numberBytes.fill(cutRows.numbers, rows);
    return numberBytes;
  }

  /** Messages that are whole, concatenated: each a 32-bit little-endian length and its bytes. */
  wholeMessages({ whole }: CutRowGroup): Uint8Array {
    const { texts, starts } = this;
    const kept = new Uint8Array(texts.length);
    let size = 0;
    for (let i = 0; i < whole.length; i++) {
      if (whole[i] === 0) continue;
      const start = starts[i]!;
      const end = start + 4 + textLength(texts, start);
      kept.set(texts.subarray(start, end), size);
      size += end - start;
    }
    return kept.subarray(0, size);
  }
}
