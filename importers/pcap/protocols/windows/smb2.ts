/** Messages of SMB 2 and 3 ([MS-SMB2]). */
import type { Stamp } from '../messages.ts';
import {
  answerOf,
  BUFFER_OVERFLOW,
  DISPOSITION,
  LINK,
  nameAt,
  partOf,
  RENAME,
  type SmbSession,
  timeText,
} from './smb-session.ts';

export const SMB2_HEADER_BYTES = 64;
const HEADER_BYTES = SMB2_HEADER_BYTES;
const MAX_COMMANDS = 128;
export const IS_RESPONSE = 1;
const IS_ASYNC = 2;
const IS_RELATED = 4;
const STATUS_PENDING = 0x103;
export const COMMAND = {
  ...{
    sessionSetup: 1,
    logoff: 2,
    treeConnect: 3,
    treeDisconnect: 4,
    create: 5,
    close: 6,
    read: 8,
    write: 9,
    ioctl: 11,
  },
  setInfo: 17,
} as const;
/** Writes to a pipe, and reads the answer. */
const PIPE_TRANSCEIVE = 0x0011c017;
const SHARES: Readonly<Record<number, string>> = { 1: 'DISK', 2: 'PIPE', 3: 'PRINT' };

/** In a compound request: the file of the previous request. */
const SAME_FILE = '\xff'.repeat(16);

interface Header {
  readonly command: number;
  readonly status: number;
  readonly flags: number;
  readonly id: string;
  readonly tree: number;
  readonly session: string;
}

export class Smb2 {
  private readonly known: SmbSession;
  /** The name for the file that the previous request in the message opens. */
  private lastOpened = '';

  constructor(known: SmbSession) {
    this.known = known;
  }

  message(isClient: boolean, all: Buffer, at: Stamp): void {
    let from = 0;
    for (let n = 0; n < MAX_COMMANDS && from + HEADER_BYTES <= all.length; n++) {
      const next = all.readUInt32LE(from + 20);
      const to = next < HEADER_BYTES ? all.length : Math.min(all.length, from + next);
      this.command(isClient, all.subarray(from, to), at);
      if (next < HEADER_BYTES) return;
      from += next;
    }
  }

  private command(isClient: boolean, all: Buffer, at: Stamp): void {
    const flags = all.readUInt32LE(16);
    const header: Header = {
      flags,
      command: all.readUInt16LE(12),
      status: all.readUInt32LE(8),
      id: all.toString('latin1', 24, 32),
      tree: (flags & IS_ASYNC) === 0 ? all.readUInt32LE(36) : 0,
      session: all.toString('latin1', 40, 48),
    };
    if ((flags & IS_RESPONSE) === 0) {
      if (isClient) this.request(header, all, at);
    } else if (!isClient && header.status !== STATUS_PENDING) this.response(header, all, at);
  }

  private request(header: Header, all: Buffer, at: Stamp): void {
    const { command, tree, session } = header;
    const body = all.subarray(HEADER_BYTES);
    const common = { at, tree, session };
    if (command === COMMAND.sessionSetup && body.length >= 16)
      this.known.logins.take(partOf(all, body.readUInt16LE(12), body.readUInt16LE(14)), at);
    else if (command === COMMAND.treeConnect && body.length >= 8) {
      const name = nameAt(all, body.readUInt16LE(4), body.readUInt16LE(6));
      this.known.wait(header.id, { ...common, operation: 'tree_connect', name });
    } else if (command === COMMAND.create && body.length >= 48) {
      const name = nameAt(all, body.readUInt16LE(44), body.readUInt16LE(46));
      const request = {
        ...common,
        operation: 'open',
        name,
        options: body.readUInt32LE(40),
      } as const;
      this.lastOpened = this.known.openFile(header.id, request);
    } else if (command === COMMAND.read && body.length >= 32) {
      const file = this.fileOf(header, body, 16);
      this.known.awaitFile(header.id, {
        operation: 'read',
        file,
        offset: Number(body.readBigUInt64LE(8)),
      });
    } else if (command === COMMAND.close && body.length >= 24) {
      this.known.awaitFile(header.id, {
        operation: 'close',
        file: this.fileOf(header, body, 8),
        offset: 0,
      });
    } else if (command === COMMAND.write && body.length >= 32) {
      const [start, size] = [body.readUInt16LE(2), body.readUInt32LE(4)];
      const offset = Number(body.readBigUInt64LE(8));
      this.known.carry(this.fileOf(header, body, 16), true, offset, all, start, size, at);
    } else if (command === COMMAND.ioctl && body.length >= 32) {
      if (body.readUInt32LE(4) !== PIPE_TRANSCEIVE) return;
      const file = this.fileOf(header, body, 8);
      this.known.awaitFile(header.id, { operation: 'transceive', file, offset: 0 });
      this.known.carryInPipe(file, true, all, body.readUInt32LE(24), body.readUInt32LE(28), at);
    } else if (command === COMMAND.setInfo && body.length >= 32 && body[2] === 1) {
      const info = partOf(all, body.readUInt16LE(8), body.readUInt32LE(4));
      const name = this.known.nameOf(this.fileOf(header, body, 16));
      if ((body[3] === RENAME || body[3] === LINK) && info.length >= 20) {
        const target = nameAt(info, 20, info.readUInt32LE(16));
        const operation = body[3] === RENAME ? 'rename' : 'link';
        this.known.wait(header.id, { ...common, operation, name, target });
      } else if (body[3] === DISPOSITION && info[0] === 1)
        this.known.wait(header.id, { ...common, operation: 'delete', name });
    }
  }

  /** Number of the open file that a request names; of one that follows another in its message, that of the other. */
  private fileOf({ flags }: Header, body: Buffer, at: number): string {
    const id = body.toString('latin1', at, at + 16);
    return (flags & IS_RELATED) !== 0 && id === SAME_FILE ? this.lastOpened : id;
  }

  private response(header: Header, all: Buffer, at: Stamp): void {
    const { known } = this;
    const { command, status, session, id } = header;
    const body = all.subarray(HEADER_BYTES);
    if (command === COMMAND.sessionSetup && body.length >= 8) {
      known.logins.take(partOf(all, body.readUInt16LE(4), body.readUInt16LE(6)), at);
      known.loggedIn(session, status);
      return;
    }
    if (status === 0 && command === COMMAND.treeDisconnect)
      known.treeDisconnected(header.tree, session);
    if (status === 0 && command === COMMAND.logoff) known.loggedOff(session);
    const asked = known.askedOf(id);
    if (asked !== undefined) {
      const { operation, file, offset } = asked;
      if (operation === 'close') known.closeFile(file);
      else if (status !== 0 && status !== BUFFER_OVERFLOW) return;
      else if (operation === 'transceive' && command === COMMAND.ioctl && body.length >= 40) {
        const [start, size] = [body.readUInt32LE(32), body.readUInt32LE(36)];
        known.carryInPipe(file, false, all, start, size, at);
      } else if (operation === 'read' && command === COMMAND.read && body.length >= 16)
        known.carry(file, false, offset, all, body[2]!, body.readUInt32LE(4), at);
      return;
    }
    const request = known.waitingOf(id);
    if (request === undefined) return;
    const answer = answerOf(status);
    const isDone = status === 0;
    if (request.operation === 'tree_connect') {
      const share = isDone && body.length >= 3 ? SHARES[body[2]!] : undefined;
      known.treeConnected(request, answer, header.tree, share);
    } else if (request.operation === 'open' && isDone && body.length >= 80)
      known.fileOpened(request, id, answer, {
        file: body.toString('latin1', 64, 80),
        action: body.readUInt32LE(4),
        size: body.readBigUInt64LE(48),
        isDirectory: (body.readUInt32LE(56) & 0x10) !== 0,
        created: timeText(body.readBigUInt64LE(8)),
        modified: timeText(body.readBigUInt64LE(24)),
      });
    else known.tell(request, answer, {});
  }
}
