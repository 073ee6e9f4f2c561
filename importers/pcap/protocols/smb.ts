/**
 * SMB 2 and 3 ([MS-SMB2]) over TCP, as far as it is not encrypted: shares that are connected, files that are opened,
 * read, written, renamed and deleted, calls of DCE/RPC in pipes, and logins with NTLM. Of SMB 1 only logins are read.
 *
 * Invariants: of a message the first bytes up to a bound are held, data that is read or written as `smb-files.ts` says;
 * requests that wait for answers, files, pipes, shares and sessions are bounded.
 */
import { u24 } from '../bytes.ts';
import { beginsRpc, DceRpcStream } from './dce-rpc.ts';
import { HeldBytes } from './held-bytes.ts';
import type { Endpoints, MessageSink, Stamp, StreamParser, StreamProtocol } from './messages.ts';
import { NtlmExchange } from './ntlm.ts';
import { type FileNames, SmbFiles } from './smb-files.ts';

const FRAME_BYTES = 4;
const HEADER_BYTES = 64;
/** Header and fields of a message that reads or writes. */
const DATA_HEADER_BYTES = 112;
const MAX_MESSAGE_BYTES = 65_536;
const MAX_NAME_BYTES = 2048;
const MAX_COMMANDS = 128;
const MAX_WAITING = 1024;
const MAX_KEPT = 4096;
const MAX_PIPES = 64;
const [SMB1, SMB2] = [0xff534d42, 0xfe534d42];
const IS_RESPONSE = 1;
const IS_ASYNC = 2;
const IS_RELATED = 4;
const STATUS_PENDING = 0x103;
/** More is to be read of a message in a pipe. */
const BUFFER_OVERFLOW = 0x80000005;
const MORE_PROCESSING = 0xc0000016;
const SMB1_SESSION_SETUP = 0x73;
const SMB1_IS_REPLY = 0x80;
const COMMAND = {
  ...{ sessionSetup: 1, treeConnect: 3, create: 5, close: 6, read: 8, write: 9, ioctl: 11 },
  setInfo: 17,
} as const;
/** Writes to a pipe, and reads the answer. */
const PIPE_TRANSCEIVE = 0x0011c017;
const [RENAME, DISPOSITION] = [10, 13];

const STATUSES: Readonly<Record<number, string>> = {
  ...{ 0: 'SUCCESS', 0xc0000022: 'ACCESS_DENIED', 0xc0000034: 'OBJECT_NAME_NOT_FOUND' },
  ...{ 0xc000003a: 'OBJECT_PATH_NOT_FOUND', 0xc0000035: 'OBJECT_NAME_COLLISION' },
  ...{
    0xc0000043: 'SHARING_VIOLATION',
    0xc000006d: 'LOGON_FAILURE',
    0xc00000cc: 'BAD_NETWORK_NAME',
  },
  ...{
    0xc000000f: 'NO_SUCH_FILE',
    0xc00000ba: 'FILE_IS_A_DIRECTORY',
    0xc0000103: 'NOT_A_DIRECTORY',
  },
  ...{
    0xc0000056: 'DELETE_PENDING',
    0xc0000072: 'ACCOUNT_DISABLED',
    0xc0000234: 'ACCOUNT_LOCKED_OUT',
  },
  ...{ 0xc0000225: 'NOT_FOUND', 0xc000000d: 'INVALID_PARAMETER', 0xc0000064: 'NO_SUCH_USER' },
};
const OPENED = 1;
const ACTIONS = ['SUPERSEDED', 'OPENED', 'CREATED', 'OVERWRITTEN'] as const;
const SHARES: Readonly<Record<number, string>> = { 1: 'DISK', 2: 'PIPE', 3: 'PRINT' };

/** In a message of several requests the file of the one before. */
const SAME_FILE = '\xff'.repeat(16);

/** A request that waits for its answer. */
interface Waiting {
  readonly what: 'tree_connect' | 'open' | 'rename' | 'delete';
  readonly at: Stamp;
  readonly name: string;
  readonly tree: number;
  readonly session: string;
  /** Of a rename. */
  readonly target?: string;
  readonly options?: number;
}

/** A request to read or close, or to write and read a pipe, that waits for its answer. */
interface FileRequest {
  readonly what: 'read' | 'close' | 'transceive';
  readonly file: string;
  readonly offset: number;
}

/** An open file. */
interface OpenFile extends FileNames {
  readonly name: string;
  /** What is written to a pipe is no file. */
  readonly isPipe: boolean;
}

const UNKNOWN_FILE: OpenFile = {
  ...{
    name: '',
    path: '',
    size: undefined,
    isOld: false,
    columns: {},
    isPipe: false,
    mayBePipe: true,
  },
};

/** Data of a message that come beyond what is held of it. */
interface Data {
  readonly file: string;
  /** Of a pipe. */
  readonly rpc: DceRpcStream | undefined;
  readonly names: FileNames;
  /** Place in the file of the byte that comes next. */
  offset: number;
  /** Bytes before it that are none of the file's. */
  ahead: number;
  left: number;
}

interface Header {
  readonly start: number;
  readonly end: number;
  readonly command: number;
  readonly status: number;
  readonly flags: number;
  readonly id: string;
  readonly tree: number;
  readonly session: string;
}

/** One direction: frames of NetBIOS' session service, one after another. */
class Side {
  readonly held = new HeldBytes();
  /** Bytes of the message that are left to skip. */
  skip = 0;
  /** What of them is of a file. */
  data: Data | undefined;
  /** Bytes are missing: nothing tells where the next message begins. */
  isLost = false;
}

/** A map that forgets what was set first. */
class Recent<T> {
  private readonly map = new Map<string, T>();
  get(key: string): T | undefined {
    return this.map.get(key);
  }
  set(key: string, value: T): void {
    this.map.set(key, value);
    if (this.map.size <= MAX_KEPT) return;
    for (const first of this.map.keys()) {
      this.map.delete(first);
      return;
    }
  }
  get size(): number {
    return this.map.size;
  }
}

class SmbStream implements StreamParser {
  readonly service = 'smb';
  readonly isDone = false;
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly sides = [new Side(), new Side()] as const;
  private readonly waiting = new Map<string, Waiting>();
  /** Names by the number of an open file, of a share, and of a session. */
  private readonly files = new Recent<OpenFile>();
  private readonly pipes = new Recent<true>();
  /** What is said in pipes, by the number of the open file. */
  private readonly rpc = new Map<string, DceRpcStream>();
  /** Of requests that name the file that one before them in the same message opens: its number, by theirs. */
  private readonly opened = new Recent<string>();
  private readonly fileRequests = new Map<string, FileRequest>();
  /** Number of the last request that opens a file. */
  private lastOpen = '';
  private readonly carried: SmbFiles;
  /** Data of the message that was read last, as far as they are beyond what was held of it. */
  private rest: Data | undefined;
  private readonly trees = new Recent<string>();
  private readonly users = new Recent<{ user: string; domain: string }>();
  private readonly ntlm = new NtlmExchange('smb');

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
    this.carried = new SmbFiles(ends, sink);
  }

  get heldBytes(): number {
    const { waiting, files, trees, users, opened, fileRequests, sides, carried } = this;
    const kept = waiting.size + files.size + trees.size + users.size;
    const small = opened.size + fileRequests.size;
    const held = sides[0].held.capacity + sides[1].held.capacity + carried.heldBytes;
    let inPipes = 0;
    for (const { heldBytes } of this.rpc.values()) inPipes += heldBytes;
    return held + inPipes + 512 * kept + 128 * small;
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.sides[isClient ? 0 : 1];
    let from = start;
    if (side.isLost) {
      if (frameAt(bytes, start, end) !== true) return;
      side.isLost = false;
    }
    while (from < end) {
      if (side.skip > 0) {
        const skipped = Math.min(side.skip, end - from);
        side.skip -= skipped;
        if (side.data !== undefined)
          this.carryOn(side.data, isClient, bytes.subarray(from, from + skipped), at);
        if (side.skip === 0) side.data = undefined;
        from += skipped;
        continue;
      }
      const before = side.held.length;
      if (before === 0 && end - from >= FRAME_BYTES) {
        const size = u24(bytes, from + 1);
        const isWhole = end - from >= FRAME_BYTES + size;
        if (isWhole) {
          this.message(isClient, bytes, from + FRAME_BYTES, from + FRAME_BYTES + size, at);
          from += FRAME_BYTES + size;
          continue;
        }
      }
      from = this.hold(side, isClient, bytes, from, end, at);
    }
  }

  /** Takes bytes of a message that is not whole. @returns where what follows begins */
  private hold(
    side: Side,
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): number {
    const { held } = side;
    const before = held.length;
    const known = before >= FRAME_BYTES ? u24(held.bytes, 1) : MAX_MESSAGE_BYTES;
    const wanted = before < FRAME_BYTES ? FRAME_BYTES : FRAME_BYTES + this.wantedOf(held, known);
    const taken = Math.min(wanted - before, end - start);
    held.append(bytes.subarray(start, start + taken));
    if (held.length < FRAME_BYTES) return start + taken;
    const all = held.bytes;
    const size = u24(all, 1);
    const least = FRAME_BYTES + this.wantedOf(held, size);
    if (held.length >= least) {
      this.message(isClient, all, FRAME_BYTES, least, at);
      side.skip = FRAME_BYTES + size - least;
      side.data = side.skip > 0 ? this.rest : undefined;
      held.clear();
    }
    return start + taken;
  }

  /** Goes on with data of a message that was not held. */
  private carryOn(data: Data, isFromClient: boolean, bytes: Uint8Array, at: Stamp): void {
    const before = Math.min(data.ahead, bytes.length);
    const size = Math.min(bytes.length - before, data.left);
    data.ahead -= before;
    data.left -= size;
    if (size > 0) {
      const part = bytes.subarray(before, before + size);
      const extent = data.offset + size + data.left;
      if (data.rpc !== undefined) data.rpc.data(isFromClient, part, 0, part.length, at);
      else this.carried.add(data.file, isFromClient, data.names, data.offset, part, extent, at);
    }
    data.offset += size;
  }

  /** Bytes of a message that are held: of data that is read or written none. */
  private wantedOf(held: HeldBytes, size: number): number {
    const { bytes } = held;
    if (bytes.length < FRAME_BYTES + HEADER_BYTES) return Math.min(size, HEADER_BYTES);
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + FRAME_BYTES, HEADER_BYTES);
    const command = view.readUInt16LE(12);
    const isAlone = view.readUInt32LE(20) === 0;
    const isData = command === COMMAND.read || command === COMMAND.write;
    return view.readUInt32BE(0) === SMB2 && isAlone && isData
      ? Math.min(size, DATA_HEADER_BYTES)
      : Math.min(size, MAX_MESSAGE_BYTES);
  }

  private message(
    isClient: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
    at: Stamp,
  ): void {
    const all = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    if (all.length < 5) return;
    const signature = all.readUInt32BE(0);
    this.rest = undefined;
    if (signature === SMB1) this.smb1(all, at);
    if (signature !== SMB2) return;
    let from = 0;
    for (let n = 0; n < MAX_COMMANDS && from + HEADER_BYTES <= all.length; n++) {
      const next = all.readUInt32LE(from + 20);
      const to = next < HEADER_BYTES ? all.length : Math.min(all.length, from + next);
      this.command(isClient, all.subarray(from, to), at);
      if (next < HEADER_BYTES) return;
      from += next;
    }
  }

  private smb1(all: Buffer, at: Stamp): void {
    if (all[4] !== SMB1_SESSION_SETUP || all.length < 32) return;
    this.ntlm.take(all, at);
    const isReply = (all[9]! & SMB1_IS_REPLY) !== 0;
    if (!isReply || this.ntlm.account === undefined) return;
    const status = all.readUInt32LE(5);
    if (status !== MORE_PROCESSING) this.ntlm.result(this.ends, this.sink, status === 0);
  }

  private command(isClient: boolean, all: Buffer, at: Stamp): void {
    const flags = all.readUInt32LE(16);
    const header: Header = {
      ...{ start: HEADER_BYTES, end: all.length, flags },
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
      this.ntlm.take(partOf(all, body.readUInt16LE(12), body.readUInt16LE(14)), at);
    else if (command === COMMAND.treeConnect && body.length >= 8) {
      const name = nameAt(all, body.readUInt16LE(4), body.readUInt16LE(6));
      this.wait(header, { ...common, what: 'tree_connect', name });
    } else if (command === COMMAND.create && body.length >= 48) {
      const name = nameAt(all, body.readUInt16LE(44), body.readUInt16LE(46));
      this.lastOpen = header.id;
      this.wait(header, { ...common, what: 'open', name, options: body.readUInt32LE(40) });
    } else if (command === COMMAND.read && body.length >= 32) {
      const file = this.fileOf(header, body, 16);
      this.awaitFile(header, { what: 'read', file, offset: Number(body.readBigUInt64LE(8)) });
    } else if (command === COMMAND.close && body.length >= 24) {
      this.awaitFile(header, { what: 'close', file: this.fileOf(header, body, 8), offset: 0 });
    } else if (command === COMMAND.write && body.length >= 32) {
      const [start, size] = [body.readUInt16LE(2), body.readUInt32LE(4)];
      const offset = Number(body.readBigUInt64LE(8));
      this.carry(this.fileOf(header, body, 16), true, offset, all, start, size, at);
    } else if (command === COMMAND.ioctl && body.length >= 32) {
      if (body.readUInt32LE(4) !== PIPE_TRANSCEIVE) return;
      const file = this.fileOf(header, body, 8);
      this.awaitFile(header, { what: 'transceive', file, offset: 0 });
      this.carryInPipe(file, true, all, body.readUInt32LE(24), body.readUInt32LE(28), at);
    } else if (command === COMMAND.setInfo && body.length >= 32 && body[2] === 1) {
      const info = partOf(all, body.readUInt16LE(8), body.readUInt32LE(4));
      const name = this.files.get(this.fileOf(header, body, 16))?.name ?? '';
      if (body[3] === RENAME && info.length >= 20) {
        const target = nameAt(info, 20, info.readUInt32LE(16));
        this.wait(header, { ...common, what: 'rename', name, target });
      } else if (body[3] === DISPOSITION && info[0] === 1)
        this.wait(header, { ...common, what: 'delete', name });
    }
  }

  /** Number of the open file that a request names; of one that follows another in its message, that of the other. */
  private fileOf({ flags }: Header, body: Buffer, at: number): string {
    const id = body.toString('latin1', at, at + 16);
    return (flags & IS_RELATED) !== 0 && id === SAME_FILE ? `opened by ${this.lastOpen}` : id;
  }

  private awaitFile({ id }: Header, request: FileRequest): void {
    const { fileRequests } = this;
    if (fileRequests.size >= MAX_WAITING) fileRequests.delete(fileRequests.keys().next().value!);
    fileRequests.set(id, request);
  }

  /** Bytes of a file in a message. */
  private carry(
    named: string,
    isFromClient: boolean,
    offset: number,
    all: Buffer,
    start: number,
    size: number,
    at: Stamp,
  ): void {
    const file = this.opened.get(named) ?? named;
    const names = this.files.get(file) ?? UNKNOWN_FILE;
    const isSaidInPipe = names.mayBePipe && beginsRpc(all.subarray(start, start + size));
    if (names.isPipe || this.rpc.has(file) || isSaidInPipe) {
      this.carryInPipe(named, isFromClient, all, start, size, at);
      return;
    }
    if (start < HEADER_BYTES || !Number.isSafeInteger(offset + size)) return;
    if (isFromClient && names !== UNKNOWN_FILE)
      names.size = Math.max(names.size ?? 0, offset + size);
    const data = { file, names, rpc: undefined, offset, ahead: start, left: size };
    this.carryOn(data, isFromClient, all, at);
    this.rest = data;
  }

  /** Bytes of a pipe in a message. */
  private carryInPipe(
    named: string,
    isFromClient: boolean,
    all: Buffer,
    start: number,
    size: number,
    at: Stamp,
  ): void {
    if (start < HEADER_BYTES || size === 0) return;
    const file = this.opened.get(named) ?? named;
    const names = this.files.get(file) ?? UNKNOWN_FILE;
    let rpc = this.rpc.get(file);
    if (rpc === undefined) {
      if (this.rpc.size >= MAX_PIPES) this.endPipe(this.rpc.keys().next().value!);
      const pipe = names.name === '' ? {} : { pipe: names.name };
      rpc = new DceRpcStream(this.ends, this.sink, { ...pipe, columns: names.columns });
      this.rpc.set(file, rpc);
    }
    const data = { file, names, rpc, offset: 0, ahead: start, left: size };
    this.carryOn(data, isFromClient, all, at);
    this.rest = data;
  }

  private endPipe(file: string): void {
    this.rpc.get(file)?.finish();
    this.rpc.delete(file);
  }

  private wait({ id }: Header, request: Waiting): void {
    if (this.waiting.size >= MAX_WAITING)
      for (const [first, oldest] of this.waiting) {
        this.waiting.delete(first);
        this.tell(oldest, undefined, {});
        break;
      }
    this.waiting.set(id, request);
  }

  private response(header: Header, all: Buffer, at: Stamp): void {
    const { command, status, session, id } = header;
    const body = all.subarray(HEADER_BYTES);
    if (command === COMMAND.sessionSetup && body.length >= 8) {
      this.ntlm.take(partOf(all, body.readUInt16LE(4), body.readUInt16LE(6)), at);
      if (status === MORE_PROCESSING) return;
      const { account } = this.ntlm;
      if (account !== undefined && status === 0) this.users.set(session, account);
      this.ntlm.result(this.ends, this.sink, status === 0);
      return;
    }
    const asked = this.fileRequests.get(id);
    if (asked !== undefined) {
      this.fileRequests.delete(id);
      if (asked.what === 'close') {
        const file = this.opened.get(asked.file) ?? asked.file;
        this.carried.close(file);
        this.endPipe(file);
      } else if (status !== 0 && status !== BUFFER_OVERFLOW) return;
      else if (asked.what === 'transceive' && command === COMMAND.ioctl && body.length >= 40) {
        const [start, size] = [body.readUInt32LE(32), body.readUInt32LE(36)];
        this.carryInPipe(asked.file, false, all, start, size, at);
      } else if (asked.what === 'read' && command === COMMAND.read && body.length >= 16)
        this.carry(asked.file, false, asked.offset, all, body[2]!, body.readUInt32LE(4), at);
      return;
    }
    const request = this.waiting.get(id);
    if (request === undefined) return;
    this.waiting.delete(id);
    const isDone = status === 0;
    if (request.what === 'tree_connect') {
      if (isDone) this.trees.set(String(header.tree), request.name);
      const share = isDone && body.length >= 3 ? SHARES[body[2]!] : undefined;
      if (share === 'PIPE') this.pipes.set(String(header.tree), true);
      this.tell(request, status, { share_type: share });
      return;
    }
    if (request.what !== 'open' || !isDone || body.length < 80) {
      this.tell(request, status, {});
      return;
    }
    const file = body.toString('latin1', 64, 80);
    this.opened.set(`opened by ${id}`, file);
    const tree = String(request.tree);
    const share = this.trees.get(tree) ?? '';
    this.files.set(file, {
      name: request.name,
      path: pathOf(share, request.name),
      size: Number(body.readBigUInt64LE(48)),
      isOld: body.readUInt32LE(4) === OPENED,
      columns: this.accountOf(request.session),
      isPipe: this.pipes.get(tree) === true || /(?:^|\\)IPC\$$/i.test(share),
      mayBePipe: share === '',
    });
    this.tell(request, status, {
      action: ACTIONS[body.readUInt32LE(4)],
      size: String(body.readBigUInt64LE(48)),
      is_directory: (body.readUInt32LE(56) & 0x10) === 0 ? 'F' : 'T',
      'times.created': timeText(body.readBigUInt64LE(8)),
      'times.modified': timeText(body.readBigUInt64LE(24)),
    });
  }

  private accountOf(session: string): { user?: string; user_domain?: string } {
    const account = this.users.get(session);
    return {
      ...(account === undefined || account.user === '' ? {} : { user: account.user }),
      ...(account === undefined || account.domain === '' ? {} : { user_domain: account.domain }),
    };
  }

  private tell(
    { what, name, tree, session, target, options, at }: Waiting,
    status: number | undefined,
    more: Readonly<Record<string, string | undefined>>,
  ): void {
    const share = what === 'tree_connect' ? name : this.trees.get(String(tree));
    const file = what === 'tree_connect' ? undefined : name;
    const path = file === undefined ? share : pathOf(share, file);
    const word =
      status === undefined
        ? undefined
        : (STATUSES[status] ?? `0x${status.toString(16).padStart(8, '0')}`);
    const isFailed = status !== undefined && status >= 0x80000000;
    // The option that the file goes when it is closed.
    const isDeleted = what === 'open' && ((options ?? 0) & 0x1000) !== 0;
    this.sink.message(this.ends, {
      ...{ kind: 'smb', type: what, at },
      text: [
        what,
        path,
        target === undefined ? undefined : `→ ${target}`,
        isFailed ? word : undefined,
      ]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        ...this.accountOf(session),
        file_path: path === '' ? undefined : path,
        outcome: status === undefined ? undefined : isFailed ? 'failure' : 'success',
        reason: isFailed ? word : undefined,
      },
      attributes: {
        path: share,
        name: file === '' ? undefined : file,
        new_name: target,
        status: word,
        delete_on_close: isDeleted ? 'T' : undefined,
        ...more,
      },
    });
  }

  gap(isClient: boolean, size: number): void {
    const side = this.sides[isClient ? 0 : 1];
    if (side.held.length === 0 && size <= side.skip) {
      side.skip -= size;
      if (side.data !== undefined) {
        // What comes behind it shows that it is missing.
        const inData = Math.max(0, Math.min(size - side.data.ahead, side.data.left));
        if (inData > 0) side.data.rpc?.gap(isClient, inData);
        side.data.ahead = Math.max(0, side.data.ahead - size);
        side.data.left -= inData;
        side.data.offset += inData;
      }
      return;
    }
    this.carried.lose(isClient);
    for (const rpc of this.rpc.values()) rpc.gap(isClient, 1);
    side.isLost = true;
    side.skip = 0;
    side.data = undefined;
    side.held.clear();
  }

  end(): void {
    // The other side may still answer.
  }

  finish(): void {
    for (const request of this.waiting.values()) this.tell(request, undefined, {});
    this.waiting.clear();
    this.carried.finish();
    for (const rpc of this.rpc.values()) rpc.finish();
    this.rpc.clear();
    this.ntlm.result(this.ends, this.sink, undefined);
  }
}

function pathOf(share: string | undefined, file: string): string {
  return [share, file].filter(Boolean).join('\\');
}

function partOf(all: Buffer, start: number, size: number): Buffer {
  return all.subarray(start, start + size);
}

function nameAt(all: Buffer, start: number, size: number): string {
  return partOf(all, start, Math.min(size, MAX_NAME_BYTES)).toString('utf16le');
}

/** A time in units of 100 ns since 1601, to the microsecond. */
function timeText(value: bigint): string | undefined {
  const millis = Number(value / 10_000n) - 11_644_473_600_000;
  if (value === 0n || millis < 0 || millis > 8_000_000_000_000) return undefined;
  return new Date(millis).toISOString();
}

/** Whether a frame with a message of SMB begins there; undefined: there is too little to tell. */
function frameAt(bytes: Uint8Array, start: number, end: number): boolean | undefined {
  const size = end - start;
  if (bytes[start] !== 0 || (size > 4 && bytes[start + 4]! < 0xfd)) return false;
  if (size < 8) return undefined;
  return bytes[start + 5] === 0x53 && bytes[start + 6] === 0x4d && bytes[start + 7] === 0x42;
}

export const SMB: StreamProtocol = {
  /** A frame of NetBIOS' session service with a message of SMB in it. */
  recognise(bytes, start, end, _, isClient) {
    const isFrame = frameAt(bytes, start, end);
    if (isFrame !== true) return isFrame === undefined ? 'more' : undefined;
    // A bit of the flags says which side sends.
    if (bytes[start + 4] === 0xfd) return isClient ? 'client' : 'server';
    const at = bytes[start + 4] === 0xff ? start + 13 : start + 20;
    const bit = bytes[start + 4] === 0xff ? SMB1_IS_REPLY : IS_RESPONSE;
    if (at >= end) return isClient ? 'client' : 'server';
    return (bytes[at]! & bit) === 0 ? 'client' : 'server';
  },
  parser: (ends, sink) => new SmbStream(ends, sink),
};
