/**
 * Finds the start of IP in many frames of simple link types at once, and the content of frames that end with their
 * link layer.
 */
import { u16, u24 } from '../bytes.ts';
import { nlpidWord } from '../decode/ethernet.ts';
import { word } from '../packets/words.ts';

const ETHERNET = 1;
export const FRAME_RELAY = 107;
export const SUN_ATM = 123;

/** The general decoder is needed. */
export const NONE = -1;
/** For a frame whose link carries no IP: LINK_ONLY minus its word. */
export const LINK_ONLY = -2;

const FRAME_RELAY_WORD = word('frame-relay');

/**
 * Writes for each of the first `n` frames the start of IP, NONE, or LINK_ONLY minus the number of its link's word.
 * False: the link type is not simple.
 * @param view of the same bytes
 */
export function findNetworks(
  linkType: number,
  bytes: Uint8Array,
  view: DataView,
  frames: Int32Array,
  ends: Int32Array,
  n: number,
  out: Int32Array,
): boolean {
  switch (linkType) {
    case ETHERNET:
      for (let i = 0; i < n; i++) {
        const at = frames[i]!;
        if (ends[i]! - at <= 14) out[i] = NONE;
        else {
          const type = view.getUint16(at + 12);
          out[i] = type === 0x0800 || type === 0x86dd ? at + 14 : NONE;
        }
      }
      return true;
    case 12:
    case 14:
    case 101:
    case 228:
    case 229:
      for (let i = 0; i < n; i++) {
        const at = frames[i]!;
        out[i] = at < ends[i]! ? at : NONE;
      }
      return true;
    case FRAME_RELAY:
      for (let i = 0; i < n; i++) out[i] = afterFrameRelay(bytes, frames[i]!, ends[i]!);
      return true;
    case SUN_ATM:
      for (let i = 0; i < n; i++) out[i] = afterAtm(bytes, frames[i]!, ends[i]!);
      return true;
    default:
      return false;
  }
}

/** Whether an address of frame relay has two bytes. */
export function shortAddress(bytes: Uint8Array, at: number): boolean {
  return (bytes[at]! & 1) === 0 && (bytes[at + 1]! & 1) === 1;
}

export function dlciOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! >>> 2) << 4) | (bytes[at + 1]! >>> 4);
}

function afterFrameRelay(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 6 || !shortAddress(bytes, start) || bytes[start + 2] !== 3) return NONE;
  const at = bytes[start + 3] === 0 ? start + 4 : start + 3;
  switch (bytes[at]) {
    case 0xcc:
      return at + 1 < end ? at + 1 : NONE;
    case 0x80:
      return afterSnap(bytes, at + 1, end);
    case 0x8e:
    case 0xcf:
      return NONE;
    default:
      return LINK_ONLY - (nlpidWord(bytes[at]!) ?? FRAME_RELAY_WORD);
  }
}

function afterAtm(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 12) return NONE;
  const type = bytes[start]! & 0x0f;
  const circuit = u16(bytes, start + 2);
  if (type === 1 || type === 5 || type === 6 || circuit === 16 || circuit === 5) return NONE;
  return u24(bytes, start + 4) === 0xaaaa03 ? afterSnap(bytes, start + 7, end) : NONE;
}

/** Start of IP after a SNAP header: an organisation of zero, and an EtherType. */
function afterSnap(bytes: Uint8Array, at: number, end: number): number {
  if (end - at <= 5 || u24(bytes, at) !== 0) return NONE;
  const type = u16(bytes, at + 3);
  return type === 0x0800 || type === 0x86dd ? at + 5 : NONE;
}
