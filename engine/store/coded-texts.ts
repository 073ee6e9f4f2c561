/**
 * Texts of which few are different: each of them once, and which one each row has. Hosts and programs of logs
 * are so, and are then written, read and indexed by number.
 *
 * Holds always: what was given comes back from it. Memory is bounded, and so is the work: texts that are mostly
 * different, or meet in one place of the table, are given up.
 */
import { textLength } from './batch-rows.ts';

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

/** Numbers plus 1, by hash; and where each text begins. */
const slots = new Uint16Array(SLOTS);
const begins = new Uint32Array(MOST_TEXTS);
const bytes = new Uint8Array(MOST_BYTES);

/**
 * @param texts one after the other, each a 32-bit little-endian length and its bytes
 * @param count of them; undefined when they are better left as they are
 */
export function codedTexts(texts: Uint8Array, count: number): CodedTexts | undefined {
  if (count < LEAST) return undefined;
  slots.fill(0);
  const codes = new Uint16Array(count);
  let size = 0;
  let different = 0;
  let at = 0;
  for (let i = 0; i < count; i++) {
    const end = at + 4 + textLength(texts, at);
    let hash = end - at;
    for (let k = at + 4; k < end; k++) hash = Math.imul(hash, 31) + texts[k]!;
    let slot = Math.imul(hash, 0x9e37_79b1) >>> (32 - SLOT_BITS);
    let code = slots[slot]! - 1;
    for (let probes = 1; code >= 0 && !isAt(begins[code]!, texts, at, end); probes++) {
      if (probes === MOST_PROBES) return undefined;
      slot = (slot + 1) & (SLOTS - 1);
      code = slots[slot]! - 1;
    }
    if (code < 0) {
      if (different === MOST_TEXTS || size + end - at > MOST_BYTES) return undefined;
      if (different * LEAST_OFTEN > count) return undefined;
      code = different++;
      slots[slot] = different;
      begins[code] = size;
      for (let k = at; k < end; k++) bytes[size++] = texts[k]!;
    }
    codes[i] = code;
    at = end;
  }
  return { data: bytes.slice(0, size), starts: begins.slice(0, different), codes };
}

/** Whether what begins at `begin` is what lies in `texts` from `at` to `end`, length and all. */
function isAt(begin: number, texts: Uint8Array, at: number, end: number): boolean {
  for (let k = at, from = begin; k < end; k++) if (texts[k] !== bytes[from++]) return false;
  return true;
}
