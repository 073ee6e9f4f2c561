/**
 * Values in Linux audit records that a process may choose: quoted if they are plain, otherwise in hexadecimal;
 * neither if there is none (`?`, `(null)`).
 *
 * Source: https://github.com/linux-audit/audit-documentation/wiki/SPEC-Writing-Good-Events
 */
const [NUL, SPACE, QUOTE, APOSTROPHE, ASSIGN, BRACKET, A, UNDERSCORE, SEPARATOR] = [
  0, 32, 34, 39, 61, 91, 97, 95, 29,
];

const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** The end of the value that begins at `start`, including its quotes, or -1. */
export function auditValueEnd(b: Uint8Array, start: number, end: number): number {
  let p = start;
  if (b[p] === QUOTE) {
    for (p += 1; p < end; p++) if (b[p] === QUOTE) return p + 1;
    return -1;
  }
  while (p < end && b[p] !== SPACE && b[p] !== APOSTROPHE && b[p] !== SEPARATOR) p += 1;
  return p > start ? p : -1;
}

/** Whether all of these bytes are hexadecimal digits, two for each byte. */
export function isHexadecimal(b: Uint8Array, start: number, end: number): boolean {
  if (end === start || (end - start) % 2 !== 0) return false;
  for (let p = start; p < end; p++) if (digitOf(b[p]!) < 0) return false;
  return true;
}

/**
 * Decodes hexadecimal digits; the terminator of an argument in a title becomes a space.
 * @returns number of bytes written to `out`
 */
export function readHexadecimal(
  b: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at = 0,
): number {
  let n = at;
  for (let p = start; p + 1 < end; p += 2) {
    const code = digitOf(b[p]!) * 16 + digitOf(b[p + 1]!);
    out[n++] = code === NUL ? SPACE : code;
  }
  return n - at;
}

/**
 * The arguments of a command, with a space between two: `a0="ls" a1=2D6C a2_len=70000 a2[0]="..." a2[1]="..."`.
 * @returns how many bytes were written to `out`
 */
export function readArguments(b: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let n = 0;
  for (let p = start; p < end;) {
    const key = p;
    while (p < end && b[p] !== ASSIGN && b[p] !== SPACE && b[p] !== SEPARATOR) p += 1;
    if (b[p] !== ASSIGN || p >= end || b[key] !== A) break;
    const { isLength, isFirst } = argumentOf(b, key, p);
    const value = p + 1;
    const to = auditValueEnd(b, value, end);
    p = to < 0 ? end : to;
    while (p < end && b[p] === SPACE) p += 1;
    if (isLength || to < 0) continue;
    if (isFirst && n > 0) out[n++] = SPACE;
    if (b[value] === QUOTE) for (let i = value + 1; i < to - 1; i++) out[n++] = b[i]!;
    else if (isHexadecimal(b, value, to)) n += readHexadecimal(b, value, to, out, n);
    else for (let i = value; i < to; i++) out[n++] = b[i]!;
  }
  return n;
}

/** Whether a key is that of a length, and whether a new argument begins with it (`a2`, `a2[0]`). */
function argumentOf(
  b: Uint8Array,
  start: number,
  end: number,
): { isLength: boolean; isFirst: boolean } {
  let p = start;
  while (p < end && b[p] !== BRACKET && b[p] !== UNDERSCORE) p += 1;
  const isPart = b[p] === BRACKET && p < end;
  return {
    isLength: b[p] === UNDERSCORE && p < end,
    isFirst: !isPart || (b[p + 1] === 48 && p + 3 === end),
  };
}

/** The bytes in `out` as text, with invalid UTF-8 replaced. */
export function asText(out: Uint8Array, size: number): Uint8Array {
  let p = 0;
  while (p < size && out[p]! < 0x80) p += 1;
  const bytes = out.subarray(0, size);
  return p === size ? bytes : utf8.encode(decoder.decode(bytes));
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 65 && code <= 70 ? code - 55 : -1;
}
