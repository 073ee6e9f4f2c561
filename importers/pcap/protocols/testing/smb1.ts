/** For tests: messages of SMB 1. */
import { ascii } from '../../testing/build.ts';
import { AUTHENTICATE, CHALLENGE, framed, le, utf16 } from './smb.ts';

interface Header {
  readonly isReply?: boolean;
  readonly id: number;
  readonly status?: number;
  readonly tree?: number;
  readonly flags2?: number;
}
interface Command {
  readonly code: number;
  readonly words: Buffer;
  readonly bytes?: Uint8Array;
  /** Whether its words begin with the code and the place of the next. */
  readonly isChained?: boolean;
  /** Offset of the word, counting those of the chain, that states where its data are: after a byte of padding. */
  readonly dataPlace?: number;
}
const [UNICODE_AND_NT_STATUS, NO_MORE] = [0xc001, 0xff];

/** Commands in one message of NetBIOS' session service. */
export function message(
  { isReply = false, id, status = 0, tree = 7, flags2 = UNICODE_AND_NT_STATUS }: Header,
  ...commands: readonly Command[]
): Uint8Array {
  const fixed = Buffer.concat([
    ...[Buffer.from('ff534d42', 'hex'), Buffer.of(commands[0]!.code), le(4, status)],
    ...[Buffer.of(isReply ? 0x88 : 0x08), le(2, flags2), Buffer.alloc(12), le(2, tree)],
    ...[le(2, 1), le(2, 9), le(2, id)],
  ]);
  let at = fixed.length;
  const parts = commands.map(
    ({ code: _, words, bytes = Buffer.alloc(0), isChained, dataPlace }, i) => {
      const all = isChained === true ? Buffer.concat([Buffer.alloc(4), words]) : words;
      if (dataPlace !== undefined) all.writeUInt16LE(at + 3 + all.length + 1, dataPlace);
      at += 3 + all.length + bytes.length;
      if (isChained === true) {
        all[0] = commands[i + 1]?.code ?? NO_MORE;
        all.writeUInt16LE(i + 1 < commands.length ? at : 0, 2);
      }
      return Buffer.concat([Buffer.of(all.length / 2), all, le(2, bytes.length & 0xffff), bytes]);
    },
  );
  return framed(Buffer.concat([fixed, ...parts]));
}
export const reply = (id: number, ...commands: readonly Command[]): Uint8Array =>
  message({ id, isReply: true }, ...commands);
export const refusal = (id: number, code: number, status: number): Uint8Array =>
  message({ id, isReply: true, status }, { code, words: Buffer.alloc(0) });

export const setUp = (token: Buffer): Command => {
  const words = Buffer.alloc(20);
  words.writeUInt16LE(token.length, 10);
  return { code: 0x73, isChained: true, words, bytes: token };
};
/** A name of two bytes a character after `bytes` of the message; it begins at an even place. */
const wide = (text: string): Buffer => Buffer.concat([utf16(text), Buffer.alloc(2)]);
export const connect = (path: string): Command => ({
  ...{ code: 0x75, isChained: true, words: Buffer.concat([le(2, 0), le(2, 1)]) },
  // A password of one byte ends at an even place.
  bytes: Buffer.concat([Buffer.alloc(1), wide(path), ascii('?????\0')]),
});
export const connected = (service: string): Command => ({
  ...{ code: 0x75, isChained: true, words: Buffer.alloc(2), bytes: ascii(`${service}\0`) },
});
export function open(name: string, options = 0): Command {
  const words = Buffer.alloc(44);
  words.writeUInt16LE(2 * name.length, 1);
  words.writeUInt32LE(options, 35);
  const bytes = Buffer.concat([Buffer.alloc(1), wide(name)]);
  return { code: 0xa2, isChained: true, words, bytes };
}
export function opened(file: number, size: number, action = 1): Command {
  const words = Buffer.alloc(64);
  words.writeUInt16LE(file, 1);
  words.writeUInt32LE(action, 3);
  words.writeBigUInt64LE(133_000_000_000_000_000n, 7);
  words.writeBigUInt64LE(BigInt(size), 51);
  return { code: 0xa2, isChained: true, words };
}
export const read = (file: number, offset: number): Command => ({
  ...{ code: 0x2e, isChained: true },
  words: Buffer.concat([le(2, file), le(4, offset), Buffer.alloc(10), le(4, 0)]),
});
export const readPart = (data: Uint8Array): Command => ({
  ...{ code: 0x2e, isChained: true, dataPlace: 12 },
  words: Buffer.concat([Buffer.alloc(6), le(2, data.length), Buffer.alloc(12)]),
  bytes: Buffer.concat([Buffer.alloc(1), data]),
});
export const write = (file: number, offset: number, data: Uint8Array): Command => ({
  ...{ code: 0x2f, isChained: true, dataPlace: 22 },
  words: Buffer.concat([
    ...[le(2, file), le(4, offset), Buffer.alloc(8), le(2, data.length >>> 16)],
    ...[le(2, data.length & 0xffff), le(2, 0), le(4, 0)],
  ]),
  bytes: Buffer.concat([Buffer.alloc(1), data]),
});
export const close = (file: number): Command => ({
  ...{ code: 0x04, words: Buffer.concat([le(2, file), le(4, 0)]) },
});
export const done = (code: number): Command => ({ code, words: Buffer.alloc(0) });
/** Names with two bytes per character: the format byte ends at an even offset. */
export const named = (code: number, ...names: readonly string[]): Command => ({
  code,
  words: Buffer.alloc(2),
  bytes: Buffer.concat(
    names.map((name, i) => Buffer.concat([Buffer.alloc(i === 0 ? 1 : 2, 4), wide(name)])),
  ),
});

/** @param level of NT_RENAME */
export const ntRename = (level: number, from: string, to: string): Command => ({
  ...named(0xa5, from, to),
  words: Buffer.concat([le(2, 0), le(2, level), le(4, 0)]),
});

/** A transaction on a named pipe, its data at the end. */
export function transact(file: number, data: Uint8Array): Command {
  const words = Buffer.alloc(32);
  words.writeUInt16LE(data.length, 22);
  words.writeUInt16LE(32 + 3 + 32, 24);
  words[26] = 2;
  words.writeUInt16LE(0x26, 28);
  words.writeUInt16LE(file, 30);
  return { code: 0x25, words, bytes: data };
}
export function transacted(data: Uint8Array): Command {
  const words = Buffer.alloc(20);
  words.writeUInt16LE(data.length, 12);
  words.writeUInt16LE(32 + 3 + 20, 14);
  return { code: 0x25, words, bytes: data };
}
/** Changes the attributes of an open file. */
export function setInfo(file: number, level: number, data: Buffer): Command {
  const words = Buffer.alloc(30);
  const start = 32 + 3 + 30;
  words.writeUInt16LE(6, 18);
  words.writeUInt16LE(start, 20);
  words.writeUInt16LE(data.length, 22);
  words.writeUInt16LE(start + 6, 24);
  words[26] = 1;
  words.writeUInt16LE(8, 28);
  return {
    ...{ code: 0x32, words },
    bytes: Buffer.concat([le(2, file), le(2, level), le(2, 0), data]),
  };
}

/** A login, a share and a file that is read; requests and replies alternate. */
export const SESSION: readonly Uint8Array[] = [
  ...[message({ id: 1 }, setUp(CHALLENGE.subarray(0, 8))), refused(setUp(CHALLENGE))],
  ...[message({ id: 2 }, setUp(AUTHENTICATE)), reply(2, setUp(Buffer.alloc(0)))],
  ...[message({ id: 3 }, connect('\\\\server1\\share')), reply(3, connected('A:'))],
  ...[message({ id: 4 }, open('\\folder\\a.txt')), reply(4, opened(5, 8))],
  ...[message({ id: 5 }, read(5, 0)), reply(5, readPart(Buffer.from('one, two')))],
  ...[message({ id: 6 }, write(5, 0, Buffer.from('three'))), reply(6, done(0x2f))],
  ...[message({ id: 7 }, close(5)), reply(7, done(0x04))],
];

/** Another step of the login is to follow. */
function refused(command: Command): Uint8Array {
  return message({ id: 1, isReply: true, status: 0xc0000016 }, command);
}
