/**
 * A content that is damaged, in pieces: what is whole of it, for readers that join no record across damage.
 */
import { SourceError } from './errors.ts';
import { LOST, type SourceInput } from './importer.ts';

const LF = 10;

/** All that is whole of a content, with LOST where something is missing. */
export function piecesOf(input: SourceInput): AsyncIterable<Uint8Array> {
  return input.pieces?.() ?? input.blocks();
}

/**
 * The first lines of a content whose beginning is lost, from the first whole one up to the next damage; nothing where
 * there are none.
 */
export async function* firstLines(input: SourceInput): AsyncGenerator<Uint8Array> {
  let begun = false;
  try {
    for await (const block of input.pieces?.() ?? []) {
      if (block === LOST && begun) return;
      // What comes before it is the end of a line that is lost.
      const from = begun ? 0 : block.indexOf(LF) + 1;
      if (!begun && from === 0) continue;
      begun = true;
      if (from < block.length) yield block.subarray(from);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
  }
}

/** `blocks` of a content, or its first lines where its beginning is lost: to look at what it is. */
export async function* firstBlocks(input: SourceInput): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const block of input.blocks()) {
      size += block.length;
      yield block;
    }
  } catch (error) {
    if (size > 0) throw error;
    yield* firstLines(input);
    throw error;
  }
}
