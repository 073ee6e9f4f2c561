/** Characters and digits of a time, read from bytes. */

export const SPACE = 32;
export const TAB = 9;
export const COLON = 58;
export const DOT = 46;
export const COMMA = 44;
export const MINUS = 45;
export const SLASH = 47;
export const PLUS = 43;
export const OPEN = 91;

/** Length of the run of digits from `at`. */
export function digitRun(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const c = b[i]! - 48;
    if (c < 0 || c > 9) break;
    i++;
  }
  return i - at;
}

/** Value of `n` digits (at most 15) from `at`, which must be digits. */
export function numberAt(b: Uint8Array, at: number, n: number): number {
  let value = 0;
  for (let i = at; i < at + n; i++) value = value * 10 + (b[i]! - 48);
  return value;
}

export function isLetter(c: number): boolean {
  const low = c | 32;
  return low >= 97 && low <= 122;
}

export function isAlnum(c: number): boolean {
  return (c >= 48 && c <= 57) || isLetter(c);
}

/** Powers of ten that fill a fraction up to nanoseconds. */
const FILL = [1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 100, 10, 1];

/** Nanoseconds of a fraction of a second: `value` is its first `digits` digits, at most nine. */
export function nanosOf(value: number, digits: number): number {
  return value * FILL[digits]!;
}
