/**
 * Texts of which few are different: each of them once, and which one each row has. Hosts and programs of logs
 * are so, and are then written, read and indexed by number.
 *
 * Holds always: what was given comes back from it. Memory is bounded, and so is the work: texts that are mostly
 * different, or meet in one place of the table, are given up.
 */
export interface CodedTexts {
  /** The different texts one after the other, each a 32-bit little-endian length and its bytes. */
  readonly data: Uint8Array;
  /** Where each of them begins in `data`. */
  readonly starts: Uint32Array;
  /** Of each text that was given: its number. */
  readonly codes: Uint16Array;
}

/** Fewer are as well written as they are. */
const LEAST = 256;
const MOST_TEXTS = 1024;
const MOST_BYTES = 1 << 15;
/** How often a text comes at least, on average. */
const LEAST_OFTEN = 16;
const SLOT_BITS = 12;
const SLOTS = 1 << SLOT_BITS;
const MOST_PROBES = 8;

/** Texts that are looked at by one call: V8 compiles what is called often, not what takes long. */
const AT_ONCE = 1024;

/** Numbers plus 1, by hash; and where each text begins. */
const slots = new Uint16Array(SLOTS);
const begins = new Uint32Array(MOST_TEXTS);
const bytes = new Uint8Array(MOST_BYTES);
const view = new DataView(bytes.buffer);
/** The different texts so far, their bytes, and where the next text lies; -1: they are given up. */
const found = { different: 0, size: 0, at: 0 };

/**
 * @param texts one after the other, each a 32-bit little-endian length and its bytes
 * @param count of them; undefined when they are better left as they are
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

/** Gives texts their numbers. */
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

/** Of a text and its length, four bytes at a time; the last four lie partly before others. */
function hashOf(texts: DataView, at: number, end: number): number {
  let hash = 0;
  for (let k = at; k < end - 4; k += 4)
    hash = Math.imul(hash ^ texts.getInt32(k, true), 0x0100_0193);
  return Math.imul(hash ^ texts.getInt32(end - 4, true), 0x0100_0193);
}

/** Whether what begins at `begin` is what lies in `texts` from `at` to `end`, length and all. */
function isAt(begin: number, texts: DataView, at: number, end: number): boolean {
  for (let k = at, own = begin; k < end - 4; k += 4, own += 4)
    if (texts.getInt32(k, true) !== view.getInt32(own, true)) return false;
  return texts.getInt32(end - 4, true) === view.getInt32(begin + end - at - 4, true);
}
