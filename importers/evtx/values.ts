/**
 * Values of BinXML as text, in the forms printed by Windows and readers of event logs: SIDs as `S-1-5-18`, GUIDs
 * and binary data in capital hexadecimal digits, times in UTC to 100 ns.
 *
 * Types: [MS-EVEN6] 2.2.12.
 *
 * Invariant: nothing is read beyond `start + size`; a value that is too short for its type is `undefined`.
 */

/** Value types; with `ARRAY` set, several of them one after another. */
export const ARRAY = 0x80;
export const T = {
  null: 0x00,
  text: 0x01,
  ansi: 0x02,
  int8: 0x03,
  uint8: 0x04,
  int16: 0x05,
  uint16: 0x06,
  int32: 0x07,
  uint32: 0x08,
  int64: 0x09,
  uint64: 0x0a,
  float: 0x0b,
  double: 0x0c,
  bool: 0x0d,
  binary: 0x0e,
  guid: 0x0f,
  size: 0x10,
  fileTime: 0x11,
  systemTime: 0x12,
  sid: 0x13,
  hex32: 0x14,
  hex64: 0x15,
  binXml: 0x21,
} as const;

/** Bytes of one element of an array; 0: texts, which end with NUL. */
const SIZES: Readonly<Record<number, number>> = {
  ...{ [T.int8]: 1, [T.uint8]: 1, [T.int16]: 2, [T.uint16]: 2, [T.int32]: 4, [T.uint32]: 4 },
  ...{ [T.int64]: 8, [T.uint64]: 8, [T.float]: 4, [T.double]: 8, [T.bool]: 4, [T.guid]: 16 },
  ...{ [T.size]: 8, [T.fileTime]: 8, [T.systemTime]: 16, [T.hex32]: 4, [T.hex64]: 8 },
};

const utf16 = new TextDecoder('utf-16le');
const windows1252 = new TextDecoder('windows-1252');
const HEX = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0').toUpperCase(),
);

/** UTF-16 text of `units` code units. */
export function readText(bytes: Uint8Array, start: number, units: number): string {
  // Short texts are nearly all ASCII: a decoder costs more than they do.
  if (units > 64) return utf16.decode(bytes.subarray(start, start + 2 * units));
  let text = '';
  for (let at = start, end = start + 2 * units; at < end; at += 2) {
    if (bytes[at + 1] !== 0 || bytes[at]! > 127)
      return utf16.decode(bytes.subarray(start, start + 2 * units));
    text += String.fromCharCode(bytes[at]!);
  }
  return text;
}

function hex(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) text += HEX[bytes[at]!]!;
  return text;
}

function guid(bytes: Uint8Array, at: number): string {
  const part = (...places: number[]): string => places.map((i) => HEX[bytes[at + i]!]!).join('');
  return `${part(3, 2, 1, 0)}-${part(5, 4)}-${part(7, 6)}-${part(8, 9)}-${part(10, 11, 12, 13, 14, 15)}`;
}

function sid(view: DataView, bytes: Uint8Array, at: number, size: number): string | undefined {
  const count = size < 8 ? -1 : bytes[at + 1]!;
  if (count < 0 || count > 15 || size < 8 + 4 * count) return undefined;
  const authority = view.getUint16(at + 2) * 2 ** 32 + view.getUint32(at + 4);
  let text = `S-${bytes[at]!}-${authority < 2 ** 32 ? authority : `0x${authority.toString(16)}`}`;
  for (let i = 0; i < count; i++) text += `-${view.getUint32(at + 8 + 4 * i, true)}`;
  return text;
}

/** A time in units of 100 ns since 1601, as microseconds since 1970 and the remaining nanoseconds. */
export interface FileTime {
  readonly micros: number;
  readonly nanos: number;
}

/** 1970 in units of 100 ns since 1601, as its two halves. */
const HIGH_1970 = 27_111_902;
const LOW_1970 = 3_577_643_008;

export function readFileTime(view: DataView, at: number): FileTime {
  const high = view.getUint32(at + 4, true) - HIGH_1970;
  // 2^32 = 10 * 429,496,729 + 6: every step is exact in a double.
  const rest = high * 6 + view.getUint32(at, true) - LOW_1970;
  const micros = Math.floor(rest / 10);
  return { micros: high * 429_496_729 + micros, nanos: (rest - micros * 10) * 100 };
}

/** Whether an event can have that time: 1970 to 2200. 0 often means unknown. */
export function isEventTime({ micros }: FileTime): boolean {
  return micros >= 0 && micros < Date.UTC(2200, 0) * 1000;
}

/** `2026-11-21T10:00:00.1234567Z`. */
export function fileTimeText(view: DataView, at: number): string {
  const hundredNanos = view.getBigUint64(at, true);
  const seconds = Number(hundredNanos / 10_000_000n) - 11_644_473_600;
  const fraction = String(hundredNanos % 10_000_000n).padStart(7, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${fraction}Z`;
}

function systemTime(view: DataView, at: number): string {
  const word = (i: number, digits = 2): string =>
    String(view.getUint16(at + 2 * i, true)).padStart(digits, '0');
  return `${word(0, 4)}-${word(1)}-${word(3)}T${word(4)}:${word(5)}:${word(6)}.${word(7, 3)}Z`;
}

/** One value of `size` bytes at `start` as text. `undefined`: there is none, or it is invalid for its type. */
export function valueText(
  view: DataView,
  bytes: Uint8Array,
  type: number,
  start: number,
  size: number,
): string | undefined {
  const least = SIZES[type];
  if (least !== undefined && type !== T.size && type !== T.bool && size < least) return undefined;
  switch (type) {
    case T.text:
      return trimmed(readText(bytes, start, size >>> 1));
    case T.ansi:
      return trimmed(windows1252.decode(bytes.subarray(start, start + size)));
    case T.int8:
      return String(view.getInt8(start));
    case T.uint8:
      return String(view.getUint8(start));
    case T.int16:
      return String(view.getInt16(start, true));
    case T.uint16:
      return String(view.getUint16(start, true));
    case T.int32:
      return String(view.getInt32(start, true));
    case T.uint32:
      return String(view.getUint32(start, true));
    case T.int64:
      return String(view.getBigInt64(start, true));
    case T.uint64:
      return String(view.getBigUint64(start, true));
    case T.float:
      return String(view.getFloat32(start, true));
    case T.double:
      return String(view.getFloat64(start, true));
    case T.bool:
      return size === 0 ? undefined : String(bytes.subarray(start, start + size).some(Boolean));
    case T.binary:
      return hex(bytes, start, start + size);
    case T.guid:
      return guid(bytes, start);
    case T.size:
      if (size === 4) return `0x${view.getUint32(start, true).toString(16)}`;
      return size < 8 ? undefined : `0x${view.getBigUint64(start, true).toString(16)}`;
    case T.fileTime:
      return fileTimeText(view, start);
    case T.systemTime:
      return systemTime(view, start);
    case T.sid:
      return sid(view, bytes, start, size);
    case T.hex32:
      return `0x${view.getUint32(start, true).toString(16)}`;
    case T.hex64:
      return `0x${view.getBigUint64(start, true).toString(16)}`;
    default:
      return undefined;
  }
}

/** The values of an array; undefined where its elements have no known size. */
export function arrayTexts(
  view: DataView,
  bytes: Uint8Array,
  type: number,
  start: number,
  size: number,
): string[] | undefined {
  const element = type & ~ARRAY;
  if (element === T.text) {
    const texts = readText(bytes, start, size >>> 1).split('\0');
    if (texts.at(-1) === '') texts.pop();
    return texts;
  }
  const step = SIZES[element];
  if (step === undefined) return undefined;
  const texts: string[] = [];
  for (let at = start; at + step <= start + size; at += step) {
    const text = valueText(view, bytes, element, at, step);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** Without trailing NULs. */
function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}
