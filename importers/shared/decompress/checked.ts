/**
 * Delivers decoded bytes once their checksum matches, as far as memory allows.
 *
 * A decoder's output belongs to units with a checksum each: a bzip2 or xz block, a gzip member, a zstd frame, a zip
 * member. The newest HOLD_BYTES of a unit are held back until its checksum matches. If it differs or the data
 * cannot be decoded, they are dropped, because the damage is somewhere among them; if the data merely ends too
 * early, they are delivered, because nothing speaks against them. Either way the error states up to where the
 * content was checked.
 *
 * A decoder that finds units after damage reports it. Reading ends there, unless it is asked to continue: then LOST
 * is delivered where content is missing, and the error at the end names every gap.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import {
  DaybookError,
  LimitError,
  type LostPlace,
  SourceError,
  messageOfError,
} from '../../../engine/contract/errors.ts';
import { LOST } from '../../../engine/evidence/importer.ts';
import type { ByteSource } from '../byte-source.ts';

/** A unit of up to this size is delivered whole or not at all. */
export const HOLD_BYTES = 16 * 1024 * 1024;

/** The data ends earlier than its format allows. */
export class CutOff extends Error {}

/** The data is damaged at a byte before the one that was read last. */
export class DamagedAt extends Error {
  readonly position: number;
  constructor(position: number, reason: string) {
    super(reason);
    this.position = position;
  }
}

/** A decoder's reports about its checksums. */
export interface Sums {
  /** Whether reading continues after damage: otherwise the decoder need not search for intact units. */
  readonly goesOn: boolean;
  /**
   * Everything yielded so far was decoded to the end of a unit whose checksum matched, or, if `checked` is false,
   * which has none.
   */
  unit(checked: boolean): void;
  /**
   * The data from byte `from` up to `to` is damaged: output since the last unit belongs to it, later output does
   * not. A unit that begins where damage ends and fails is part of that damage.
   * @throws DamagedAt if reading ends with damage
   */
  lost(from: number, to: number, reason: string): void;
}

/** For content with a single checksum for the whole. */
export const WHOLE_ONLY: Sums = {
  goesOn: false,
  unit: () => undefined,
  lost: (from, _, reason) => {
    throw new DamagedAt(from, reason);
  },
};

/** Places that an error names one by one. */
const MOST_NAMED = 20;
/** Places that it has as values. */
const MOST_LOST = 1000;

interface CheckedOptions {
  /** `gzip data`, `archive member`. */
  readonly content: string;
  /** Maximum number of bytes to hold back; 0 for a look at the beginning. */
  readonly holdBytes: number;
  /** Whether bytes that fail their check are delivered as well. */
  readonly unchecked: boolean;
  /** Whether to continue after damage. */
  readonly goOn?: boolean;
  /** Throws LimitError; called with the number of bytes decoded so far. */
  readonly checkLimits: (produced: number) => void;
}

/** Decoded bytes: held back until their checksum matches, delivered, or dropped. */
class HeldBack implements Sums {
  readonly goesOn: boolean;
  private readonly options: CheckedOptions;
  private readonly held: Uint8Array[] = [];
  private heldBytes = 0;
  /** Number of bytes decoded, including dropped ones. */
  private decoded = 0;
  private given = 0;
  /** Everything before this position has a checksum that matched. */
  private good = 0;
  private unbroken = true;
  /** Start of the newest unit, and number of bytes in units whose checksum matched. */
  private begun = 0;
  private sure = 0;
  private release = false;
  private leftOut = 0;
  private readonly places: LostPlace[] = [];
  /** Content is missing after the held bytes, or before them. */
  private lostAfter = false;
  private lostBefore = false;

  constructor(options: CheckedOptions) {
    this.options = options;
    this.goesOn = options.goOn === true;
  }

  unit(isChecked: boolean): void {
    this.release = true;
    this.unbroken &&= isChecked;
    const size = this.given + this.heldBytes;
    if (this.unbroken) this.good = size;
    if (isChecked) this.sure += size - this.begun;
    this.begun = size;
  }

  lost(fileOffset: number, fileEnd: number, reason: string): void {
    if (!this.goesOn) throw new DamagedAt(fileOffset, reason);
    const { places } = this;
    const before = places.at(-1);
    if (!this.release) {
      // The output of a false beginning is not content.
      if (this.options.unchecked && before?.fileEnd !== fileOffset) this.release = true;
      else {
        this.leftOut += this.heldBytes;
        this.held.length = 0;
        this.heldBytes = 0;
      }
    }
    const offset = this.given + this.heldBytes;
    this.unbroken &&= offset === this.begun;
    this.begun = offset;
    if (before?.offset === offset) places[places.length - 1] = { ...before, fileEnd };
    else places.push({ offset, fileOffset, fileEnd, reason });
    this.lostAfter = true;
  }

  /** Takes the decoder's next output; yields bytes that need not be held any longer. */
  *take(block: Uint8Array): Generator<Uint8Array> {
    if (this.release) yield* this.giveAll();
    this.release = false;
    this.lostBefore ||= this.lostAfter;
    this.lostAfter = false;
    this.decoded += block.length;
    this.options.checkLimits(this.decoded);
    this.held.push(block);
    this.heldBytes += block.length;
    while (this.heldBytes > this.options.holdBytes) {
      const oldest = this.held.shift()!;
      this.heldBytes -= oldest.length;
      yield* this.give(oldest);
    }
  }

  /** @throws DamagedAt where content is missing */
  *end(): Generator<Uint8Array> {
    yield* this.giveAll();
    const [first] = this.places;
    if (first !== undefined) throw new DamagedAt(first.fileOffset, '');
  }

  /** Yields the valid part of the rest after an error. @returns the error that states what was read */
  *breakOff(cause: unknown, source: ByteSource): Generator<Uint8Array, Error> {
    const { content, unchecked } = this.options;
    const { places } = this;
    const isLimit = cause instanceof LimitError;
    const isCut =
      cause instanceof SourceError ? cause.state === 'partial' : isCutOff(cause, source);
    if (this.release || isLimit || isCut || unchecked) yield* this.giveAll();
    const { given } = this;
    const position = cause instanceof DamagedAt ? cause.position : source.position;
    // With several layers, the outermost one is the file.
    const fileOffset =
      cause instanceof SourceError || isLimit ? (cause.place.fileOffset ?? position) : position;
    const place = { offset: given, checked: Math.min(this.good, given), fileOffset };
    if (isLimit && places.length > 0)
      return new LimitError(
        `${cause.message}; before that ${content} is damaged ${placesText(places)}`,
        ...([cause.option, { ...place, lost: places.slice(0, MOST_LOST) }] as const),
      );
    if (isLimit) return new LimitError(cause.message, cause.option, place);
    const reason = messageOfError(cause);
    const end = `${isCut ? 'cut off' : 'damaged'} at its byte ${position} (${reason})`;
    const leftOut = this.leftOut + this.heldBytes;
    const left =
      leftOut === 0
        ? ''
        : `; ${leftOut} ${nounOf(leftOut, 'byte')} that cannot be separated from the damage were left out (--unchecked reads them)`;
    if (places.length > 0)
      return damagedIn(
        content,
        { places, end: reason === '' ? '' : end, sure: Math.min(this.sure, given), left },
        place,
      );
    return new SourceError(`${content} is ${end}: ${extentOf(place)}${left}`, given, cause, {
      ...place,
      state: isCut ? 'partial' : 'damaged',
    });
  }

  private *give(block: Uint8Array): Generator<Uint8Array> {
    if (this.lostBefore) yield LOST;
    this.lostBefore = false;
    this.given += block.length;
    yield block;
  }

  private *giveAll(): Generator<Uint8Array> {
    for (const block of this.held.splice(0)) yield* this.give(block);
    this.heldBytes = 0;
  }
}

/** Blocks that `decoder` yields must stay valid while they are held back. */
export async function* checked(
  source: ByteSource,
  decoder: (sums: Sums) => AsyncIterable<Uint8Array>,
  options: CheckedOptions,
): AsyncGenerator<Uint8Array> {
  const content = new HeldBack(options);
  try {
    for await (const block of decoder(content)) yield* content.take(block);
    yield* content.end();
  } catch (error) {
    // The underlying bytes broke off: that error is more specific than its consequences here.
    const [cause = error] = source.failure;
    if (!(cause instanceof SourceError) && isOther(cause)) throw cause;
    throw yield* content.breakOff(cause, source);
  }
}

/** For a content that was read on after damage. */
function damagedIn(
  content: string,
  found: {
    readonly places: readonly LostPlace[];
    readonly end: string;
    readonly sure: number;
    readonly left: string;
  },
  { offset, checked }: { readonly offset: number; readonly checked: number },
): SourceError {
  const { places, end, sure, left } = found;
  const read = `${offset} ${nounOf(offset, 'byte')}`;
  const extent =
    sure === offset
      ? `the intact content, ${read}, was read and checked`
      : `${read} of the content were read, ${sure} of them checked`;
  const message = `${content} is damaged ${placesText(places)}${end === '' ? '' : `, and ${end}`}: ${extent}${left}`;
  return new SourceError(message, offset, undefined, {
    ...{ offset, checked, fileOffset: places[0]!.fileOffset },
    ...{ lost: places.slice(0, MOST_LOST), toEnd: end === '' },
  });
}

/** Places of damage, the first of them one by one. */
function placesText(places: readonly LostPlace[]): string {
  const named = places
    .slice(0, MOST_NAMED)
    .map((place) => `from its byte ${place.fileOffset} up to ${place.fileEnd} (${place.reason})`);
  if (places.length > MOST_NAMED) named.push(`in ${places.length - MOST_NAMED} more places`);
  return named.join(', ');
}

/** How far a broken content was read and checked. */
function extentOf({ offset, checked }: { offset: number; checked: number }): string {
  if (offset === 0) return 'nothing of the content was read';
  if (checked === offset) return `the content was read and checked up to byte ${offset}`;
  if (checked === 0) return `the content was read up to byte ${offset}, none of it checked`;
  return `the content was checked up to byte ${checked}, and read without a check up to byte ${offset}`;
}

/** Node's zlib and zstd report the end of their input by this code. */
export function isCutOff(error: unknown, source: ByteSource): boolean {
  if (error instanceof CutOff) return true;
  return source.ended && error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}

/** Errors that are not about the data: of the disk, a cancelled import. */
function isOther(error: unknown): boolean {
  return error instanceof DaybookError && !(error instanceof LimitError);
}
