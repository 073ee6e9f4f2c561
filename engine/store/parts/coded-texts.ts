/**
 * Dictionary encoding of texts with few different values: each value once, and a code for each row. Hosts and
 * programs of logs are such columns, which are then written, read and indexed by code.
 *
 * Invariant: decoding returns the input. Memory and work are bounded: encoding is abandoned if most texts differ,
 * or if too many collide in the table.
 */
export interface CodedTexts {
  /** The different texts, concatenated: each a 32-bit little-endian length and its bytes. */
  readonly data: Uint8Array;
  /** Where each of them begins in `data`. */
  readonly starts: Uint32Array;
  /** The code of each input text. */
  readonly codes: Uint16Array;
}

/** Fewer texts than this are not worth encoding. */
const LEAST = 256;
const MOST_TEXTS = 1024;
const MOST_BYTES = 1 << 15;
/** Minimum average number of occurrences of a text. */
const LEAST_OFTEN = 16;
const SLOT_BITS = 12;
const SLOTS = 1 << SLOT_BITS;
const MOST_PROBES = 8;

/** Texts that one call processes: V8 compiles what is called often, not what runs long. */
const AT_ONCE = 1024;

/** Codes plus 1, by hash; and where each text begins. */
const slots = new Uint16Array(SLOTS);
const begins = new Uint32Array(MOST_TEXTS);
const bytes = new Uint8Array(MOST_BYTES);
const view = new DataView(bytes.buffer);
/** Number and bytes of the different texts so far, and where the next text begins; -1: abandoned. */
const found = { different: 0, size: 0, at: 0 };

/**
 * @param texts concatenated, each a 32-bit little-endian length and its bytes
 * @param count number of texts
 * @returns undefined if encoding does not pay
 */
export function codedTexts(texts: Uint8Array, count: number): CodedTexts | undefined {
  if (count < LEAST) return undefined;
  slots.fill(0);
  found.different = 0;
  found.size = 0;
  found.at = 0;
  const codes = new Uint16Array(count);
  const given = new DataView(texts.buffer, texts.byteOffset, texts.length);
  for (let from = 0; from < count && found.at >= 0; from += AT_ONCE)
    codeSome(given, codes, from, Math.min(count, from + AT_ONCE));
  if (found.at < 0) return undefined;
  const { size, different } = found;
  return { data: bytes.slice(0, size), starts: begins.slice(0, different), codes };
}

/** Assigns codes to some texts. */
function codeSome(texts: DataView, codes: Uint16Array, from: number, to: number): void {
  let { at } = found;
  for (let i = from; i < to; i++) {
    const end = at + 4 + texts.getInt32(at, true);
    const hash = hashOf(texts, at, end);
    let slot = Math.imul(hash ^ (hash >>> 15), 0x9e37_79b1) >>> (32 - SLOT_BITS);
    let code = slots[slot]! - 1;
    for (let probes = 1; code >= 0 && !isAt(begins[code]!, texts, at, end); probes++) {
      if (probes === MOST_PROBES) return giveUp();
      slot = (slot + 1) & (SLOTS - 1);
      code = slots[slot]! - 1;
    }
    if (code < 0) {
      const { size, different } = found;
      if (different === MOST_TEXTS || size + end - at > MOST_BYTES) return giveUp();
      if (different * LEAST_OFTEN > codes.length) return giveUp();
      code = different;
      slots[slot] = ++found.different;
      begins[code] = size;
      for (let k = at; k < end; k++) bytes[found.size++] = texts.getUint8(k);
    }
    codes[i] = code;
    at = end;
  }
  found.at = at;
}

function giveUp(): void {
  found.at = -1;
}

/** Hash of a text and its length, four bytes at a time; the last four may overlap the ones before. */
function hashOf(texts: DataView, at: number, end: number): number {
  let hash = 0;
  for (let k = at; k < end - 4; k += 4)
    hash = Math.imul(hash ^ texts.getInt32(k, true), 0x0100_0193);
  return Math.imul(hash ^ texts.getInt32(end - 4, true), 0x0100_0193);
}

/** Whether the entry at `begin` equals `texts` from `at` to `end`, including the length. */
function isAt(begin: number, texts: DataView, at: number, end: number): boolean {
  for (let k = at, own = begin; k < end - 4; k += 4, own += 4)
    if (texts.getInt32(k, true) !== view.getInt32(own, true)) return false;
  return texts.getInt32(end - 4, true) === view.getInt32(begin + end - at - 4, true);
}
