/** The intact pieces of a damaged content, for readers that do not join records across damage. */
import { SourceError } from '../contract/errors.ts';
import { LOST, type SourceInput } from './importer.ts';

const LF = 10;
/** A longer last line is passed on in parts. */
const MAX_HELD = 1024 * 1024;

/** Everything intact of a content, with LOST where something is missing. */
export function piecesOf(input: SourceInput): AsyncIterable<Uint8Array> {
  return input.pieces?.() ?? input.blocks();
}

/**
 * The first lines of a content whose beginning is lost: from the first complete line to the next damage. Nothing if
 * there are none.
 */
export async function* firstLines(input: SourceInput): AsyncGenerator<Uint8Array> {
  let begun = false;
  try {
    for await (const block of input.pieces?.() ?? []) {
      if (block === LOST && begun) return;
      // What precedes it is the end of an incomplete line.
      const from = begun ? 0 : block.indexOf(LF) + 1;
      if (!begun && from === 0) continue;
      begun = true;
      if (from < block.length) yield block.subarray(from);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
  }
}

/** `blocks` of a content, or its first lines if its beginning is lost: enough to recognise its format. */
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

/**
 * The blocks, with the last incomplete line of each moved to the next one. Where the content breaks off, bytes
 * after its last line feed are dropped, unless it was read to its end after damage.
 * @param leftOut receives the number of dropped bytes
 */
export async function* wholeLines(
  content: AsyncIterable<Uint8Array>,
  leftOut: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array(0);
  try {
    for await (const block of content) {
      if (block === LOST) {
        if (held.length > 0) yield held;
        held = new Uint8Array(0);
        yield LOST;
        continue;
      }
      const end = block.lastIndexOf(LF) + 1;
      if (end === 0 && held.length + block.length <= MAX_HELD) {
        held = Buffer.concat([held, block]);
        continue;
      }
      if (held.length > 0) yield held;
      const cut = end === 0 ? block.length : end;
      yield block.subarray(0, cut);
      held = Uint8Array.from(block.subarray(cut));
    }
  } catch (error) {
    if (error instanceof SourceError && error.place.toEnd === true) {
      if (held.length > 0) yield held;
    } else leftOut(held.length);
    throw error;
  }
  if (held.length > 0) yield held;
}

/** The content as an import reads it: without an incomplete line at its end. */
export function inWholeLines(input: SourceInput): SourceInput {
  const { pieces } = input;
  const ignore = (): void => undefined;
  return {
    ...input,
    blocks: () => wholeLines(input.blocks(), ignore),
    ...(pieces === undefined ? {} : { pieces: () => wholeLines(pieces(), ignore) }),
  };
}
