/** For tests: messages of SMB 2, and of NTLM. */
import { cat } from '../../testing/build.ts';

export const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
export const le = (size: number, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
};

interface Message {
  readonly command: number;
  readonly id: number;
  readonly status?: number;
  readonly tree?: number;
  readonly session?: number;
  readonly isResponse?: boolean;
  /** To the one before it in its message. */
  readonly isRelated?: boolean;
  readonly next?: number;
}

export function header({
  command,
  id,
  status = 0,
  tree = 0,
  session = 9,
  isResponse,
  isRelated,
  next = 0,
}: Message) {
  return Buffer.concat([
    ...[Buffer.from('fe534d4240000000', 'hex'), le(4, status), le(2, command), le(2, 1)],
    ...[
      le(4, (isResponse === true ? 1 : 0) + (isRelated === true ? 4 : 0)),
      le(4, next),
      le(4, id),
      le(4, 0),
      le(4, 0),
      le(4, tree),
    ],
    ...[le(4, session), le(4, 0), Buffer.alloc(16)],
  ]);
}
/** Messages in one frame of NetBIOS' session service. */
export function framed(...messages: readonly Uint8Array[]): Uint8Array {
  const all = cat(...messages);
  return cat(Uint8Array.of(0, all.length >>> 16, (all.length >>> 8) & 255, all.length & 255), all);
}

/** A body with a name or buffer after its first `size` bytes, whose position and length are at two offsets. */
function body(size: number, place: number, length: number, name: Buffer): Buffer {
  const fixed = Buffer.alloc(size);
  fixed.writeUInt16LE(64 + size, place);
  fixed.writeUInt16LE(name.length, length);
  return Buffer.concat([fixed, name]);
}
export const connect = (id: number, path: string): Uint8Array =>
  framed(header({ command: 3, id }), body(8, 4, 6, utf16(path)));
export const connected = (id: number, tree: number): Uint8Array =>
  framed(
    header({ command: 3, id, tree, isResponse: true }),
    Buffer.from('1000010000000000', 'hex'),
  );
export const open = (id: number, name: string, next = 0): Buffer =>
  Buffer.concat([header({ command: 5, id, tree: 7, next }), body(56, 44, 46, utf16(name))]);
/** @param action 1: opened, 2: made */
export function opened(id: number, status: number, action = 2): Uint8Array {
  const response = Buffer.alloc(88);
  response.writeUInt32LE(action, 4);
  response.writeBigUInt64LE(133_000_000_000_000_000n, 8);
  response.writeBigUInt64LE(1234n, 48);
  response.fill(id, 64, 80);
  return framed(header({ command: 5, id, tree: 7, status, isResponse: true }), response);
}

function ntlm(type: number, fields: readonly (readonly [number, Buffer])[], size: number): Buffer {
  const fixed = Buffer.alloc(size);
  fixed.write('NTLMSSP\0', 'latin1');
  fixed.writeUInt32LE(type, 8);
  let at = size;
  for (const [place, text] of fields) {
    fixed.writeUInt16LE(text.length, place);
    fixed.writeUInt32LE(at, place + 4);
    at += text.length;
  }
  if (size >= 64) fixed.writeUInt32LE(1, 60);
  return Buffer.concat([fixed, ...fields.map(([, text]) => text)]);
}
const pair = (id: number, text: string): Buffer =>
  Buffer.concat([le(2, id), le(2, utf16(text).length), utf16(text)]);
export const CHALLENGE = ntlm(2, [[40, Buffer.concat([pair(1, 'SERVER1'), pair(0, '')])]], 56);
export const AUTHENTICATE = ntlm(
  3,
  [
    [28, utf16('EXAMPLE')],
    [36, utf16('alice')],
    [44, utf16('HOST1')],
  ],
  64,
);
export const setUp = (id: number, token: Buffer): Uint8Array =>
  framed(header({ command: 1, id }), body(24, 12, 14, token));
export const answered = (id: number, status: number, token: Buffer): Uint8Array =>
  framed(header({ command: 1, id, status, isResponse: true }), body(8, 4, 6, token));

/** Requests and responses that read, write and close the file that request `open` has opened. */
export const readAt = (id: number, file: number, offset: number): Buffer =>
  Buffer.concat([
    ...[header({ command: 8, id, tree: 7 }), Buffer.alloc(8), le(4, offset), le(4, 0)],
    ...[Buffer.alloc(16, file), Buffer.alloc(17)],
  ]);
export const readPart = (id: number, data: Uint8Array): Uint8Array =>
  framed(
    header({ command: 8, id, tree: 7, isResponse: true }),
    Buffer.concat([le(2, 17), le(2, 80), le(4, data.length), Buffer.alloc(8), data]),
  );
export const writeAt = (id: number, file: number, offset: number, data: Uint8Array): Buffer =>
  Buffer.concat([
    ...[header({ command: 9, id, tree: 7 }), le(2, 49), le(2, 112), le(4, data.length)],
    ...[le(4, offset), le(4, 0), Buffer.alloc(16, file), Buffer.alloc(16), data],
  ]);
/** Writes to a pipe and reads the answer. @param isRelated to the request before it in its message */
export const transceive = (id: number, file: number, data: Uint8Array, isRelated = false): Buffer =>
  Buffer.concat([
    ...[header({ command: 11, id, tree: 7, isRelated }), le(2, 57), le(2, 0), le(4, 0x0011c017)],
    ...[Buffer.alloc(16, file), le(4, 120), le(4, data.length), Buffer.alloc(24), data],
  ]);
export const transceived = (id: number, data: Uint8Array): Uint8Array =>
  framed(
    header({ command: 11, id, tree: 7, isResponse: true }),
    ...[le(2, 49), le(2, 0), le(4, 0x0011c017), Buffer.alloc(24), le(4, 112), le(4, data.length)],
    ...[Buffer.alloc(8), data],
  );
export const written = (id: number, command = 9): Uint8Array =>
  framed(header({ command, id, tree: 7, isResponse: true }), Buffer.alloc(17));
export const closeFile = (id: number, file: number): Buffer =>
  Buffer.concat([header({ command: 6, id, tree: 7 }), Buffer.alloc(8), Buffer.alloc(16, file)]);

/** A login, a share and a file; requests and responses alternate. */
export const SESSION: readonly Uint8Array[] = [
  ...[setUp(1, Buffer.alloc(8)), answered(1, 0xc0000016, CHALLENGE)],
  ...[setUp(2, AUTHENTICATE), answered(2, 0, Buffer.alloc(0))],
  ...[connect(3, '\\\\server1\\share'), connected(3, 7)],
  ...[framed(open(4, 'folder\\a.txt')), opened(4, 0)],
];

/** The same file, read and written. */
export const TRANSFER: readonly Uint8Array[] = [
  ...[framed(readAt(5, 4, 0)), readPart(5, Buffer.from('one, two')), framed(readAt(6, 4, 8))],
  ...[
    readPart(6, Buffer.from(', three')),
    framed(writeAt(7, 4, 0, Buffer.from('four'))),
    written(7),
  ],
  ...[framed(closeFile(8, 4)), written(8, 6)],
];
