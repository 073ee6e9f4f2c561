/** What a byte of a message is to the cutter: runs of letters, digits and bytes beyond ASCII are tokens. */
export const LETTER = 1;
export const DIGIT = 2;
export const BEYOND_ASCII = 4;

/** 0 for what lies between tokens. */
export const BYTE_CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return BEYOND_ASCII;
  if (byte >= 0x30 && byte <= 0x39) return DIGIT;
  const lower = byte | 0x20;
  return byte === 0x5f || (lower >= 0x61 && lower <= 0x7a) ? LETTER : 0;
});
