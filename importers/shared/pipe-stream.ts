import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * A named pipe, waited for as sockets are: opened in the usual way it would hold a thread until somebody writes to it,
 * and the process with that, whatever signal comes.
 * @throws Error of the system
 */
export function pipeStream(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
