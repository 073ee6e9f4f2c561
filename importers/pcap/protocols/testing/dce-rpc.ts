/** For tests: messages of DCE/RPC. */
import { cat, hex } from '../../testing/build.ts';
import { le, utf16 } from './smb.ts';

/** @param auth level of authentication, and its token */
export function rpc(
  type: number,
  call: number,
  body: Uint8Array,
  auth?: { readonly level: number; readonly token: Uint8Array },
): Uint8Array {
  const token = auth?.token ?? new Uint8Array(0);
  const trailer =
    auth === undefined ? token : cat(Uint8Array.of(10, auth.level, 0, 0), le(4, 0), token);
  const size = 16 + body.length + trailer.length;
  const header = cat(Uint8Array.of(5, 0, type, 3, 0x10, 0, 0, 0), le(2, size), le(2, token.length));
  return cat(header, le(4, call), body, trailer);
}

/** The interface of the service control manager. */
const SVCCTL = '81bb7a36 4498 f135 ad32 98f038001003';
const TASKS = '4959d386 c983 4440 b424 db363231fd0c';
const NDR = '045d888aeb1cc9119fe808002b104860 02000000';
/** Binds both interfaces as 0 and 1. */
export const BIND = cat(
  ...[le(2, 4280), le(2, 4280), le(4, 0), '02 000000'],
  ...[hex(`0000 01 00 ${SVCCTL} 02000000`), hex(NDR)],
  ...[hex(`0100 01 00 ${TASKS} 01000000`), hex(NDR)],
);
export const bindAck = (place: string): Uint8Array => {
  const name = Buffer.from(`${place}\0`, 'latin1');
  return cat(le(2, 4280), le(2, 4280), le(4, 7), le(2, name.length), name);
};
export const request = (context: number, operation: number, ...stub: Uint8Array[]): Uint8Array =>
  cat(le(4, 0), le(2, context), le(2, operation), ...stub);
export const response = (...stub: Uint8Array[]): Uint8Array =>
  cat(le(4, 0), le(2, 0), le(2, 0), ...stub);
export const fault = (status: number): Uint8Array => response(le(4, status), le(4, 0));

/** A string of NDR. */
export function ndr(text: string): Uint8Array {
  const characters = utf16(`${text}\0`);
  const count = characters.length / 2;
  const padding = new Uint8Array((4 - (characters.length % 4)) % 4);
  return cat(le(4, count), le(4, 0), le(4, count), characters, padding);
}
export const HANDLE = new Uint8Array(20);
