/**
 * Dictionary-encoded texts of packets, for passes that look at them once (`EventBatch.coded`): protocol words by
 * their number, and numbers as their own codes.
 */
import type { CodedColumn } from '../../../engine/columns/columns.ts';
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import { IP_WORD_BYTES, LINK_WORD_BYTES } from './words.ts';

/** Codes of words of links begin after those of IP protocols. */
const LINK_WORDS = IP_WORD_BYTES.length;

export function codeOfLink(linkWord: number): number {
  return LINK_WORDS + linkWord;
}

function wordOf(code: number): Uint8Array {
  return (code < LINK_WORDS ? IP_WORD_BYTES[code] : LINK_WORD_BYTES[code - LINK_WORDS])!;
}

/** `event_type`: an IANA protocol number, or `codeOfLink`. */
export function codedType(batch: EventBatch): CodedColumn {
  return batch.codedColumn('event_type', wordOf);
}

const utf8 = new TextEncoder();

/** An attribute that is a whole number. */
export function codedNumber(batch: EventBatch, name: string): CodedColumn {
  return batch.codedColumn(`a:${name}`, (code) => utf8.encode(String(code)));
}
