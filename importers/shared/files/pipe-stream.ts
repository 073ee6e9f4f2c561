import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * A named pipe, opened without blocking: the usual way blocks a thread, and with it the process, until somebody
 * writes to it, whatever signal arrives.
 * @throws the system's error
 */
export function pipeStream(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
