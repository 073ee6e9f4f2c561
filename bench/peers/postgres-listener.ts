/**
 * One session of PostgreSQL that listens, spoken to in its own protocol: `psql` tells what was notified
 * only after its next command. https://www.postgresql.org/docs/15/protocol.html
 */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';

const VERSION = 196_608;
const READY = 0x5a;
const NOTIFICATION = 0x41;

export class PostgresListener {
  /** When the last notification came, milliseconds since 1970 with fractions. */
  noticed = 0;
  private readonly socket: Socket;
  private received = Buffer.alloc(0);
  private ready: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data: Buffer) => this.take(data));
  }

  /** `folder` is where the server's socket lies. */
  static async open(folder: string, channel: string): Promise<PostgresListener> {
    const socket = connect(join(folder, '.s.PGSQL.5432'));
    await once(socket, 'connect');
    const listener = new PostgresListener(socket);
    const words = Buffer.from('user\0postgres\0database\0postgres\0\0');
    const head = Buffer.alloc(8);
    head.writeInt32BE(8 + words.length, 0);
    head.writeInt32BE(VERSION, 4);
    await listener.send(Buffer.concat([head, words]));
    const query = Buffer.from(`LISTEN ${channel}\0`);
    const message = Buffer.alloc(5);
    message.write('Q');
    message.writeInt32BE(4 + query.length, 1);
    await listener.send(Buffer.concat([message, query]));
    return listener;
  }

  close(): void {
    this.socket.destroy();
  }

  private async send(bytes: Buffer): Promise<void> {
    const ready = new Promise<void>((resolve) => (this.ready = resolve));
    this.socket.write(bytes);
    await ready;
  }

  private take(data: Buffer): void {
    const now = performance.timeOrigin + performance.now();
    this.received = Buffer.concat([this.received, data]);
    while (this.received.length >= 5) {
      const length = 1 + this.received.readInt32BE(1);
      if (this.received.length < length) return;
      if (this.received[0] === READY) this.ready?.();
      if (this.received[0] === NOTIFICATION) this.noticed = now;
      this.received = this.received.subarray(length);
    }
  }
}
