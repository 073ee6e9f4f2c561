/** Collects the findings of verifying; no finding stops it. */
import { hasCode, messageOfError } from '../../contract/errors.ts';
import type { VerifyFinding, VerifyProgress } from '../../contract/verify-report.ts';

type Code = VerifyFinding['code'];

export class Findings {
  readonly all: VerifyFinding[] = [];

  /** The case is damaged. */
  damage(code: Code, subject: string, message: string, advice?: string): void {
    this.add({ about: 'case', level: 'error', code, subject, message, ...adviceOf(advice) });
  }

  /** Worth knowing about the case, but not damage. */
  ofCase(
    level: 'warning' | 'note' | 'repaired',
    code: Code,
    subject: string,
    message: string,
    advice?: string,
  ): void {
    this.add({ about: 'case', level, code, subject, message, ...adviceOf(advice) });
  }

  ofEvidence(
    level: 'error' | 'warning' | 'note',
    code: Code,
    subject: string,
    message: string,
    advice?: string,
  ): void {
    this.add({ about: 'evidence', level, code, subject, message, ...adviceOf(advice) });
  }

  private add(finding: VerifyFinding): void {
    this.all.push(finding);
  }
}

function adviceOf(advice: string | undefined): { advice?: string } {
  return advice === undefined ? {} : { advice };
}

/** The message of an error that becomes a finding. @throws the error if it is a cancellation */
export function reasonOf(error: unknown): string {
  if (hasCode(error, 'cancelled')) throw error;
  return messageOfError(error);
}

/** Counts bytes read, of all bytes to read. */
export class Progress {
  private bytes = 0;
  private totalBytes = 0;
  private phase: VerifyProgress['phase'] = 'catalog';
  private subject = '';
  private readonly report: ((progress: VerifyProgress) => void) | undefined;

  constructor(report: ((progress: VerifyProgress) => void) | undefined) {
    this.report = report;
  }

  expect(bytes: number): void {
    this.totalBytes += bytes;
  }

  at(phase: VerifyProgress['phase'], subject: string): void {
    this.phase = phase;
    this.subject = subject;
    this.tell();
  }

  readonly onBytes = (bytes: number): void => {
    this.bytes += bytes;
    this.tell();
  };

  private tell(): void {
    const { phase, subject, bytes } = this;
    this.report?.({ phase, what: subject, bytes, totalBytes: Math.max(bytes, this.totalBytes) });
  }
}
