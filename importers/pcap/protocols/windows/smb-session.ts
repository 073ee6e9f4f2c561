/**
 * State of an SMB connection, in any version: shares, open files, accounts, pending requests; and its events.
 *
 * Invariants: pending requests, files, pipes, shares and sessions are bounded.
 */
import { beginsRpc, DceRpcStream } from './dce-rpc.ts';
import type { Endpoints, MessageSink, Stamp } from '../messages.ts';
import { GssExchange } from './gss.ts';
import { type FileNames, SmbFiles } from './smb-files.ts';

/** Size of a message's header: no data begin within it. */
const LEAST_HEADER_BYTES = 32;
const MAX_NAME_BYTES = 2048;
const MAX_WAITING = 1024;
const MAX_KEPT = 4096;
const MAX_PIPES = 64;
const MORE_PROCESSING = 0xc0000016;
/** More of a pipe message can be read. */
export const BUFFER_OVERFLOW = 0x80000005;
/** Classes of SET_INFO ([MS-FSCC] 2.4). */
export const [RENAME, LINK, DISPOSITION] = [10, 11, 13];

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

/** A request that waits for its answer. */
export interface Waiting {
  readonly operation: 'tree_connect' | 'open' | 'rename' | 'link' | 'delete';
  readonly at: Stamp;
  readonly name: string;
  readonly tree: number;
  readonly session: string;
  /** New name, of a rename or a link. */
  readonly target?: string;
  readonly options?: number;
}

/** A request to read or close, or to write and read a pipe, that waits for its answer. */
interface FileRequest {
  readonly operation: 'read' | 'close' | 'transceive';
  readonly file: string;
  readonly offset: number;
}

/** An open file. */
interface OpenFile extends FileNames {
  readonly name: string;
  /** Data written to a pipe are not a file. */
  readonly isPipe: boolean;
  /** Share and session that it was opened in. */
  readonly tree: number;
  readonly session: string;
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
    tree: -1,
    session: '',
  },
};

/** Data of a message beyond its buffered part. */
export interface Data {
  readonly file: string;
  /** For a pipe. */
  readonly rpc: DceRpcStream | undefined;
  readonly names: FileNames;
  /** Offset in the file of the next byte. */
  offset: number;
  /** Number of preceding bytes that do not belong to the file. */
  ahead: number;
  left: number;
}

/** The answer to a request. */
export interface Answer {
  readonly word: string;
  readonly isFailed: boolean;
}

/** @param status of NT */
export function answerOf(status: number): Answer {
  const word = STATUSES[status] ?? `0x${status.toString(16).padStart(8, '0')}`;
  return { word, isFailed: status >= 0x80000000 };
}

/** A server's information on a file that it has opened. */
interface Opened {
  /** Number of the open file. */
  readonly file: string;
  /** Place in ACTIONS. */
  readonly action: number | undefined;
  readonly size: bigint;
  readonly isDirectory: boolean;
  readonly created: string | undefined;
  readonly modified: string | undefined;
}

/** A bounded map that drops the oldest entries. */
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
  delete(key: string): void {
    this.map.delete(key);
  }
  get size(): number {
    return this.map.size;
  }
  [Symbol.iterator](): IterableIterator<[string, T]> {
    return this.map[Symbol.iterator]();
  }
}

export class SmbSession {
  readonly ends: Endpoints;
  readonly sink: MessageSink;
  readonly logins = new GssExchange('smb');
  private readonly waiting = new Map<string, Waiting>();
  /** Names by the number of an open file, of a share, and of a session. */
  private readonly files = new Recent<OpenFile>();
  private readonly pipes = new Recent<true>();
  /** Streams in pipes, by the number of the open file. */
  private readonly rpc = new Map<string, DceRpcStream>();
  /**
   * Numbers of open files, by the name that requests use for a file opened by an earlier request in the same
   * message.
   */
  private readonly opened = new Recent<string>();
  /** The file that the last request to open one asks for. */
  private asked: { readonly named: string; readonly file: OpenFile } | undefined;
  private readonly fileRequests = new Map<string, FileRequest>();
  private readonly carried: SmbFiles;
  /** Data of the last message beyond its buffered part. */
  rest: Data | undefined;
  private readonly trees = new Recent<string>();
  private readonly users = new Recent<{ user: string; domain: string }>();

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
    this.carried = new SmbFiles(ends, sink);
  }

  get heldBytes(): number {
    const { waiting, files, trees, users, opened, fileRequests, carried } = this;
    const kept = waiting.size + files.size + trees.size + users.size;
    const small = opened.size + fileRequests.size;
    let inPipes = 0;
    for (const { heldBytes } of this.rpc.values()) inPipes += heldBytes;
    return carried.heldBytes + inPipes + 512 * kept + 128 * small;
  }

  /** Continues data of a message that was not buffered. */
  carryOn(data: Data, isFromClient: boolean, bytes: Uint8Array, at: Stamp): void {
    const before = Math.min(data.ahead, bytes.length);
    const size = Math.min(bytes.length - before, data.left);
    data.ahead -= before;
    data.left -= size;
    // Its number may have arrived with the answer after the message began.
    const file = this.opened.get(data.file) ?? data.file;
    if (size > 0) {
      const part = bytes.subarray(before, before + size);
      const extent = data.offset + size + data.left;
      if (data.rpc !== undefined) data.rpc.data(isFromClient, part, 0, part.length, at);
      else this.carried.add(file, isFromClient, data.names, data.offset, part, extent, at);
    }
    data.offset += size;
  }

  nameOf(named: string): string {
    return this.namesOf(this.opened.get(named) ?? named).name;
  }

  private namesOf(file: string): OpenFile {
    const asked = this.asked?.named === file ? this.asked.file : undefined;
    return this.files.get(file) ?? asked ?? UNKNOWN_FILE;
  }

  awaitFile(id: string, request: FileRequest): void {
    const { fileRequests } = this;
    if (fileRequests.size >= MAX_WAITING) {
      fileRequests.delete(fileRequests.keys().next().value!);
      // The position of the answering bytes is no longer known.
      this.carried.lose(false);
    }
    fileRequests.set(id, request);
  }

  /** The request to a file that a message answers. */
  askedOf(id: string): FileRequest | undefined {
    const asked = this.fileRequests.get(id);
    this.fileRequests.delete(id);
    return asked;
  }

  /** A file was closed. Its number may be reused. */
  closeFile(named: string): void {
    const file = this.opened.get(named) ?? named;
    this.carried.close(file);
    this.endPipe(file);
    this.files.delete(file);
  }

  /** A share was disconnected: its files are closed. @param session whose number of the share it is; undefined: anyone's */
  treeDisconnected(tree: number, session: string | undefined): void {
    for (const [name, file] of this.files)
      if (file.tree === tree && (session === undefined || file.session === session))
        this.closeFile(name);
  }

  /** An account logged off: its files are closed. */
  loggedOff(session: string): void {
    for (const [name, file] of this.files) if (file.session === session) this.closeFile(name);
    this.users.delete(session);
  }

  /** Bytes of a file in a message. */
  carry(
    named: string,
    isFromClient: boolean,
    offset: number,
    all: Buffer,
    start: number,
    size: number,
    at: Stamp,
  ): void {
    const file = this.opened.get(named) ?? named;
    const names = this.namesOf(file);
    const isSaidInPipe = names.mayBePipe && beginsRpc(all.subarray(start, start + size));
    if (names.isPipe || this.rpc.has(file) || isSaidInPipe) {
      this.carryInPipe(named, isFromClient, all, start, size, at);
      return;
    }
    if (start < LEAST_HEADER_BYTES || !Number.isSafeInteger(offset + size)) return;
    if (isFromClient && names !== UNKNOWN_FILE)
      names.size = Math.max(names.size ?? 0, offset + size);
    const data = { file, names, rpc: undefined, offset, ahead: start, left: size };
    this.carryOn(data, isFromClient, all, at);
    this.rest = data;
  }

  /** Bytes of a pipe in a message. */
  carryInPipe(
    named: string,
    isFromClient: boolean,
    all: Buffer,
    start: number,
    size: number,
    at: Stamp,
  ): void {
    if (start < LEAST_HEADER_BYTES || size === 0) return;
    const file = this.opened.get(named) ?? named;
    const names = this.namesOf(file);
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

  endPipe(file: string): void {
    this.rpc.get(file)?.finish();
    this.rpc.delete(file);
  }

  /** A request with the number of an earlier one replaces it: that one will not be answered. */
  wait(id: string, request: Waiting): void {
    const replaced = this.waitingOf(id);
    if (replaced !== undefined) this.tell(replaced, undefined, {});
    if (this.waiting.size >= MAX_WAITING)
      for (const [first, oldest] of this.waiting) {
        this.waiting.delete(first);
        this.tell(oldest, undefined, {});
        break;
      }
    this.waiting.set(id, request);
  }

  /** The request that a message answers. */
  waitingOf(id: string): Waiting | undefined {
    const request = this.waiting.get(id);
    this.waiting.delete(id);
    return request;
  }

  /** A step of a login was answered. */
  loggedIn(session: string, status: number): void {
    if (status === MORE_PROCESSING) return;
    const { account } = this.logins;
    // A reused session number may belong to another account.
    if (status === 0 && account === undefined) this.users.delete(session);
    else if (status === 0) this.users.set(session, account!);
    this.logins.result(this.ends, this.sink, status === 0);
  }

  /** @param share its type, according to the server */
  treeConnected(request: Waiting, answer: Answer, tree: number, share: string | undefined): void {
    if (!answer.isFailed) this.trees.set(String(tree), request.name);
    if (share === 'PIPE') this.pipes.set(String(tree), true);
    else if (!answer.isFailed) this.pipes.delete(String(tree));
    this.tell(request, answer, { share_type: share });
  }

  /**
   * Waits for the answer to a request that opens a file.
   * @param id number of the request
   * @returns the name that later requests in the same message use for the file
   */
  openFile(id: string, request: Waiting): string {
    this.wait(id, request);
    const named = openedBy(id);
    // Requests after an earlier one with this number meant that one's file.
    this.opened.delete(named);
    this.carried.leave(named);
    this.endPipe(named);
    this.asked = { named, file: this.fileOf(request, undefined, undefined) };
    return named;
  }

  private fileOf(
    { name, tree, session }: Waiting,
    action: number | undefined,
    size: number | undefined,
  ): OpenFile {
    const share = this.trees.get(String(tree)) ?? '';
    return {
      ...{ name, path: pathOf(share, name), size, isOld: action === OPENED },
      columns: this.accountOf(session),
      isPipe: this.pipes.get(String(tree)) === true || /(?:^|\\)IPC\$$/i.test(share),
      ...{ mayBePipe: share === '', tree, session },
    };
  }

  /** @param id number of the request */
  fileOpened(request: Waiting, id: string, answer: Answer, found: Opened): void {
    const { file, action, size, isDirectory } = found;
    // A number that is reused was closed before, whether that was seen or not.
    this.closeFile(file);
    const opened = this.fileOf(request, action, Number(size));
    const named = openedBy(id);
    this.files.set(file, opened);
    this.opened.set(named, file);
    this.carried.rename(named, file, opened);
    const rpc = this.rpc.get(named);
    this.rpc.delete(named);
    if (rpc !== undefined) this.rpc.set(file, rpc);
    this.tell(request, answer, {
      action: action === undefined ? undefined : ACTIONS[action],
      size: String(size),
      is_directory: isDirectory ? 'T' : 'F',
      'times.created': found.created,
      'times.modified': found.modified,
    });
  }

  private accountOf(session: string): { user?: string; user_domain?: string } {
    const account = this.users.get(session);
    return {
      ...(account === undefined || account.user === '' ? {} : { user: account.user }),
      ...(account === undefined || account.domain === '' ? {} : { user_domain: account.domain }),
    };
  }

  tell(
    { operation, name, tree, session, target, options, at }: Waiting,
    answer: Answer | undefined,
    more: Readonly<Record<string, string | undefined>>,
  ): void {
    const share = operation === 'tree_connect' ? name : this.trees.get(String(tree));
    const file = operation === 'tree_connect' ? undefined : name;
    const path = file === undefined ? share : pathOf(share, file);
    const { word, isFailed = false } = answer ?? {};
    // The option to delete the file when it is closed.
    const isDeleted = operation === 'open' && ((options ?? 0) & 0x1000) !== 0;
    this.sink.message(this.ends, {
      ...{ kind: 'smb', type: operation, at },
      text: [
        operation,
        path,
        target === undefined ? undefined : `→ ${target}`,
        isFailed ? word : undefined,
      ]
        .filter((part) => part !== undefined && part !== '')
        .join(' '),
      columns: {
        ...this.accountOf(session),
        file_path: path === '' ? undefined : path,
        outcome: answer === undefined ? undefined : isFailed ? 'failure' : 'success',
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

  /** Bytes of a file are missing: the following bytes show that. */
  gapIn(data: Data, isClient: boolean, size: number): void {
    const inData = Math.max(0, Math.min(size - data.ahead, data.left));
    if (inData > 0) data.rpc?.gap(isClient, inData);
    data.ahead = Math.max(0, data.ahead - size);
    data.left -= inData;
    data.offset += inData;
  }

  /** Messages of a side are missing. */
  lose(isClient: boolean): void {
    this.carried.lose(isClient);
    for (const rpc of this.rpc.values()) rpc.gap(isClient, 1);
  }

  finish(): void {
    for (const request of this.waiting.values()) this.tell(request, undefined, {});
    this.waiting.clear();
    this.carried.finish();
    for (const rpc of this.rpc.values()) rpc.finish();
    this.rpc.clear();
    this.logins.result(this.ends, this.sink, undefined);
  }
}

/** Name of a file whose number is not known yet. */
function openedBy(request: string): string {
  return `opened by ${request}`;
}

function pathOf(share: string | undefined, file: string): string {
  return [share, file].filter(Boolean).join('\\');
}

export function partOf(all: Buffer, start: number, size: number): Buffer {
  return all.subarray(start, start + size);
}

export function nameAt(all: Buffer, start: number, size: number): string {
  return partOf(all, start, Math.min(size, MAX_NAME_BYTES)).toString('utf16le');
}

/** A time in units of 100 ns since 1601, to the microsecond. */
export function timeText(value: bigint): string | undefined {
  const millis = Number(value / 10_000n) - 11_644_473_600_000;
  if (value === 0n || millis < 0 || millis > 8_000_000_000_000) return undefined;
  return new Date(millis).toISOString();
}
