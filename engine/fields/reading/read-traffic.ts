/**
 * Sentences about the origin of traffic, as devices of all kinds write them: `Port scan! From 192.0.2.17:40001 to
 * 198.51.100.1:22, proto TCP`, `TCP packet from 192.0.2.17 to 198.51.100.1 was dropped`.
 *
 * Invariant: the sentence names traffic, no other address, and nothing whose two addresses are not sender and
 * receiver (translation, routes, answers, changes); it contains no quotation and no pair.
 */
import { sentenceReader } from './read-sentence.ts';

/** Words for traffic, a few words before `from`. */
const TRAFFIC =
  /\b(?:connections?|packets?|traffic|attacks?|scan(?:ning|s)?|flood(?:ing|s)?|flows?|requests?|probes?|sweeps?|spoofing|intrusions?|datagrams?|fragments?|segments?|tcp|udp|icmp(?:v6)?|d?dos)\b/i;
const NEAR_WORDS = 8;
const OTHER = new RegExp(
  String.raw`\b(?:${[
    String.raw`s?d?nat(?:ted|ting)?\d*|pat|translat\w*|chang\w*|mov\w*|migrat\w*|switch(?:ed|ing|over)|redirect\w*|relay\w*|prox(?:y|ied)\w*`,
    String.raw`(?<!source[ -])rout\w*|respon\w*|repl(?:y|ies|ied)|answer\w*|return\w*|mapp\w*|updat\w*|transfer\w*|roam\w*|fail ?over\w*|renam\w*`,
    String.raw`forwarding|port[- ]forward\w*|tunnels?|publish\w*|listen\w*|bind\w*|backends?|replicas?|upgrad\w*|downgrad\w*|versions?|firmware`,
    String.raw`convert\w*|cop(?:y|ied)|r?sync\w*|subnets?|ranges?|leas\w*|assign\w*|pools?|learn\w*|import\w*|export\w*|expect\w*|wait\w*`,
    String.raw`no|not|never|without|if|would|should|unless|example|quer(?:y|ies|ied)|said|says|comments?|subject|message|user ?agent|url`,
  ].join('|')})\b|n't\b`,
  'i',
);
/** Before `from` these indicate a setting. */
const SETTING =
  /\b(?:rules?|polic(?:y|ies)|acls?|access[ -]lists?|filters?|add\w*|delet\w*|remov\w*|creat\w*|starting|config\w*|sett?(?:ings?)?)\b/i;
/** Quotes, pairs, addresses, and quotations of other devices. */
const UNLIKE = /["'`<>{}|=@%\\]|\d+\.\d+\.\d+\.\d|::|(?:[\da-f]{1,4}:){4}|\bfrom\b/i;
const MOST_BEFORE = 160;

const sideOf = (names: string): string =>
  String.raw`(?:the )?(?:(?:${names}) )?(?:(?:ip )?(?:address|host|ip):? )?(?:(?:${names}):? )?`;
const placeOf = (name: string, port: string): string =>
  String.raw`(?:(?<${name}Four>\d{1,3}(?:\.\d{1,3}){3})|\[(?<${name}Quoted>[\da-f:.]+)\]|(?<${name}Six>[\da-f]*:[\da-f:]*[\da-f]))(?:(?::|${port}:? ?)(?<${name}Port>\d{1,5}))?`;
const ENDS = new RegExp(
  String.raw`\bfrom:? ${sideOf('source|src|client|remote|peer|attacker|sender')}${placeOf('a', ',? (?:source )?port')}(?:,? (?:to|-+>|=+>|towards|destined (?:to|for)):? ${sideOf('destination|dst|server|target|victim|local')}${placeOf('b', ',? (?:on )?(?:destination )?port')})?(?=[\s,;)\]]|[.!]?(?:\s|$))`,
  'di',
);

/** `from 192.0.2.17: 40001 to 198.51.100.1: 22`: that both ends have one shows that it is a port. */
const SPACED_ENDS = new RegExp(
  String.raw`\bfrom:? ${sideOf('source|src|client|remote|peer|attacker|sender')}${spacedPlace('a')},? to:? ${sideOf('destination|dst|server|target|victim|local')}${spacedPlace('b')}(?=[\s,;)\]]|[.!]?(?:\s|$))`,
  'di',
);
/** With several, or without a decision, the number may be a count, a size or a time. */
const DECIDED_ONE =
  /\b(?:den(?:y|ied)|block(?:ed)?|dropp?(?:ed)?|reject(?:ed)?|discard(?:ed)?|refused?|allow(?:ed)?|permit(?:ted)?|accept(?:ed)?)[: ]+(?:(?:in|out)bound )?(?:tcp |udp )?(?:connection|packet|flow|datagram|attack|scan|tcp|udp)\s+$/i;
const END_OR_CLAUSE = /^(?:[\s.!)\]]*$|[,;]| (?:on interface|by|due|proto|protocol|interface)\b)/i;

/** `192.0.2.17:40001 -> 198.51.100.1:22`, with both ports: only the text before it may deny that it is traffic. */
const ARROW = new RegExp(
  String.raw`(?<![\w.:-])<?${arrowEnd('a')} ?-{1,2}> ?${arrowEnd('b')}(?=[\s,;)\]>]|[.!]?(?:\s|$))`,
  'di',
);
/** A second arrow makes it unclear which ends are meant. */
const CHAIN = /^ ?[-=]+>/;
/** `10.0.0.0/8 -> 192.0.2.0/24`: no ports, or both are so low that they may as well be sizes of networks. */
const NETWORKS = /\/(?:[12]?\d|3[0-2]) ?-.*\/(?:[12]?\d|3[0-2])$/;
/** `src 192.0.2.17 dst 198.51.100.1 sport 40001 dport 22`. */
const LABELS = new RegExp(
  String.raw`\b(?:src|source)(?: ?(?:ip|addr(?:ess)?))?:? ${placeOf('a', ' port')},? (?:dst|dest|destination)(?: ?(?:ip|addr(?:ess)?))?:? ${placeOf('b', ' port')}(?:,? (?:src|source|s) ?port:? (?<aOwn>\d{1,5}))?(?:,? (?:dst|dest|destination|d) ?port:? (?<bOwn>\d{1,5}))?(?=[\s,;)\]]|[.!]?(?:\s|$))`,
  'di',
);

function spacedPlace(name: string): string {
  return String.raw`(?<${name}Four>\d{1,3}(?:\.\d{1,3}){3}): (?<${name}Port>\d{1,5})`;
}

function arrowEnd(name: string): string {
  return String.raw`(?:(?<${name}Four>\d{1,3}(?:\.\d{1,3}){3})|\[(?<${name}Quoted>[\da-f:.]+)\])(?:[:/](?<${name}Port>\d{1,5})|\((?<${name}Own>\d{1,5})\))`;
}

type Place = readonly [start: number, end: number];
interface Parts {
  from?: Place;
  from_port?: Place;
  to?: Place;
  to_port?: Place;
}

export const readTraffic = sentenceReader(
  ['from', 'from_port', 'to', 'to_port'],
  mayBeTraffic,
  partsOf,
);

/** Whether bytes have `->`, `from ` or `source:`, in letters of any size; the last two with a blank or colon. */
function mayBeTraffic(b: Uint8Array, start: number, end: number): boolean {
  for (let p = start + 3; p < end; p++) {
    const code = b[p]!;
    if (code === 62 && b[p - 1] === 45) return true;
    if (code !== 32 && code !== 58) continue;
    // Ends with `om`, `rc` or `ce`.
    const two = ((b[p - 2]! | 32) << 8) | (b[p - 1]! | 32);
    if (two === 0x6f6d || two === 0x7263 || two === 0x6365) return true;
  }
  return false;
}

function partsOf(text: string): Parts | undefined {
  for (const ends of [ARROW, LABELS, SPACED_ENDS, ENDS]) {
    const found = ends.exec(text);
    if (found === null) continue;
    if (found.index > MOST_BEFORE) return undefined;
    const before = text.slice(0, found.index);
    const after = text.slice(found.index + found[0].length);
    if (!isFree(before) || SETTING.test(before)) return undefined;
    if (ends === ARROW && (CHAIN.test(after) || NETWORKS.test(found[0]))) return undefined;
    if (ends === SPACED_ENDS && !(isFree(after) && isDecidedOne(before, after))) return undefined;
    if (ends === ENDS && !(isFree(after) && TRAFFIC.test(lastWords(before)))) return undefined;
    return placesIn(found);
  }
  return undefined;
}

/** Whether a part of a sentence contains no quotation, no other address, and no word that changes its subject. */
function isFree(text: string): boolean {
  return !UNLIKE.test(text) && !OTHER.test(text);
}

function isDecidedOne(before: string, after: string): boolean {
  return DECIDED_ONE.test(before) && END_OR_CLAUSE.test(after);
}

function lastWords(text: string): string {
  return text.split(/\s+/).slice(-NEAR_WORDS).join(' ');
}

function placesIn(found: RegExpExecArray): Parts {
  const places = found.indices!.groups as Readonly<Record<string, Place | undefined>>;
  const parts: Parts = {};
  for (const [side, address, port] of [
    ['a', 'from', 'from_port'],
    ['b', 'to', 'to_port'],
  ] as const) {
    const place = places[`${side}Four`] ?? places[`${side}Quoted`] ?? places[`${side}Six`];
    const stated = places[`${side}Port`] ?? places[`${side}Own`];
    if (place !== undefined) parts[address] = place;
    if (stated !== undefined) parts[port] = stated;
  }
  return parts;
}
