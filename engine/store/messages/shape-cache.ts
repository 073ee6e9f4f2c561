/**
 * The shapes of segments that were asked for last. They never change, and take as much memory as the texts
 * that they were read from; that of all together is bounded.
 */
import { readShapes } from './message-columns.ts';
import type { MessageShape } from './message-cutter.ts';

/** Characters of the texts. */
const MOST = 16e6;

export class ShapeCache {
  /** The one used last at the end. */
  private readonly kept = new Map<number, { shapes: readonly MessageShape[]; size: number }>();
  private size = 0;

  get(segment: number): readonly MessageShape[] | undefined {
    const one = this.kept.get(segment);
    if (one === undefined) return undefined;
    this.kept.delete(segment);
    this.kept.set(segment, one);
    return one.shapes;
  }

  /** Keeps what a segment's table says of its shapes; undefined when these are none. */
  set(segment: number, text: unknown): readonly MessageShape[] | undefined {
    const shapes = readShapes(text);
    if (shapes === undefined) return undefined;
    this.delete(segment);
    const size = String(text).length;
    this.kept.set(segment, { shapes, size });
    this.size += size;
    for (const oldest of this.kept.keys()) {
      if (this.size <= MOST || oldest === segment) break;
      this.delete(oldest);
    }
    return shapes;
  }

  delete(segment: number): void {
    this.size -= this.kept.get(segment)?.size ?? 0;
    this.kept.delete(segment);
  }
}
