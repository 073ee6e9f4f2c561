/**
 * One record of utmp, wtmp or btmp, or of lastlog, as glibc writes them: fixed fields, texts that end at a NUL.
 * Source: glibc's bits/utmp.h, and utmp(5).
 */

/** Names of `ut_type` by number. */
const TYPES = [
  'EMPTY',
  'RUN_LVL',
  'BOOT_TIME',
  'NEW_TIME',
  'OLD_TIME',
  'INIT_PROCESS',
  'LOGIN_PROCESS',
  'USER_PROCESS',
  'DEAD_PROCESS',
  'ACCOUNTING',
] as const;
type UtmpType = (typeof TYPES)[number];

export interface UtmpRecord {
  readonly type: UtmpType;
  readonly pid: number;
  /** The terminal, without `/dev/`. */
  readonly line: string;
  readonly id: string;
  readonly user: string;
  /** The remote host, or the version of the kernel. */
  readonly host: string;
  /** 16 bytes as on the wire; of IPv4 the first four, the others are 0. */
  readonly address: Uint8Array;
  readonly session: number;
  /** Microseconds since 1970. */
  readonly time: number;
}

export interface Layout {
  readonly format: 'utmp' | 'lastlog';
  readonly size: number;
  readonly isLittle: boolean;
  /** Whether times and sessions have 64 bits. */
  readonly isLong: boolean;
}

const UTMP_SIZE = { short: 384, long: 400 };
const LASTLOG_SIZE = { short: 292, long: 296 };
const [LINE, ID, USER, HOST] = [8, 40, 44, 76] as const;
const SESSION = 336;
const MICROS = 1e6;
/** 1980 and 2106: a value outside is hardly a time. */
const [FIRST_SECOND, LAST_SECOND] = [315_532_800, 4_294_967_295];

/** The layouts of x86, of 64-bit ARM and s390x, in both byte orders. */
export const LAYOUTS: readonly Layout[] = [true, false].flatMap((isLittle) => [
  { format: 'utmp', size: UTMP_SIZE.short, isLittle, isLong: false },
  { format: 'utmp', size: UTMP_SIZE.long, isLittle, isLong: true },
  { format: 'lastlog', size: LASTLOG_SIZE.short, isLittle, isLong: false },
  { format: 'lastlog', size: LASTLOG_SIZE.long, isLittle, isLong: true },
]);

/** A utmp record at `at`, or why it is invalid. */
export function utmpRecord(bytes: Uint8Array, at: number, layout: Layout): UtmpRecord | string {
  const { isLittle, isLong } = layout;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, layout.size);
  const number = view.getInt16(0, isLittle);
  const type = TYPES[number];
  if (type === undefined) return `a record of unknown type ${number}`;
  const texts = [
    textAt(bytes, at + LINE, ID - LINE),
    textAt(bytes, at + ID, USER - ID),
    textAt(bytes, at + USER, HOST - USER),
    textAt(bytes, at + HOST, 256),
  ];
  const [line, id, user, host] = texts;
  if (line === undefined || id === undefined || user === undefined || host === undefined)
    return 'a text with control characters';
  const session = isLong
    ? Number(view.getBigInt64(SESSION, isLittle))
    : view.getInt32(SESSION, isLittle);
  const place = isLong ? SESSION + 8 : SESSION + 4;
  const seconds = secondsAt(view, place, layout);
  const micros = isLong
    ? Number(view.getBigInt64(place + 8, isLittle))
    : view.getInt32(place + 4, isLittle);
  if (type !== 'EMPTY' && (!isSecond(seconds) || micros < 0 || micros >= MICROS))
    return 'an invalid time';
  const behind = at + place + (isLong ? 16 : 8);
  return {
    ...{ type, line, id, user, host, session },
    pid: view.getInt32(4, isLittle),
    address: bytes.slice(behind, behind + 16),
    time: seconds * MICROS + micros,
  };
}

/** The log-in at `at` of a lastlog, or why it is invalid; undefined: this account never logged in. */
export function lastLogin(
  bytes: Uint8Array,
  at: number,
  layout: Layout,
): { time: number; line: string; host: string } | string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, layout.size);
  if (isZero(bytes, at, at + layout.size)) return undefined;
  const texts = at + (layout.isLong ? 8 : 4);
  const line = textAt(bytes, texts, 32);
  const host = textAt(bytes, texts + 32, 256);
  if (line === undefined || host === undefined) return 'a text with control characters';
  const seconds = secondsAt(view, 0, layout);
  if (!isSecond(seconds)) return 'an invalid time';
  return { time: seconds * MICROS, line, host };
}

export function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** 32 bits are without a sign: they last until 2106. */
function secondsAt(view: DataView, at: number, { isLittle, isLong }: Layout): number {
  return isLong ? Number(view.getBigInt64(at, isLittle)) : view.getUint32(at, isLittle);
}

function isSecond(seconds: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}

const utf8 = new TextDecoder();

/** A text of at most `most` bytes; undefined if it contains control characters. Bytes after its NUL are ignored. */
function textAt(bytes: Uint8Array, at: number, most: number): string | undefined {
  let end = at;
  while (end < at + most && bytes[end] !== 0) {
    if (bytes[end]! < 32 || bytes[end] === 127) return undefined;
    end += 1;
  }
  return utf8.decode(bytes.subarray(at, end));
}
