/** A proxy for an HTTP server of this machine that interrupts one of its connections, as a dying client does. */
import { once } from 'node:events';
import { createServer, request as askServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** How much of the interrupted request reaches the server: nothing, half of it, or all of it. */
export const CUTS = ['before', 'within', 'after'] as const;
export type Cut = (typeof CUTS)[number];

export interface CuttingProxy {
  readonly port: number;
  /** Requests since the last `next`. */
  readonly asked: number;
  /** From now on the request of this number is interrupted, counted from 1, and all later ones. */
  next(at: number, cut: Cut): void;
  close(): Promise<void>;
}

/** @param port of the server */
export async function cuttingProxy(port: number): Promise<CuttingProxy> {
  let [asked, at, how]: [number, number, Cut] = [0, Infinity, 'before'];
  const server = createServer((request, response) => {
    asked += 1;
    const isCut = asked >= at;
    if (isCut && (asked > at || how === 'before')) {
      request.socket.destroy();
      return;
    }
    void buffer(request).then((body) => {
      const { method, url, headers } = request;
      const { 'transfer-encoding': _, ...rest } = headers;
      const options = { method, headers: { ...rest, 'content-length': body.length } };
      const on = askServer(`http://127.0.0.1:${port}${url ?? ''}`, options, (answer) => {
        const { statusCode = 500, headers: given } = answer;
        void buffer(answer).then((bytes) => finish(response, isCut, statusCode, given, bytes));
      });
      on.on('error', () => request.socket.destroy());
      if (!isCut || how === 'after') {
        on.end(body);
        return;
      }
      on.write(body.subarray(0, body.length >> 1), () => {
        on.destroy();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    get asked() {
      return asked;
    },
    next(number, cut) {
      [asked, at, how] = [0, number, cut];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function finish(
  response: ServerResponse,
  isCut: boolean,
  status: number,
  headers: Record<string, string | string[] | undefined>,
  bytes: Buffer,
): void {
  if (isCut) {
    response.destroy();
    return;
  }
  const { 'transfer-encoding': _, ...rest } = headers;
  response.writeHead(status, { ...rest, 'content-length': bytes.length });
  response.end(bytes);
}
