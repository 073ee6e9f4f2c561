/**
 * Files that an argument names: regular ones, pipes (`<(command)`) and standard input. A pipe is waited for, until the
 * command is cancelled; a device, which may have no end, is refused.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CancelledError, DaybookError, messageOfError } from '../engine/contract/errors.ts';
import { pipeStream } from '../importers/shared/files/pipe-stream.ts';

interface GivenFileOptions {
  /** The role of the file, as in "the list". */
  readonly role: string;
  readonly mostBytes: number;
  /** Advice if it is larger. */
  readonly advice: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All bytes of `path`; `-` is standard input.
 * @throws DaybookError unreadable, limit-exceeded, cancelled
 */
export async function readGiven(
  path: string,
  { role, mostBytes, advice, signal }: GivenFileOptions,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let stream: Readable | undefined;
  const stop = (): void => {
    stream?.destroy(new CancelledError());
  };
  signal?.addEventListener('abort', stop);
  try {
    stream = path === '-' ? process.stdin : await streamOf(path);
    if (signal?.aborted === true) throw new CancelledError();
    for await (const bytes of stream as AsyncIterable<Uint8Array>) {
      size += bytes.length;
      if (size > mostBytes)
        throw new DaybookError(
          'limit-exceeded',
          `${role} has more than ${mostBytes >> 20} MB`,
          advice,
        );
      parts.push(bytes);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof DaybookError) throw error;
    const why = messageOfError(error);
    const name = path === '-' ? '' : ` (${path})`;
    throw new DaybookError('unreadable', `${role}${name} cannot be read: ${why}`, undefined, error);
  } finally {
    signal?.removeEventListener('abort', stop);
    stream?.destroy();
  }
}

async function streamOf(path: string): Promise<Readable> {
  const info = await stat(path);
  if (info.isFile()) return createReadStream(path);
  if (info.isFIFO()) return pipeStream(path);
  throw new Error(info.isDirectory() ? 'it is a folder' : 'it is a device or a socket, not a file');
}
