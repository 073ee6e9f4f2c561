/**
 * Messages of SMB 1 ([MS-CIFS], [MS-SMB]), each of which may have several consecutive commands (AndX). Opening a
 * file, reading, writing and transactions of named pipes are read in the forms that Windows and Samba use; raw,
 * locking and multiplexed reads and writes, searches and the oldest commands (before LANMAN 1.0) are skipped.
 */
import type { Stamp } from '../messages.ts';
import {
  type Answer,
  answerOf,
  BUFFER_OVERFLOW,
  nameAt,
  partOf,
  type SmbSession,
  timeText,
  type Waiting,
} from './smb-session.ts';

/** Place of the flags in a header. */
export const SMB1_FLAGS = 9;
export const SMB1_IS_REPLY = 0x80;
const HEADER_BYTES = 32;
const MAX_COMMANDS = 16;
const NO_MORE = 0xff;
const [UNICODE, NT_STATUS] = [0x8000, 0x4000];
/** Before a text in the bytes of an older command. */
const FORMAT_BYTES = 1;
const COMMAND = {
  ...{ createDirectory: 0x00, deleteDirectory: 0x01, open: 0x02, create: 0x03, close: 0x04 },
  ...{ delete: 0x06, rename: 0x07, createNew: 0x0f, transaction: 0x25 },
  ...{ openX: 0x2d, readX: 0x2e, writeX: 0x2f, transaction2: 0x32, treeDisconnect: 0x71 },
  ...{ sessionSetup: 0x73, logoff: 0x74, treeConnect: 0x75 },
  ...{ ntCreateX: 0xa2, ntRename: 0xa5 },
} as const;
/** Commands that begin with the code and the place of the next. */
const CHAINED: ReadonlySet<number> = new Set([
  ...[COMMAND.openX, COMMAND.readX, COMMAND.writeX, COMMAND.sessionSetup, COMMAND.treeConnect],
  ...[COMMAND.ntCreateX, COMMAND.logoff, 0x24],
]);
const [TRANSACT_PIPE, SET_FILE_INFO] = [0x26, 0x08];
/** Levels of SET_FILE_INFO, those of CIFS and those that are passed through to NT. */
const DISPOSITIONS: ReadonlySet<number> = new Set([0x102, 1013]);
const [RENAME_LEVEL, LINK_LEVEL] = [1010, 1011];
/** Levels of NT_RENAME ([MS-CIFS] 2.2.4.66). */
const [NT_LINK, NT_RENAME] = [0x103, 0x104];
const DIRECTORY_ATTRIBUTE = 0x10;
const SHARES: Readonly<Record<string, string>> = {
  ...{ 'A:': 'DISK', IPC: 'PIPE', 'LPT1:': 'PRINT', COMM: 'COMM' },
};
/** Error classes for clients that do not know NT's error numbers. */
const CLASSES: Readonly<Record<number, string>> = { 1: 'ERRDOS', 2: 'ERRSRV', 3: 'ERRHRD' };

interface Command {
  readonly code: number;
  readonly words: Buffer;
  /** Start of its bytes in the message, and their end. */
  readonly start: number;
  readonly end: number;
}

interface Header {
  readonly isReply: boolean;
  readonly status: number;
  readonly isUnicode: boolean;
  readonly isNtStatus: boolean;
  readonly tree: number;
  /** Identifies the account. */
  readonly session: string;
  /** Identifies the request: process and number. */
  readonly id: string;
}

export class Smb1 {
  private readonly known: SmbSession;

  constructor(known: SmbSession) {
    this.known = known;
  }

  /** @param all a message, or its beginning */
  message(isClient: boolean, all: Buffer, at: Stamp): void {
    if (all.length < HEADER_BYTES + 1) return;
    const header = headerOf(all);
    if (header.isReply === isClient) return;
    let opened: string | undefined;
    for (const command of commandsOf(all)) {
      if (header.isReply) this.reply(header, command, all, at);
      else opened = this.request(header, command, all, at, opened);
    }
  }

  /**
   * @param opened number of the file that a command before this one in the message opens
   * @returns the same for the next one
   */
  private request(
    header: Header,
    command: Command,
    all: Buffer,
    at: Stamp,
    opened: string | undefined,
  ): string | undefined {
    const { known } = this;
    const { code, words, start, end } = command;
    const id = `${header.id} ${code}`;
    const { tree, session } = header;
    const common = { at, tree, session };
    const wait = (request: Omit<Waiting, 'at' | 'tree' | 'session'>): void =>
      known.wait(id, { ...common, ...request });
    const openFile = (name: string, options?: number): string =>
      known.openFile(id, {
        ...{ ...common, operation: 'open', name: inShare(name) },
        ...(options === undefined ? {} : { options }),
      });
    const fileOf = (place: number): string => opened ?? fileName(words.readUInt16LE(place));
    const text = (from: number): Text => textAt(all, from, end, header.isUnicode);
    if (code === COMMAND.sessionSetup) this.logIn(header, command, all, at);
    else if (code === COMMAND.treeConnect && words.length >= 8)
      wait({ operation: 'tree_connect', name: text(start + words.readUInt16LE(6)).text });
    else if (code === COMMAND.ntCreateX && words.length >= 48) {
      const from = aligned(start, header.isUnicode);
      const size = Math.min(words.readUInt16LE(5), Math.max(0, end - from));
      const name = header.isUnicode ? nameAt(all, from, size) : latin(all, from, from + size);
      return openFile(name, words.readUInt32LE(39));
    } else if (code === COMMAND.openX && words.length >= 30) return openFile(text(start).text);
    else if (OLD_OPENS.has(code))
      wait({ operation: 'open', name: inShare(text(start + FORMAT_BYTES).text) });
    else if (DELETES.has(code))
      wait({ operation: 'delete', name: inShare(text(start + FORMAT_BYTES).text) });
    else if (code === COMMAND.rename || code === COMMAND.ntRename) {
      const operation = code === COMMAND.rename ? 'rename' : ntRenameOf(words);
      const name = text(start + FORMAT_BYTES);
      const target = inShare(text(name.next + FORMAT_BYTES).text);
      if (operation !== undefined) wait({ operation, name: inShare(name.text), target });
    } else if (code === COMMAND.close && words.length >= 2)
      known.awaitFile(id, { operation: 'close', file: fileOf(0), offset: 0 });
    else if (code === COMMAND.readX && words.length >= 20) {
      const offset = words.readUInt32LE(6) + highOf(words, 20);
      known.awaitFile(id, { operation: 'read', file: fileOf(4), offset });
    } else if (code === COMMAND.writeX && words.length >= 24) {
      const offset = words.readUInt32LE(6) + highOf(words, 24);
      const size = words.readUInt16LE(20) + words.readUInt16LE(18) * 65_536;
      known.carry(fileOf(4), true, offset, all, words.readUInt16LE(22), size, at);
    } else if (code === COMMAND.transaction || code === COMMAND.transaction2)
      this.transaction(header, command, all, at);
    return opened;
  }

  /** With a token, or, without the extended form, with the account in clear. */
  private logIn(header: Header, { words, start, end }: Command, all: Buffer, at: Stamp): void {
    const { logins } = this.known;
    if (words.length === 24) logins.take(all.subarray(start, end), at);
    if (words.length !== 26 && words.length !== 20) return;
    const passwords = words.readUInt16LE(14) + (words.length === 26 ? words.readUInt16LE(16) : 0);
    const user = textAt(all, start + passwords, end, header.isUnicode);
    const domain = textAt(all, user.next, end, header.isUnicode);
    logins.takeAccount(user.text, domain.text, at);
  }

  private transaction(header: Header, { code, words }: Command, all: Buffer, at: Stamp): void {
    if (words.length < 30 || words.length < 28 + 2 * words[26]!) return;
    const { known } = this;
    const id = `${header.id} ${code}`;
    const [size, start] = [words.readUInt16LE(22), words.readUInt16LE(24)];
    const setup = words.readUInt16LE(28);
    if (code === COMMAND.transaction) {
      if (setup !== TRANSACT_PIPE || words.length < 32) return;
      const file = fileName(words.readUInt16LE(30));
      known.awaitFile(id, { operation: 'transceive', file, offset: 0 });
      known.carryInPipe(file, true, all, start, size, at);
      return;
    }
    const parameters = partOf(all, words.readUInt16LE(20), words.readUInt16LE(18));
    const data = partOf(all, start, size);
    if (setup !== SET_FILE_INFO || parameters.length < 4) return;
    const name = known.nameOf(fileName(parameters.readUInt16LE(0)));
    const level = parameters.readUInt16LE(2);
    const common = { at, tree: header.tree, session: header.session, name };
    if (DISPOSITIONS.has(level) && data[0] === 1)
      known.wait(id, { ...common, operation: 'delete' });
    else if ((level === RENAME_LEVEL || level === LINK_LEVEL) && data.length >= 12) {
      const target = nameAt(data, 12, data.readUInt32LE(8));
      const operation = level === RENAME_LEVEL ? 'rename' : 'link';
      known.wait(id, { ...common, operation, target });
    }
  }

  private reply(header: Header, command: Command, all: Buffer, at: Stamp): void {
    const { known } = this;
    const { code, words, start, end } = command;
    const { status, session } = header;
    if (code === COMMAND.sessionSetup) {
      known.logins.take(all.subarray(start, end), at);
      known.loggedIn(session, status);
      return;
    }
    if (status === 0 && code === COMMAND.treeDisconnect)
      known.treeDisconnected(header.tree, undefined);
    if (status === 0 && code === COMMAND.logoff) known.loggedOff(session);
    const id = `${header.id} ${code}`;
    const asked = known.askedOf(id);
    if (asked !== undefined) {
      const { operation, file, offset } = asked;
      if (operation === 'close') known.closeFile(file);
      else if (status !== 0 && status !== BUFFER_OVERFLOW) return;
      else if (operation === 'read' && words.length >= 16) {
        const size = words.readUInt16LE(10) + words.readUInt16LE(14) * 65_536;
        known.carry(file, false, offset, all, words.readUInt16LE(12), size, at);
      } else if (operation === 'transceive' && words.length >= 16)
        known.carryInPipe(file, false, all, words.readUInt16LE(14), words.readUInt16LE(12), at);
      return;
    }
    const request = known.waitingOf(id);
    if (request === undefined) return;
    const answer = header.isNtStatus ? answerOf(status) : dosAnswer(status);
    const isDone = status === 0;
    if (request.operation === 'tree_connect') {
      const service = isDone ? latin(all, start, end) : '';
      known.treeConnected(request, answer, header.tree, SHARES[service]);
    } else if (request.operation !== 'open' || !isDone) known.tell(request, answer, {});
    else this.opened(request, id, answer, command);
  }

  private opened(request: Waiting, id: string, answer: Answer, { code, words }: Command): void {
    const { known } = this;
    if (code === COMMAND.ntCreateX && words.length >= 68)
      known.fileOpened(request, id, answer, {
        file: fileName(words.readUInt16LE(5)),
        action: words.readUInt32LE(7),
        size: words.readBigUInt64LE(55),
        isDirectory: words[67] !== 0,
        created: timeText(words.readBigUInt64LE(11)),
        modified: timeText(words.readBigUInt64LE(27)),
      });
    else if (code === COMMAND.openX && words.length >= 24)
      known.fileOpened(request, id, answer, {
        file: fileName(words.readUInt16LE(4)),
        action: words.readUInt16LE(22) & 3,
        size: BigInt(words.readUInt32LE(12)),
        isDirectory: (words.readUInt16LE(6) & DIRECTORY_ATTRIBUTE) !== 0,
        ...{ created: undefined, modified: undefined },
      });
    else if (code === COMMAND.createDirectory)
      known.tell(request, answer, { action: 'CREATED', is_directory: 'T' });
    else known.tell(request, answer, {});
  }
}

const OLD_OPENS: ReadonlySet<number> = new Set([
  ...[COMMAND.createDirectory, COMMAND.open, COMMAND.create, COMMAND.createNew],
]);
const DELETES: ReadonlySet<number> = new Set([COMMAND.delete, COMMAND.deleteDirectory]);

/** Undefined if it is neither. */
function ntRenameOf(words: Buffer): 'rename' | 'link' | undefined {
  const level = words.length < 4 ? undefined : words.readUInt16LE(2);
  return level === NT_RENAME ? 'rename' : level === NT_LINK ? 'link' : undefined;
}

function headerOf(all: Buffer): Header {
  const flags2 = all.readUInt16LE(10);
  return {
    isReply: (all[SMB1_FLAGS]! & SMB1_IS_REPLY) !== 0,
    status: all.readUInt32LE(5),
    isUnicode: (flags2 & UNICODE) !== 0,
    isNtStatus: (flags2 & NT_STATUS) !== 0,
    tree: all.readUInt16LE(24),
    session: `account ${all.readUInt16LE(28)}`,
    id: `${all.readUInt16LE(26)} ${all.readUInt16LE(30)}`,
  };
}

/** Commands of a message, as far as they are complete except for their last bytes. */
function* commandsOf(all: Buffer): Generator<Command> {
  let code = all[4]!;
  let from = HEADER_BYTES;
  for (let n = 0; n < MAX_COMMANDS && from < all.length; n++) {
    const last = from + 1 + 2 * all[from]!;
    if (last + 2 > all.length) return;
    const words = all.subarray(from + 1, last);
    const start = last + 2;
    yield { code, words, start, end: Math.min(all.length, start + all.readUInt16LE(last)) };
    if (!CHAINED.has(code) || words.length < 4 || words[0] === NO_MORE) return;
    const next = words.readUInt16LE(2);
    // A command that does not follow this one would form a cycle.
    if (next <= from) return;
    code = words[0]!;
    from = next;
  }
}

/** Name for the number of an open file. */
function fileName(number: number): string {
  return `file ${number}`;
}

/** The upper half of a file offset, if there is one. */
function highOf(words: Buffer, at: number): number {
  return words.length >= at + 4 ? words.readUInt32LE(at) * 2 ** 32 : 0;
}

interface Text {
  readonly text: string;
  /** Start of what follows. */
  readonly next: number;
}

/** Texts of two bytes a character begin at even places. */
function aligned(at: number, isUnicode: boolean): number {
  return isUnicode ? at + (at & 1) : at;
}

/** A text that ends with a zero, or with the message. */
function textAt(all: Buffer, at: number, end: number, isUnicode: boolean): Text {
  const from = aligned(at, isUnicode);
  const unit = isUnicode ? 2 : 1;
  let to = from;
  while (to + unit <= end && (all[to] !== 0 || (isUnicode && all[to + 1] !== 0))) to += unit;
  const text = isUnicode ? nameAt(all, from, Math.max(0, to - from)) : latin(all, from, to);
  return { text, next: to + unit };
}

const MAX_LATIN_BYTES = 1024;

/** Up to a zero. Its code page is not stated. */
function latin(all: Buffer, start: number, end: number): string {
  const part = all.subarray(start, Math.min(end, start + MAX_LATIN_BYTES));
  const zero = part.indexOf(0);
  return part.toString('latin1', 0, zero < 0 ? part.length : zero);
}

/** Without the leading separator and the terminator. */
function inShare(name: string): string {
  return name.replace(/\0+$/, '').replace(/^\\/, '');
}

function dosAnswer(status: number): Answer {
  if (status === 0) return answerOf(0);
  const [kind, code] = [status & 0xff, status >>> 16];
  return { word: `${CLASSES[kind] ?? `class ${kind}`} ${code}`, isFailed: true };
}
