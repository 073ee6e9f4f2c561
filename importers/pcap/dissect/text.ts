/** Texts of field values: numbers in hexadecimal, and a stranger's text made visible. */

const strict = new TextDecoder('utf-8', { fatal: true });
/** Controls, formatting and direction marks, private and unassigned, line and paragraph ends. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Characters shown of a text that a packet holds. */
const MAX_TEXT = 512;
/** Bytes shown in hexadecimal of a field that has no other form. */
const MAX_BYTES = 32;

/** `0x` and at least `digits` hexadecimal digits. */
export function hexNumber(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}
export const hex8 = (value: number): string => hexNumber(value, 2);
export const hex16 = (value: number): string => hexNumber(value, 4);
export const hex24 = (value: number): string => hexNumber(value, 6);
export const hex32 = (value: number): string => hexNumber(value, 8);

/** `Name (6)` by a table, or the number alone. */
export function named(
  names: Readonly<Record<number, string>>,
  number: (value: number) => string = String,
): (value: number) => string {
  return (value) => {
    const name = names[value];
    return name === undefined ? number(value) : `${name} (${number(value)})`;
  };
}

/** The first bytes in hexadecimal, without blanks. */
export function hexBytes(bytes: Uint8Array, most = MAX_BYTES): string {
  const shown = Buffer.from(bytes.subarray(0, most)).toString('hex');
  return bytes.length > most ? `${shown}…` : shown;
}

export function macText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/**
 * Untrusted text: valid UTF-8 unchanged, every other byte as `\xNN`; invisible characters, and those that change
 * the writing direction, as `\xNN` or `\u{NNNN}`.
 */
export function visible(bytes: Uint8Array, most = MAX_TEXT): string {
  const part = bytes.subarray(0, most * 4);
  let text: string;
  try {
    text = strict.decode(part);
  } catch {
    text = '';
    for (const byte of part) {
      text += byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
      if (text.length > most) break;
    }
  }
  const cut = text.length > most || part.length < bytes.length;
  return visibleText(cut ? `${text.slice(0, most)}…` : text);
}

/** Invisible characters are escaped. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!;
    if (code === 9) return '\\t';
    if (code === 10) return '\\n';
    if (code === 13) return '\\r';
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
