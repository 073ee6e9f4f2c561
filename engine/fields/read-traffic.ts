/**
 * Sentences that say of traffic where it came from, as devices of all kinds write them: `Port scan! From 192.0.2.17:40001
 * to 198.51.100.1:22, proto TCP`, `TCP packet from 192.0.2.17 to 198.51.100.1 was dropped`.
 *
 * Held always: the sentence names traffic, no other address, and nothing whose two addresses are no sender and receiver
 * (translation, routes, answers, changes); nothing in it is quoted, or a pair.
 */
import { sentenceReader } from './read-sentence.ts';

/** What comes from somewhere, a few words before `from`. */
const TRAFFIC =
  /\b(?:connections?|packets?|traffic|attacks?|scan(?:ning|s)?|flood(?:ing|s)?|flows?|requests?|probes?|sweeps?|spoofing|intrusions?|datagrams?|fragments?|segments?|tcp|udp|icmp(?:v6)?|d?dos)\b/i;
const NEAR_WORDS = 8;
const OTHER = new RegExp(
  String.raw`\b(?:${[
    String.raw`s?d?nat(?:ted|ting)?\d*|pat|translat\w*|chang\w*|mov\w*|migrat\w*|switch(?:ed|ing|over)|redirect\w*|relay\w*|prox(?:y|ied)\w*`,
    String.raw`(?<!source[ -])rout\w*|respon\w*|repl(?:y|ies|ied)|answer\w*|return\w*|mapp\w*|updat\w*|transfer\w*|roam\w*|fail ?over\w*|renam\w*`,
    String.raw`convert\w*|cop(?:y|ied)|sync\w*|subnets?|ranges?|leas\w*|assign\w*|pools?|learn\w*|import\w*|export\w*|expect\w*|wait\w*`,
    String.raw`no|not|never|without|if|would|should|unless|example|quer(?:y|ies|ied)|said|says|comments?|subject|message|user ?agent|url`,
  ].join('|')})\b|n't\b`,
  'i',
);
/** Before `from` these tell of a setting. */
const SETTING =
  /\b(?:rules?|polic(?:y|ies)|acls?|access[ -]lists?|filters?|add\w*|delet\w*|remov\w*|creat\w*|config\w*|sett?(?:ings?)?)\b/i;
/** Quotes, pairs and addresses. */
const UNLIKE = /["'`<>{}|=@\\]|\d+\.\d+\.\d+\.\d|::|(?:[\da-f]{1,4}:){4}|\bfrom\b/i;
const MOST_BEFORE = 160;

const sideOf = (names: string): string =>
  String.raw`(?:the )?(?:(?:${names}) )?(?:(?:ip )?(?:address|host|ip):? )?(?:(?:${names}):? )?`;
const placeOf = (name: string, port: string): string =>
  String.raw`(?:(?<${name}Four>\d{1,3}(?:\.\d{1,3}){3})|\[(?<${name}Quoted>[\da-f:.]+)\]|(?<${name}Six>[\da-f]*:[\da-f:]*[\da-f]))(?:(?::|${port}):? ?(?<${name}Port>\d{1,5}))?`;
const ENDS = new RegExp(
  String.raw`\bfrom:? ${sideOf('source|src|client|remote|peer|attacker|sender')}${placeOf('a', ',? (?:source )?port')}(?:,? (?:to|-+>|=+>|towards|destined (?:to|for)):? ${sideOf('destination|dst|server|target|victim|local')}${placeOf('b', ',? (?:on )?(?:destination )?port')})?(?=[\s,;)\]]|[.!]?(?:\s|$))`,
  'di',
);

type Place = readonly [start: number, end: number];
interface Parts {
  from?: Place;
  from_port?: Place;
  to?: Place;
  to_port?: Place;
}

export const readTraffic = sentenceReader(['from', 'from_port', 'to', 'to_port'], 'rom', partsOf);

function partsOf(text: string): Parts | undefined {
  const found = ENDS.exec(text);
  const places = found?.indices?.groups as Readonly<Record<string, Place | undefined>> | undefined;
  if (found === null || places === undefined || found.index > MOST_BEFORE) return undefined;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  for (const words of [before, after])
    if (UNLIKE.test(words) || OTHER.test(words)) return undefined;
  const near = before.split(/\s+/).slice(-NEAR_WORDS).join(' ');
  if (!TRAFFIC.test(near) || SETTING.test(before)) return undefined;
  const parts: Parts = {};
  for (const [side, address, port] of [
    ['a', 'from', 'from_port'],
    ['b', 'to', 'to_port'],
  ] as const) {
    const place = places[`${side}Four`] ?? places[`${side}Quoted`] ?? places[`${side}Six`];
    const stated = places[`${side}Port`];
    if (place !== undefined) parts[address] = place;
    if (stated !== undefined) parts[port] = stated;
  }
  return parts;
}
