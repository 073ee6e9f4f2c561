/**
 * Errors that people see. Each has a code for scripts, a message that says what happened, and a
 * hint that says what to do next.
 */
export type ErrorCode =
  | 'usage'
  | 'query-syntax'
  | 'unknown-field'
  | 'unknown-name'
  | 'not-a-case'
  | 'case-too-new'
  | 'case-damaged'
  | 'case-locked'
  | 'not-found'
  | 'list-not-kept'
  | 'unreadable'
  | 'unknown-format'
  | 'source-damaged'
  | 'limit-exceeded'
  | 'disk-full'
  | 'cancelled'
  | 'internal';

export class DaybookError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  constructor(code: ErrorCode, message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DaybookError';
    this.code = code;
    this.hint = hint;
  }
}

/** Damage after which reading went on. */
export interface LostPlace {
  /** Content bytes delivered before it. */
  readonly offset: number;
  /** The damaged bytes of the stored file. */
  readonly fileOffset: number;
  readonly fileEnd: number;
  readonly reason: string;
}

/** Where reading stopped before the end of the content, or what the content lacks. */
interface BreakPlace {
  /** Content bytes delivered. */
  readonly offset: number;
  /** Content bytes whose checksums matched; undefined for a content without checksums. */
  readonly checked?: number | undefined;
  /** The position in the stored file, if it differs. */
  readonly fileOffset?: number | undefined;
  /** Gaps after which reading went on; the first thousand. */
  readonly lost?: readonly LostPlace[];
  /** Whether the content was read to its end after the last of these gaps. */
  readonly toEnd?: boolean;
}

/** `partial`: the content is truncated. `damaged`: a checksum differs, or the data cannot be decoded. */
export type BreakState = 'partial' | 'damaged';

/** A source's content cannot be read beyond `offset`. */
export class SourceError extends DaybookError {
  readonly offset: number;
  readonly state: BreakState;
  readonly place: BreakPlace;
  constructor(
    message: string,
    offset: number,
    cause?: unknown,
    { state = 'damaged', ...place }: { state?: BreakState } & Partial<BreakPlace> = {},
  ) {
    super('source-damaged', message, undefined, cause);
    this.name = 'SourceError';
    this.offset = offset;
    this.state = state;
    this.place = { ...place, offset };
  }
}

/** One of Daybook's limits stopped the reading; the error names the option that raises it. */
export class LimitError extends DaybookError {
  readonly option: string;
  readonly place: BreakPlace;
  constructor(message: string, option: string, place: BreakPlace = { offset: 0 }) {
    super(
      'limit-exceeded',
      message,
      `if you trust the file, import it again with a higher ${option}`,
    );
    this.name = 'LimitError';
    this.option = option;
    this.place = place;
  }
}

export class CancelledError extends DaybookError {
  constructor() {
    super('cancelled', 'cancelled');
    this.name = 'CancelledError';
  }
}

/** Whether an error is one of Daybook's and has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is DaybookError {
  return error instanceof DaybookError && codes.includes(error.code);
}

/** The message of anything that was thrown. */
export function messageOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
