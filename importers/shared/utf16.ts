/**
 * Whether a text is UTF-16, by its first bytes: by its byte order mark (RFC 2781), or without one, as some
 * programs on Windows write it, by every other byte being NUL and all others being text. So text that does
 * not begin with characters below U+0100 is known by its mark only.
 */
const LOOKED_AT = 32;
const FEWEST = 16;

export interface Utf16 {
  readonly littleEndian: boolean;
  /** Bytes of the mark. */
  readonly mark: 0 | 2;
}

/** Number of bytes that `utf16Of` examines; more make no difference. */
export const UTF16_HEAD = LOOKED_AT;

export function utf16Of(head: Uint8Array): Utf16 | undefined {
  const [first, second] = head;
  // Followed by two NULs, the mark is that of UTF-32, which is not supported.
  if (first === 0xff && second === 0xfe)
    return head[2] === 0 && head[3] === 0 ? undefined : { littleEndian: true, mark: 2 };
  if (first === 0xfe && second === 0xff) return { littleEndian: false, mark: 2 };
  const size = Math.min(head.length & ~1, LOOKED_AT);
  if (size < FEWEST || (first === 0) === (second === 0)) return undefined;
  const high = first === 0 ? 0 : 1;
  for (let i = 0; i < size; i += 2) {
    if (head[i + high] !== 0 || !isText(head[i + 1 - high]!)) return undefined;
  }
  return { littleEndian: high === 1, mark: 0 };
}

/** Latin 1 without control characters, but with tabs and line ends. */
function isText(unit: number): boolean {
  if (unit < 32) return unit === 9 || unit === 10 || unit === 13;
  return unit < 127 || unit >= 160;
}

/** UTF-16 blocks as UTF-8. Unpaired surrogates and a last odd byte each become U+FFFD. */
export async function* asUtf8(
  blocks: AsyncIterable<Uint8Array>,
  littleEndian: boolean,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(littleEndian ? 'utf-16le' : 'utf-16be', { ignoreBOM: true });
  const encoder = new TextEncoder();
  for await (const block of blocks) yield encoder.encode(decoder.decode(block, { stream: true }));
  yield encoder.encode(decoder.decode());
}

/** Bytes that the UTF-8 in [start, end) had as UTF-16. */
export function utf16Length(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80 || byte >= 0xc0) units += byte >= 0xf0 ? 2 : 1;
  }
  return units * 2;
}
