/**
 * The mark of an unfinished hand-over in a bucket: an object that names the run that owns the place.
 *
 * Invariants, on a server that supports conditional writes: of two runs that start at once, one is refused; a run
 * takes over the mark of another, which may have been killed, only in the version it has read; the other one
 * notices before it writes its next file and at its end, and marks the place again if its last write may have
 * followed the end of the run that took over.
 */
import { randomUUID } from 'node:crypto';
import { HAND_OVER_FORMAT } from '../../contract/hand-over.ts';
import type { Bucket } from './bucket.ts';
import { AnotherWrites, Unsupported } from './target.ts';

export const UNFINISHED = '.hand-over.json';
/** An ETag that no object has. */
const NO_ETAG = `"${'0'.repeat(32)}"`;

interface FoundMark {
  readonly etag: string | undefined;
  /** Undefined in an object that is not ours. */
  readonly case: string | undefined;
  readonly run: string | undefined;
}

/** Undefined if there is none. */
export async function findMark(bucket: Bucket): Promise<FoundMark | undefined> {
  const found = await bucket.json(UNFINISHED);
  if (found === undefined) return undefined;
  const fields = new Map<string, unknown>(Object.entries(found.value ?? {}));
  const isOurs = fields.get('format') === HAND_OVER_FORMAT;
  const textOf = (name: string): string | undefined => {
    const value = fields.get(name);
    return isOurs && typeof value === 'string' ? value : undefined;
  };
  return { etag: found.etag, case: textOf('case'), run: textOf('run') };
}

export class BucketMark {
  /** Whether the server supports conditional writes. Otherwise runs notice each other later, or not at all. */
  readonly isConditional: boolean;
  private readonly bucket: Bucket;
  private readonly run: string;
  private readonly text: string;
  private readonly etag: string | undefined;
  /** Whether anything was written since the mark was last read. */
  private hasPut = false;

  private constructor(
    bucket: Bucket,
    run: string,
    text: string,
    { isConditional, etag }: { isConditional: boolean; etag: string | undefined },
  ) {
    this.bucket = bucket;
    this.run = run;
    this.text = text;
    this.isConditional = isConditional;
    this.etag = etag;
  }

  /**
   * Makes the mark, or takes it over.
   * @param before the one that was found
   * @throws DaybookError case-locked where another run was faster
   */
  static async take(
    bucket: Bucket,
    caseId: string,
    before: FoundMark | undefined,
  ): Promise<BucketMark> {
    const run = randomUUID();
    const text = JSON.stringify({ format: HAND_OVER_FORMAT, case: caseId, run });
    let etag: string | undefined;
    let isConditional: boolean;
    try {
      etag = (await bucket.put(UNFINISHED, text, before === undefined ? 'absent' : before)).etag;
      isConditional = etag !== undefined && (await keepsConditions(bucket, text));
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      isConditional = false;
    }
    if (!isConditional) await bucket.put(UNFINISHED, text);
    return new BucketMark(bucket, run, text, { isConditional, etag });
  }

  /** To be called after something was put. */
  wrote(): void {
    this.hasPut = true;
  }

  /** @throws DaybookError case-locked if another run has taken over */
  async check(): Promise<void> {
    if ((await findMark(this.bucket))?.run === this.run) {
      this.hasPut = false;
      return;
    }
    // It may have been written after the other run compared the place, even after its end.
    if (this.hasPut) await this.bucket.put(UNFINISHED, this.text);
    throw new AnotherWrites(this.bucket.name);
  }

  /** Marks the hand-over as complete. @throws DaybookError case-locked if another run has taken over */
  async release(): Promise<void> {
    await this.check();
    await this.bucket.remove(UNFINISHED, this.isConditional ? this.etag : undefined);
  }
}

/** Whether the server enforces conditions: some accept and ignore them. */
async function keepsConditions(bucket: Bucket, text: string): Promise<boolean> {
  for (const condition of ['absent', { etag: NO_ETAG }] as const)
    try {
      // A different text: the same one would be taken for a write whose answer was lost.
      await bucket.put(UNFINISHED, `${text}\n`, condition);
      return false;
    } catch (error) {
      if (!(error instanceof AnotherWrites)) throw error;
    }
  return true;
}
