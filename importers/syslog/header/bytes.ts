/** Bytes that headers are made of. */

export const TAB = 9;
export const SPACE = 32;
export const PAREN = 40;
export const PAREN_END = 41;
export const PLUS = 43;
export const COMMA = 44;
export const COLON = 58;
export const LT = 60;
export const GT = 62;
export const OPEN = 91;
export const CLOSE = 93;
export const QUOTE = 34;
export const MINUS = 45;
export const BAR = 124;
export const PERCENT = 37;
export const ESCAPE = 27;

/** Maximum length of a name of a host, a program or a Cisco mnemonic. */
export const MAX_NAME = 255;

export function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

export function allDigits(b: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isDigit(b[i]!)) return false;
  return true;
}

export function isAlnum(c: number): boolean {
  const low = c | 32;
  return (c >= 48 && c <= 57) || (low >= 97 && low <= 122);
}

export function startsWith(b: Uint8Array, at: number, end: number, text: string): boolean {
  if (at + text.length > end) return false;
  for (let i = 0; i < text.length; i++) if (b[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

export function skipSpaces(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (b[i] === SPACE || b[i] === 9)) i++;
  return i;
}

export function sameWord(b: Uint8Array, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++)
    if ((b[start + i]! | 32) !== word.charCodeAt(i)) return false;
  return true;
}

/** Characters of host names and addresses. */
export function isHost(b: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_NAME) return false;
  const first = b[start]!;
  if (!isAlnum(first) && first !== COLON && first !== 95 && first < 128) return false;
  for (let i = start; i < end; i++) {
    const c = b[i]!;
    if ((c >= 45 && c <= 58) || (c >= 64 && c <= 90) || (c >= 95 && c <= 122) || c >= 128) continue;
    if (c === 37 || c === 126 || c === 43) continue;
    return false;
  }
  return true;
}

export function hasDigit(b: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (isDigit(b[i]!)) return true;
  return false;
}
