/**
 * Errors that people see. Each has a code for scripts, a message that says what happened, and a
 * hint that says what to do next.
 */
export const ERROR_CODES = [
  'usage',
  'query-syntax',
  'unknown-field',
  'not-a-case',
  'case-too-new',
  'case-damaged',
  'case-locked',
  'not-found',
  'list-not-kept',
  'unreadable',
  'unknown-format',
  'source-damaged',
  'limit-exceeded',
  'disk-full',
  'cancelled',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

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

/** A source's content cannot be read on from `offset`; what came before is good. */
export class SourceError extends DaybookError {
  readonly offset: number;
  constructor(message: string, offset: number, cause?: unknown) {
    super('source-damaged', message, undefined, cause);
    this.name = 'SourceError';
    this.offset = offset;
  }
}

export class CancelledError extends DaybookError {
  constructor() {
    super('cancelled', 'cancelled');
    this.name = 'CancelledError';
  }
}
