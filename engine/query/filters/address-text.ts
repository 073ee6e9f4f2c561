/**
 * Addresses in text: a block finds what each of its addresses finds as a phrase. An IPv4 address has one spelling,
 * four numbers that are whole tokens with `.` between them; an IPv6 address all that RFC 4291 allows, except those
 * that end in an IPv4 address.
 *
 * Invariant: a block is a pattern, so that SQL, a scan and an index that offers candidates agree on it.
 */
import type { AddressRange } from '../values/address.ts';
import type { PhraseToken, TextFilter } from './text.ts';

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const GROUP = '[0-9a-f]{1,4}';

/** RE2 pattern, matched ignoring case, of the spellings of a block's addresses. */
export function addressPattern(range: AddressRange): string {
  return range.version === 4 ? pattern4(range.low, range.high) : pattern6(range.low, range.high);
}

function pattern4(low: number, high: number): string {
  const octets: string[] = [];
  for (let shift = 24; shift >= 0; shift -= 8) {
    const [from, to] = [(low >>> shift) & 255, (high >>> shift) & 255];
    const all = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    octets.push(
      from === 0 && to === 255 ? OCTET : all.length === 1 ? `${from}` : `(?:${all.join('|')})`,
    );
  }
  return octets.join('\\.');
}

/** The eight groups of an address. */
function groupsOf(address: bigint): number[] {
  return Array.from({ length: 8 }, (_, i) => Number((address >> BigInt(112 - 16 * i)) & 0xffffn));
}

function pattern6(low: bigint, high: bigint): string {
  const [from, to] = [groupsOf(low), groupsOf(high)];
  const groups = from.map((least, i) => groupPattern(least, to[i]!));
  const mayBeZero = from.map((least) => least === 0);
  const forms = [groups.join(':')];
  for (let before = 0; before <= 7; before++) {
    for (let after = 0; before + after <= 7; after++) {
      const end = 8 - after;
      // `::` stands for zeros.
      if (!mayBeZero.slice(before, end).every(Boolean)) continue;
      forms.push(`${groups.slice(0, before).join(':')}::${groups.slice(end).join(':')}`);
    }
  }
  return `(?:${forms.join('|')})`;
}

/** Numbers from `from` to `to` of a block in up to four hexadecimal digits. */
function groupPattern(from: number, to: number): string {
  if (from === 0 && to === 0xffff) return GROUP;
  if (from === to) return `0{0,${4 - from.toString(16).length}}${from.toString(16)}`;
  const digits = (value: number) => value.toString(16).padStart(4, '0');
  const [first, last] = [digits(from), digits(to)];
  const at = [...first].findIndex((digit, i) => digit !== last[i]);
  // A block fixes some digits, a part of the next, and none of the following.
  const choices = Array.from(
    { length: Number.parseInt(last[at]!, 16) - Number.parseInt(first[at]!, 16) + 1 },
    (_, i) => (Number.parseInt(first[at]!, 16) + i).toString(16),
  );
  const free = 3 - at;
  const whole = `${first.slice(0, at)}[${choices.join('')}][0-9a-f]{${free}}`;
  const shorter = shorterForms(first.slice(0, at), choices, free);
  return `(?:${[whole, ...shorter].join('|')})`;
}

/** The same without leading zeros. */
function shorterForms(fixed: string, choices: readonly string[], free: number): string[] {
  const out: string[] = [];
  const zeros = /^0*/.exec(fixed)![0].length;
  for (let cut = 1; cut <= zeros; cut++)
    out.push(`${fixed.slice(cut)}[${choices.join('')}][0-9a-f]{${free}}`);
  if (zeros === fixed.length && choices.includes('0') && free > 0) out.push(`[0-9a-f]{1,${free}}`);
  return out;
}

/** Beyond an IPv6 address: no further group. A colon may follow, as in `2001:db8::1: refused`. */
const END6 =
  '(?:$|[\\x00-\\x2f\\x3b-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]|:(?:$|[\\x00-\\x2f\\x3b-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]))';

/** A condition that text has an address of a block; in the message alone, or anywhere. */
export function addressTextFilter(range: AddressRange, ref: TextFilter['ref']): TextFilter {
  const { tokens, between } = knownTokens(range);
  const isLong = range.version === 6;
  const pattern = `${addressPattern(range)}${isLong ? END6 : ''}`;
  return {
    ...{ filter: 'text', tokens, between, pattern, openStart: false, openEnd: isLong, ref },
    index: tokens.length === 0 ? 'none' : 'candidates',
  };
}

/** Tokens that each address of the block has in the same place, from the first on. */
function knownTokens(range: AddressRange): Pick<TextFilter, 'tokens' | 'between'> {
  const tokens: PhraseToken[] = [];
  const add = (text: string) => tokens.push({ text, wildcard: false });
  if (range.version === 4) {
    for (let shift = 24; shift >= 0; shift -= 8) {
      const octet = (range.low >>> shift) & 255;
      if (octet !== ((range.high >>> shift) & 255)) break;
      add(`${octet}`);
    }
  } else {
    const [from, to] = [groupsOf(range.low), groupsOf(range.high)];
    // A group of four digits has one spelling, and `::` cannot replace it.
    for (let i = 0; i < 8 && from[i] === to[i] && from[i]! >= 0x1000; i++)
      add(from[i]!.toString(16));
  }
  const delimiter = range.version === 4 ? '.' : ':';
  return { tokens, between: tokens.slice(1).map(() => delimiter) };
}
