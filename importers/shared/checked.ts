/**
 * Gives decoded bytes once their checksum agrees, as far as memory allows.
 *
 * What a decoder yields belongs to a unit with a checksum of its own: a bzip2 or xz block, a gzip
 * member, a zstd frame, a zip member. The newest HOLD_BYTES of a unit are held back until its sum
 * agrees. Where the sum differs or the data cannot be decoded, they are left out, because the damage is
 * somewhere among them; where the data merely ends too early, they are given, because nothing speaks
 * against them. Either way the error says up to where the content was checked.
 */
import { nounOf } from '../../engine/contract/counted.ts';
import {
  DaybookError,
  LimitError,
  SourceError,
  messageOfError,
} from '../../engine/contract/errors.ts';
import type { ByteSource } from './byte-source.ts';

/** A unit of up to this size is given whole or not at all. */
export const HOLD_BYTES = 16 * 1024 * 1024;

/** The data ends before its format says it may. */
export class CutOff extends Error {}

/** What a decoder tells of its checksums. */
export interface Sums {
  /** All that was yielded so far was decoded to the end of a unit, whose checksum agreed or, if `checked` is false, which has none. */
  unit(checked: boolean): void;
}

interface CheckedOptions {
  /** `gzip data`, `archive member`. */
  readonly what: string;
  /** Bytes to hold back at most; 0 for a look at the beginning. */
  readonly holdBytes: number;
  /** Whether bytes that fail their check are given, too. */
  readonly unchecked: boolean;
  /** Throws LimitError; called with what was decoded so far. */
  readonly checkLimits: (produced: number) => void;
}

/** Blocks that `decoder` yields must stay valid while they are held back. */
export async function* checked(
  source: ByteSource,
  decoder: (sums: Sums) => AsyncIterable<Uint8Array>,
  options: CheckedOptions,
): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let produced = 0;
  let given = 0;
  /** All before has a checksum, and it agreed. */
  let good = 0;
  let unbroken = true;
  let release = false;
  const sums: Sums = {
    unit: (isChecked) => {
      release = true;
      unbroken &&= isChecked;
      if (unbroken) good = produced;
    },
  };
  function* giveAll(): Generator<Uint8Array> {
    for (const block of held.splice(0)) {
      given += block.length;
      yield block;
    }
    heldBytes = 0;
  }
  try {
    for await (const block of decoder(sums)) {
      if (release) yield* giveAll();
      release = false;
      options.checkLimits(produced + block.length);
      produced += block.length;
      held.push(block);
      heldBytes += block.length;
      while (heldBytes > options.holdBytes) {
        const oldest = held.shift()!;
        heldBytes -= oldest.length;
        given += oldest.length;
        yield oldest;
      }
    }
    yield* giveAll();
  } catch (error) {
    // The bytes below broke off: that says more than what became of them here.
    const [cause = error] = source.failure;
    const isLimit = cause instanceof LimitError;
    const isCut =
      cause instanceof SourceError ? cause.state === 'partial' : isCutOff(cause, source);
    if (!(cause instanceof SourceError) && isOther(cause)) throw cause;
    if (release || isLimit || isCut || options.unchecked) yield* giveAll();
    // Of several layers, the outermost one is the file.
    const fileOffset =
      cause instanceof SourceError || isLimit
        ? (cause.place.fileOffset ?? source.position)
        : source.position;
    const place = { offset: given, checked: Math.min(good, given), fileOffset };
    if (isLimit) throw new LimitError(cause.message, cause.option, place);
    const reason = messageOfError(cause);
    const left =
      heldBytes === 0
        ? ''
        : `; ${heldBytes} ${nounOf(heldBytes, 'byte')} that cannot be told from the damage were left out (--unchecked reads them)`;
    throw new SourceError(
      `${options.what} is ${isCut ? 'cut off' : 'damaged'} at its byte ${source.position} (${reason}): ${extentOf(place)}${left}`,
      given,
      cause,
      { ...place, state: isCut ? 'partial' : 'damaged' },
    );
  }
}

/** How far a content that broke off was read and checked. */
function extentOf({ offset, checked }: { offset: number; checked: number }): string {
  if (offset === 0) return 'nothing of the content was read';
  if (checked === offset) return `the content was read and checked up to byte ${offset}`;
  if (checked === 0) return `the content was read up to byte ${offset}, none of it checked`;
  return `the content was checked up to byte ${checked}, and read without a check up to byte ${offset}`;
}

/** zlib and zstd of Node give the end of their input this code. */
function isCutOff(error: unknown, source: ByteSource): boolean {
  if (error instanceof CutOff) return true;
  return source.ended && error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}

/** Errors that are not about the data: of the disk, a cancelled import. */
function isOther(error: unknown): boolean {
  return error instanceof DaybookError && !(error instanceof LimitError);
}
