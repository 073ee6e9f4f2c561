/**
 * Cache of the shapes of segments, bounded by the length of the texts from which they were read, which is about
 * their size in memory. Equal shapes of several segments are one object, so that conclusions about one hold for
 * all.
 */
import { LruCache } from '../../util/lru-cache.ts';
import { readShapes } from './message-columns.ts';
import type { MessageShape } from './message-cutter.ts';

/** Limits in characters on the texts of segments, and on those of different shapes. */
const MOST = 16e6;

export class ShapeCache {
  /** By segment. */
  private readonly kept = new LruCache<number, readonly MessageShape[]>(MOST);
  /** By their text. */
  private readonly unlike = new Map<string, MessageShape>();
  private unlikeSize = 0;

  get(segment: number): readonly MessageShape[] | undefined {
    return this.kept.get(segment);
  }

  /** Stores the shapes of a segment's table; undefined if they are invalid. */
  set(segment: number, text: unknown): readonly MessageShape[] | undefined {
    const shapes = readShapes(text)?.map((shape) => this.sharedShape(shape));
    if (shapes === undefined) return undefined;
    this.kept.set(segment, shapes, String(text).length);
    return shapes;
  }

  delete(segment: number): void {
    this.kept.delete(segment);
  }

  private sharedShape(shape: MessageShape): MessageShape {
    const key = JSON.stringify([shape.constants, shape.widths]);
    const known = this.unlike.get(key);
    if (known !== undefined) return known;
    this.unlikeSize += key.length;
    if (this.unlikeSize > MOST) {
      this.unlike.clear();
      this.unlikeSize = key.length;
    }
    this.unlike.set(key, shape);
    return shape;
  }
}
