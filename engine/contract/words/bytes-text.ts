/** Renders the bytes of a record that could not be parsed: as text that shows every byte, and as hex. */

const PRINTABLE = /[\x20-\x7e]/;

/** Decodes UTF-8; an invalid byte becomes `\xNN`. Backslashes are not escaped. */
export function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    let text = '';
    for (const byte of bytes) {
      const char = String.fromCharCode(byte);
      text +=
        byte < 0x80 && (PRINTABLE.test(char) || byte < 0x20)
          ? char
          : `\\x${byte.toString(16).padStart(2, '0')}`;
    }
    return text;
  }
}

/** `0010  48 65 6c 6c 6f …  Hello`: sixteen bytes a line. */
export function hexLines(bytes: Uint8Array, from = 0): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = Array.from(bytes.subarray(at, at + 16));
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part
      .map((byte) => String.fromCharCode(byte))
      .map((char) => (PRINTABLE.test(char) ? char : '.'))
      .join('');
    lines.push(`${(from + at).toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines;
}
