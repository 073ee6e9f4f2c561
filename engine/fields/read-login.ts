/**
 * Sentences that say of a login that it was refused or accepted, as programs of all kinds write them: `Login failed for
 * user 'alice' from 192.0.2.17`, `User alice logged in from IP 192.0.2.17`, `Bad password for alice (192.0.2.17)`.
 *
 * Held always: the sentence is the whole message, up to a mark after which no other address comes; what it does not
 * introduce (`for`, `user`, `from`, `IP`, brackets) is no account and no address.
 */
import { hashOn } from './key-table.ts';
import { offer } from './found.ts';
import type { Pairs } from './template.ts';

const utf8 = new TextEncoder();
const latin1 = new TextDecoder('latin1');
const MOST_BYTES = 512;

const ACT = String.raw`(?:log ?(?:in|on)|logon|sign[- ]in|auth(?:entication)?|password)`;
const TRY = '(?: (?:attempt|request|try))?';
const REFUSED = new RegExp(
  [
    String.raw`(?:failed|invalid|bad|wrong|incorrect|unsuccessful|rejected|denied|unauthori[sz]ed) (?:${ACT}${TRY}|credentials|user ?name or password|user ?name)`,
    `(?:password )?${ACT}${TRY} (?:failed|failure|denied|error|rejected|refused)`,
  ].join('|'),
  'iy',
);
const ACCEPTED = new RegExp(
  `(?:successful|accepted) (?:${ACT}|publickey)|${ACT} (?:successful|succeeded|success|accepted)`,
  'iy',
);
/** What is said of an account that comes before it. */
const WAS_REFUSED =
  /failed to (?:log ?(?:in|on)|sign in|authenticate)|was not found in (?:ldap )?directory/iy;
const WAS_ACCEPTED =
  /(?:has )?(?:successfully )?(?:logged|signed) (?:in|on)|(?:has been |was )?(?:successfully )?authenticated/iy;
/** An account behind what introduces it, in quotes or brackets, or a word. */
const QUOTED = String.raw`'([^']+)'|"([^"]+)"|${'`([^`]+)`'}|\[([^\]]+)\]|<([^>]+)>`;
const NAME = new RegExp(
  String.raw`,? ?(?:(?:for|by|as|of) (?:the )?(?:(?:user ?name|user|account|login)[:=]? ?)?|(?:user ?name|user|account|login)[:= ] ?)(?:${QUOTED}|([^\s,;:()'"${'`'}<>[\]]*[^\s,;:.()'"${'`'}<>[\]]))(?=[\s,;:.(]|$)`,
  'iy',
);
const SUBJECT = /(?:user |account )?(?:'([^']+)'|"([^"]+)"|([\w.@\\-]+)) /iy;
/** Words that begin a sentence and are no account. */
const NO_SUBJECT = /^(?:the|this|a|an|user|account|client|host|password|login|authentication)$/i;
const ADDRESS = new RegExp(
  String.raw`,? ?(?:(?:from|by) )?(?:(?:the )?(?:(?:private|remote|client|source) )?(?:ip ?address|address|ip|host|client)[:=]? ?)?(?<open>['"${'`'}([<]?)(?<ip>\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*[\da-f])(?:\.(?=['"${'`'}]))?(?<close>['"${'`'})\]>]?)(?:(?::| port )(?<port>\d{1,5}))?(?=[\s,;:.!)]|$)`,
  'iy',
);
/** What may follow a sentence: nothing, or a mark and anything without another address. */
const TAIL = /[.!]?$|[ ]?[,;:.!(-](?!.*(?:\d+\.\d+\.\d+\.\d|::|(?:[\da-f]+:){7})).*$/isy;
const INTRODUCED = /\b(?:from|by|ip|address|host|client)[:=]? ?$/i;

const KEYS = ['user', 'address', 'port', 'refused', 'accepted'] as const;
type Key = (typeof KEYS)[number];
const BYTES = new Map(
  KEYS.map((key) => {
    const bytes = utf8.encode(key);
    return [key, { bytes, hash: bytes.reduce(hashOn, 0) }] as const;
  }),
);

/** What was read of a sentence: where each part is. */
type Parts = Partial<Record<Key, readonly [number, number]>>;

export function readLogin({ keys }: Pairs, b: Uint8Array, start: number, end: number): void {
  if (end - start > MOST_BYTES) return;
  const parts = partsOf(latin1.decode(b.subarray(start, end)));
  for (const key of KEYS) {
    const part = parts?.[key];
    if (part === undefined) continue;
    const { bytes, hash } = BYTES.get(key)!;
    const i = keys.find(hash, bytes, 0, bytes.length);
    if (i >= 0) offer(keys.values[i]!, b, start + part[0], start + part[1], i + 1);
  }
}

function partsOf(text: string): Parts | undefined {
  const parts: Parts = {};
  let at = phraseAt(text, 0, parts, REFUSED, ACCEPTED);
  if (at < 0) {
    const subject = matchAt(SUBJECT, text, 0);
    if (subject === undefined) return undefined;
    const name = valueOf(subject);
    if (NO_SUBJECT.test(text.slice(...name))) return undefined;
    parts.user = name;
    at = phraseAt(text, subject[0].length, parts, WAS_REFUSED, WAS_ACCEPTED);
    if (at < 0) return undefined;
  }
  for (;;) {
    const next = clauseAt(text, at, parts);
    if (next < 0) break;
    at = next;
  }
  const isWhole = matchAt(TAIL, text, at) !== undefined;
  return isWhole && parts.address !== undefined ? parts : undefined;
}

/** Reads what became of the login. @returns where it ends, or -1 */
function phraseAt(
  text: string,
  at: number,
  parts: Parts,
  refused: RegExp,
  accepted: RegExp,
): number {
  for (const [key, phrase] of [
    ['refused', refused],
    ['accepted', accepted],
  ] as const) {
    const found = matchAt(phrase, text, at);
    if (found === undefined) continue;
    const end = at + found[0].length;
    if (/\w/.test(text[end] ?? ' ')) continue;
    parts[key] = [at, end];
    return end;
  }
  return -1;
}

/** Reads an account or an address. @returns where it ends, or -1 */
function clauseAt(text: string, at: number, parts: Parts): number {
  const place = parts.address === undefined ? matchAt(ADDRESS, text, at) : undefined;
  if (place?.groups !== undefined) {
    const { open = '', ip = '', port } = place.groups;
    const from = at + place[0].indexOf(open + ip) + open.length;
    const isIntroduced = open !== '' || INTRODUCED.test(text.slice(at, from));
    if (isIntroduced) {
      const end = at + place[0].length;
      parts.address = [from, from + ip.length];
      if (port !== undefined) parts.port = [end - port.length, end];
      return end;
    }
  }
  const account = parts.user === undefined ? matchAt(NAME, text, at) : undefined;
  if (account === undefined) return -1;
  const [from, to] = valueOf(account);
  parts.user = [at + from, at + to];
  return at + account[0].length;
}

/** Where in a match the group is that took part; groups are at its end. */
function valueOf(found: RegExpExecArray): readonly [number, number] {
  const value = found.slice(1).find((group) => group !== undefined) ?? '';
  const from = found[0].lastIndexOf(value);
  return [from, from + value.length];
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
