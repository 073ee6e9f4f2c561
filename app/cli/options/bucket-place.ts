/** A place in a bucket as an argument of commands, and the confirmation before anything is sent there. */
import { createInterface } from 'node:readline/promises';
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { Bucket } from '../../../engine/operations/hand-over/bucket.ts';
import { visible, type Streams } from '../output.ts';

/** @throws DaybookError usage */
export async function bucketOf(address: string, signal: AbortSignal): Promise<Bucket> {
  // Most commands need no client.
  const bucket = await import('../../../engine/operations/hand-over/bucket.ts');
  return new bucket.Bucket(address, signal);
}

/**
 * Says where something will be sent, and asks for confirmation.
 * @throws DaybookError usage if nobody can answer; cancelled
 */
export async function askToSend(subject: string, bucket: Bucket, { err }: Streams): Promise<void> {
  const where = `${visible(bucket.name)} at ${visible(await bucket.endpoint())}`;
  if (process.stdin.isTTY !== true)
    throw new DaybookError(
      'usage',
      `sending ${subject} to ${where} needs confirmation, and there is no terminal to ask on`,
      'confirm with --yes',
    );
  const reader = createInterface({ input: process.stdin, output: err });
  try {
    const answer = await reader.question(`Send ${subject} to ${where}? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new DaybookError('cancelled', 'nothing was sent');
  } finally {
    reader.close();
  }
}
