/** Writes the script that shows a case to other programs, and records that in the audit log. */
import { createHash } from 'node:crypto';
import { auditOutput } from '../output/output-file.ts';
import type { CaseSession } from '../../search/index.ts';
import { scriptText } from './open-script.ts';

interface WrittenScript {
  readonly segments: number;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export async function writeScript(
  session: CaseSession,
  version: string,
  write: (text: string) => Promise<void>,
): Promise<WrittenScript> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const part of scriptText(session, version)) {
    hash.update(part);
    bytes += Buffer.byteLength(part);
    await write(part);
  }
  return { segments: session.snapshot().segments.length, bytes, sha256: hash.digest('hex') };
}

/** Keeps in the audit log that the case was shown to other programs. */
export function auditScript(
  session: CaseSession,
  written: WrittenScript,
  path: string | undefined,
): void {
  auditOutput(session, 'sql', { ...written, ...(path === undefined ? {} : { path }) });
}
