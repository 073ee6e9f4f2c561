/**
 * Sentences that say whether a login was refused or accepted, as programs of all kinds write them: `Login failed
 * for user 'alice' from 192.0.2.17`, `User alice logged in from IP 192.0.2.17`, `Bad password for alice
 * (192.0.2.17)`.
 *
 * Invariant: every word of the message is known to occur in such sentences; only what is introduced (by `for`,
 * `user`, `from`, `IP`, or brackets after an account) is an account or an address.
 */
import { sentenceReader } from './read-sentence.ts';

const LOGIN = String.raw`(?:log ?(?:in|on)|sign[- ]in|auth(?:entication)?)`;
const ACT = `(?:${LOGIN}|password)`;
const TRY = '(?: (?:attempt|request|try))?';
const REFUSED = new RegExp(
  [
    String.raw`(?:failed|invalid|bad|wrong|incorrect|unsuccessful|rejected|denied|unauthori[sz]ed) (?:${ACT}${TRY}|credentials|user ?name or password|user ?name)`,
    `(?:password )?${ACT}${TRY} (?:failed|failure|denied|rejected|refused)`,
  ].join('|'),
  'iy',
);
/** An accepted password may not be the only factor. */
const ACCEPTED = new RegExp(
  `(?:successful|accepted) ${LOGIN}|${LOGIN} (?:successful|succeeded|success|accepted)`,
  'iy',
);
/** What follows an account that precedes the verb. */
const WAS_REFUSED =
  /failed to (?:log ?(?:in|on)|sign in|authenticate)|was not found in (?:ldap )?directory/iy;
const WAS_ACCEPTED =
  /(?:has )?(?:successfully )?(?:logged|signed) (?:in|on)|(?:has been |was )?(?:successfully )?authenticated/iy;
const HAS_ENDED =
  /(?:has |was |has been )?(?:successfully )?(?:logged|signed) (?:out|off)(?: of (?:the |an? )?(?:ssh2?|https?|web|telnet|console|gui|cli|api|vpn|rdp) session)?/iy;
/** Without a preceding `user` or `account`, what is signed off may be a document or a change. */
const IS_LOGGED_OUT = /(?:has |was |has been )?(?:successfully )?logged (?:out|off)/iy;
const QUOTED = String.raw`'([^']+)'|"([^"]+)"|${'`([^`]+)`'}|\[([^\]]+)\]|<([^>]+)>`;
const WORD = String.raw`([^\s,;:()'"${'`'}<>[\]]*[^\s,;:.()'"${'`'}<>[\]])`;
const NAME = new RegExp(
  String.raw`,? ?(?:(?:for|by|as|of) (?:the )?(?:user ?name|user|account)|for|user ?name|user|account)(?:[:=] ?| )(?:${QUOTED}|${WORD})(?=[\s,;:.(]|$)`,
  'diy',
);
const SUBJECT = new RegExp(
  String.raw`(?:(?:(?:admin(?:istrator)?|local|remote) )?(?:user|account)(?:[:=] ?| )(?:'([^']+)'|"([^"]+)"|${WORD})|'([^']+)'|"([^"]+)") `,
  'diy',
);
/** Words of the language in the positions of accounts and addresses. */
const NO_ACCOUNT = new RegExp(
  `^(?:${[
    'a|an|the|this|that|which|who|it|he|she|they|any|all|some|each|every|another|other|same|first|second|third|last|next',
    'user|users|username|name|accounts?|client|host|login|logon|password|authentication|sessions?|unknown|invalid|reason',
    'everyone|everybody|someone|somebody|anyone|anybody|data|activity|activities|agents?|null',
    'interface|portal|logins|locked|unlocked|disabled|expired|profile|directory|device',
    'is|was|were|are|be|been|being|has|have|had|will|would|can|cannot|could|may|might|must|should|did|does|do|got|tried',
    'not|never|no|none|already|again|once|twice|just|now|then|still|yet|also|only|always|often|before|after|almost|soon|later',
    'from|by|at|on|in|to|of|for|as|with|without|via|using|through|over|and|or|but|if|when|while|because|due|logged|failed',
  ].join('|')}|\\S+n't|.*\\d+\\.\\d+\\.\\d+\\.\\d.*|.*(?:::|(?:[\\da-f]+:){7}).*)$`,
  'i',
);
const ADVERB = /^[a-z]+ly$/i;
const SIDE = '(?:private|remote|client|source)';
const ADDRESS = new RegExp(
  String.raw`,? ?(?<from>from (?:the )?(?:(?:${SIDE} )?(?:ip ?address|address|ip|host|client)(?:[:=] ?| ))?|(?:${SIDE} (?:ip ?address|address|ip|host)|ip ?address|ip|client)(?:[:=] ?| ))?(?<open>['"${'`'}([<]?)(?<ip>\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*[\da-f])(?::(?<inner>\d{1,5})(?=[\])]))?(?:\.(?=['"${'`'}]))?(?<close>['"${'`'})\]>]?)(?:(?::| port )(?<port>\d{1,5}))?(?=[\s,;:.!)]|$)`,
  'diy',
);
const CLOSES: Readonly<Record<string, string>> = {
  '': '',
  "'": "'",
  '"': '"',
  '`': '`',
  '(': ')',
  '[': ']',
  '<': '>',
};

const PROTOCOL = String.raw`(?:ssh2?|https?|web|telnet|console|gui|cli|api|s?ftp|imaps?|pop3s?|smtps?|rdp|vnc|vpn)`;
const BY_PROTOCOL = String.raw`(?: (?:via|over|using|through) (?:the |an? )?${PROTOCOL}(?: (?:protocol|interface|session|connection))?| \(${PROTOCOL}\))`;
const PROTOCOL_CLAUSE = new RegExp(String.raw`${BY_PROTOCOL}(?=[\s,;.]|$)`, 'iy');
/** `Login failed for SSH`: no account. */
const FOR_PROTOCOL = new RegExp(`^,? ?(?:for|by|as|of) ${PROTOCOL}$`, 'i');
const SECRET = '(?:user ?name|user|login|account|password|credentials?)';
const REASON = `(?:reason[:=] ?)?(?:${[
  `(?:wrong|bad|invalid|incorrect|unknown|expired|no such|disabled|locked) ${SECRET}(?: (?:or|and|/) ${SECRET})?`,
  `${SECRET}(?: (?:or|and|/) ${SECRET})? (?:(?:is|was|has|has been) )?(?:not found|does not exist|unknown|wrong|invalid|incorrect|mismatch|expired|locked(?: out)?|disabled|rejected|not allowed)`,
  '(?:permission|access) denied|authentication (?:failed|failure)|too many (?:failed )?(?:login )?(?:attempts|failures)',
].join('|')})`;
/** What may follow a sentence without changing its meaning. */
const TAILS = {
  accepted: /[.!]?$/y,
  refused: new RegExp(String.raw`(?:[.!]? ?[:,;-] ?${REASON}|[.!]? ?\(${REASON}\))?[.!]?$`, 'iy'),
} as const;

const KEYS = ['user', 'address', 'port', 'refused', 'accepted', 'ended'] as const;

/** The positions of a sentence's parts. */
type Parts = Partial<Record<(typeof KEYS)[number], readonly [number, number]>>;

export const readLogin = sentenceReader(KEYS, () => true, partsOf);

function partsOf(text: string): Parts | undefined {
  const parts: Parts = {};
  let at = phraseAt(text, 0, parts, { refused: REFUSED, accepted: ACCEPTED });
  if (at < 0) {
    const subject = matchAt(SUBJECT, text, 0);
    if (subject === undefined) return undefined;
    const name = valueOf(subject);
    const user = text.slice(...name);
    if (NO_ACCOUNT.test(user) || ADVERB.test(user)) return undefined;
    parts.user = name;
    at = phraseAt(text, subject[0].length, parts, {
      ...{ refused: WAS_REFUSED, accepted: WAS_ACCEPTED },
      ended: /^['"]/.test(subject[0]) ? IS_LOGGED_OUT : HAS_ENDED,
    });
    if (at < 0) return undefined;
  }
  for (;;) {
    const next = clauseAt(text, at, parts);
    if (next < 0) break;
    at = next;
  }
  if (parts.address === undefined) return undefined;
  const tail = parts.refused === undefined ? TAILS.accepted : TAILS.refused;
  return matchAt(tail, text, at) === undefined ? undefined : parts;
}

/** Reads the outcome of the login. @returns its end, or -1 */
function phraseAt(
  text: string,
  at: number,
  parts: Parts,
  phrases: Partial<Record<'refused' | 'accepted' | 'ended', RegExp>>,
): number {
  for (const key of ['refused', 'accepted', 'ended'] as const) {
    const phrase = phrases[key];
    const found = phrase && matchAt(phrase, text, at);
    if (found === undefined) continue;
    const end = at + found[0].length;
    if (/\w/.test(text[end] ?? ' ')) continue;
    parts[key] = [at, end];
    return end;
  }
  return -1;
}

/** Reads a protocol, an account or an address. @returns its end, or -1 */
function clauseAt(text: string, at: number, parts: Parts): number {
  const protocol = matchAt(PROTOCOL_CLAUSE, text, at);
  if (protocol !== undefined) return at + protocol[0].length;
  const place = parts.address === undefined ? matchAt(ADDRESS, text, at) : undefined;
  if (place?.groups !== undefined) {
    const { from, open = '', inner, close } = place.groups;
    const isIntroduced = from !== undefined || (parts.user !== undefined && /[([]/.test(open));
    if (isIntroduced && CLOSES[open] === close) {
      const { ip, port, inner: within } = place.indices!.groups!;
      parts.address = ip!;
      const stated = inner === undefined ? port : within;
      if (stated !== undefined) parts.port = stated;
      return at + place[0].length;
    }
  }
  const account = parts.user === undefined ? matchAt(NAME, text, at) : undefined;
  if (account === undefined) return -1;
  const name = valueOf(account);
  if (NO_ACCOUNT.test(text.slice(...name)) || FOR_PROTOCOL.test(account[0])) return -1;
  parts.user = name;
  return at + account[0].length;
}

/** The position of the group that took part in a match. */
function valueOf(found: RegExpExecArray): readonly [number, number] {
  return found.indices!.slice(1).find((one) => one !== undefined)!;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
