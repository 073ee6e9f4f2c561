/**
 * Files of segments whose maps are known, open while they are read often. One that is open can be read on although
 * the case has another in its place, as an attached one can.
 */
import { Scratch, Unreadable } from './pages.ts';
import { unpackMap } from './segment-map.ts';
import { SegmentReader } from './segment-reader.ts';

const MOST_OPEN = 256;

export class SegmentFiles {
  /** The one used last at the end. */
  private readonly open = new Map<number, SegmentReader>();
  private readonly scratch = new Scratch();

  /**
   * @param map the map as the catalog has it
   * @throws Unreadable where there is none; what opening a file throws
   */
  of(segment: number, path: string, map: () => Uint8Array | undefined): SegmentReader {
    let reader = this.open.get(segment);
    if (reader === undefined) {
      const bytes = map();
      const known = bytes && unpackMap(bytes);
      if (known === undefined) throw new Unreadable('map');
      reader = new SegmentReader(path, known, this.scratch);
    } else this.open.delete(segment);
    this.open.set(segment, reader);
    for (const oldest of this.open.keys()) {
      if (this.open.size <= MOST_OPEN) break;
      this.close(oldest);
    }
    return reader;
  }

  /** Closes those of all other segments. */
  keepOnly(isWanted: (segment: number) => boolean): void {
    for (const segment of this.open.keys()) if (!isWanted(segment)) this.close(segment);
  }

  private close(segment: number): void {
    this.open.get(segment)?.close();
    this.open.delete(segment);
  }
}
