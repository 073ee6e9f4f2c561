/** Where a hand-over is made: a folder of this machine, or a place in a bucket. */
import type { HandedOverFile, HandOverManifest } from '../../contract/hand-over.ts';

/** What is said of a file that was made, beside its path, size and hashes. */
export type Made = Omit<HandedOverFile, 'path' | 'bytes' | 'sha256' | 'from'>;

/** Holds always: a file is there whole or not at all; only files of a hand-over of the same case are replaced or removed. */
export interface HandOverTarget {
  /** As reports and messages name it. */
  readonly path: string;
  /** The folder of this machine in which files are made: absolute, without links. */
  readonly work: string;
  /** Files that are known to be there, by their paths. */
  readonly known: ReadonlyMap<string, HandedOverFile>;
  /** Whether a file made from the same is there, whole. */
  has(path: string, from: string): boolean;
  /** Makes a file: `make` writes it to the path that it is given and says what is in it. */
  put(
    path: string,
    from: string,
    make: (partial: string) => Promise<Made>,
  ): Promise<HandedOverFile>;
  /** Writes the manifest, removes what is not in it, and says that the hand-over is whole. */
  finish(manifest: HandOverManifest): Promise<{ sha256: string; removed: number }>;
  /** Files that are none of a hand-over's. */
  strangers(own: ReadonlySet<string>): Promise<string[]>;
  /** Another may take it. What was begun can be gone on with. */
  close(): void;
}
