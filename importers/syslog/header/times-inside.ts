/** Times further on in a line: in JSON, in XML, after other text. */
import { daysFromCivil } from '../../shared/bytes.ts';
import { SHAPE, type Stamp } from '../../shared/time/stamp.ts';
import { epochPlace, markedPlace, namedPlace, positionPlace } from '../places.ts';
import {
  COLON,
  GT,
  isAlnum,
  isDigit,
  LT,
  MINUS,
  OPEN,
  QUOTE,
  skipSpaces,
  SPACE,
  startsWith,
} from './bytes.ts';
import { type Header, isFirm } from './header.ts';

/** How far into a line its time may be. */
const INSIDE = 300;

const INSIDE_JSON = 2048;
const LF = 10;

/** Keys of JSON objects whose value is the record's time. */
const JSON_KEYS = [
  '"@timestamp"',
  '"timestamp"',
  '"time"',
  '"ts"',
  '"__REALTIME_TIMESTAMP"',
  '"eventTime"',
];

/** The time of a JSON object by its key, so that a time in its message is not taken for it. */
export function jsonTime(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const limit = Math.min(end, at + INSIDE_JSON);
  for (let i = at + 1; i < limit; i++) {
    if (b[i] !== QUOTE || b[i - 1] === 92) continue;
    const c = b[i + 1]! | 32;
    // The first letters of the keys: `@` (with bit 5 set), e, t, _ (with bit 5 set).
    if (c !== 96 && c !== 101 && c !== 116 && c !== 127) continue;
    for (let k = 0; k < JSON_KEYS.length; k++) {
      const key = JSON_KEYS[k]!;
      if (!startsWith(b, i, end, key)) continue;
      let p = skipSpaces(b, i + key.length, end);
      if (b[p] !== COLON) break;
      p = skipSpaces(b, p + 1, end);
      if (b[p] === QUOTE) p++;
      if (!h.stamp.parse(b, p, end)) break;
      if (h.stamp.shape !== SHAPE.epoch && !isFirm(h.stamp)) break;
      h.dated = true;
      return true;
    }
  }
  return false;
}

/**
 * The time of a Windows event in XML, `<Event …><System>…<TimeCreated SystemTime='…'/>`: its provider's name may be
 * longer than what precedes the time in other lines.
 */
function xmlTime(h: Header, b: Uint8Array, at: number, end: number): boolean {
  if (!startsWith(b, at, end, '<Event') || (b[at + 6] !== SPACE && b[at + 6] !== GT)) return false;
  const limit = Math.min(end, at + INSIDE_JSON);
  for (let i = at + 7; i < limit; i++) {
    if (b[i] === LT && startsWith(b, i, end, '</System>')) return false;
    if (b[i] !== 83 || !startsWith(b, i, end, 'SystemTime=')) continue;
    // Either kind of quotes.
    if (!h.stamp.parse(b, i + 12, end) || !isFirm(h.stamp)) return false;
    h.dated = true;
    return true;
  }
  return false;
}

const SLOW_QUERY = '# Time: ';
const SLOW_QUERY_SET = '\nSET timestamp=';

/**
 * The time of a statement in MySQL's slow query log. Before 5.7 the first line of a second states no zone, and the
 * other statements of that second have no such line. What follows may be the text of a user.
 */
function slowQueryTime(h: Header, b: Uint8Array, at: number, end: number): void {
  const { stamp } = h;
  if (startsWith(b, at, end, SLOW_QUERY)) {
    h.dated = stamp.parse(b, at + SLOW_QUERY.length, end) && stamp.zoned && isFirm(stamp);
    if (h.dated) return;
  } else if (!startsWith(b, at, end, '# User@Host: ')) return;
  for (let i = at; i < end; i++) {
    if (b[i] !== LF || !startsWith(b, i, end, SLOW_QUERY_SET)) continue;
    h.dated = stamp.parse(b, i + SLOW_QUERY_SET.length, end) && stamp.shape === SHAPE.epoch;
    return;
  }
}

/** The time of an event of several lines, once all of them are there. */
export function dateByLines(h: Header, b: Uint8Array): void {
  const { messageStart, messageEnd } = h;
  if (!xmlTime(h, b, messageStart, messageEnd)) slowQueryTime(h, b, messageStart, messageEnd);
}

/** A time further on in the line. The message is the whole line, since the text before the time matters, too. */
export function inside(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const json = b[at] === 123;
  if (json && jsonTime(h, b, at, end)) return true;
  if (b[at] === LT && xmlTime(h, b, at, end)) return true;
  const { stamp, places } = h;
  const limit = Math.min(end, at + (json ? INSIDE_JSON : INSIDE));
  let before = b[at]!;
  for (let i = at + 1; i < limit; i++) {
    const c = b[i]!;
    const starts = !isAlnum(before) && before !== 46 && before !== MINUS && before !== 95;
    before = c;
    if (!starts || !isAlnum(c)) continue;
    // An access log's `[10/Oct/2000:13:55:36 -0700]` may be anywhere.
    const bracketed = b[i - 1] === OPEN && b[i + 2] === 47;
    if (places?.length === 0 && !bracketed) continue;
    if (!stamp.parse(b, i, end)) continue;
    if (stamp.shape === SHAPE.epoch) {
      if (i > at + 16 || stamp.digits < 3 || stamp.digits > 6) {
        if (!isEpochPlace(h, b, at, i)) continue;
        h.dated = true;
        return true;
      }
    } else if (!isFirm(stamp)) {
      if (stamp.shape !== SHAPE.guessed || stamp.end - i < 19) continue;
    }
    if (!bracketed && !isTimePlace(h, b, at, i)) continue;
    h.dated = true;
    return true;
  }
  return false;
}

/**
 * How far two times of a line may be apart, but for whole quarters of an hour, which are the zone's: the more, the
 * more often a message that begins with another time shows the same one by chance.
 */
const SAME_SECONDS = 2;
const QUARTER_SECONDS = 900;
const MOST_OFFSET = 14 * 3600;

/** Words between a line's time and its message: host, address, tag. */
const MOST_WORDS = 3;

/**
 * The time with a zone that a program wrote at the beginning of its message: `Apr 13 22:14:36 ns1 httpd: 2026-04-13
 * 16:44:36.850Z [alice]: …`. It is the line's, if its header, which has no zone, shows the same time in some zone.
 */
export function exactTime(h: Header, b: Uint8Array, hostEnd: number, end: number): void {
  let word = hostEnd;
  for (let i = 0; i < MOST_WORDS && word < end; i++) {
    const isTagged = b[word - 1] === COLON;
    word++;
    if (b[word] === SPACE) word = skipSpaces(b, word, end);
    if ((i === 0 || isTagged) && startsDate(b, word, end)) {
      takeExact(h, b, word, end);
      return;
    }
    if (isTagged) return;
    while (word < end && b[word] !== SPACE) word++;
  }
}

function takeExact(h: Header, b: Uint8Array, at: number, end: number): void {
  const { stamp, inner } = h;
  if (stamp.numeric || !inner.parse(b, at, end) || !inner.zoned) return;
  if (isFirm(inner) && inner.year !== 0 && isSameTime(stamp, inner)) stamp.parse(b, at, end);
}

/** `2026-…`, `13-…`, `13/…`. */
function startsDate(b: Uint8Array, at: number, end: number): boolean {
  if (at + 20 > end || !isDigit(b[at]!)) return false;
  const mark = isDigit(b[at + 2]!) ? b[at + 4] : b[at + 2];
  return mark === MINUS || mark === 47;
}

/** Whether a time without a zone, perhaps without a year, may be the same as one with both. */
function isSameTime(local: Stamp, exact: Stamp): boolean {
  const days = daysFromCivil(exact.year, exact.month, exact.day);
  const instant = days * 86_400 + exact.seconds - exact.offset;
  for (let year = exact.year - 1; year <= exact.year + 1; year++) {
    if (local.year !== 0 && local.year !== year) continue;
    const offset = daysFromCivil(year, local.month, local.day) * 86_400 + local.seconds - instant;
    const quarter = Math.round(offset / QUARTER_SECONDS) * QUARTER_SECONDS;
    if (Math.abs(quarter) <= MOST_OFFSET && Math.abs(offset - quarter) <= SAME_SECONDS) return true;
  }
  return false;
}

/** Whether the log's lines have their times at this place. Records the place while places are being determined. */
function isTimePlace(h: Header, b: Uint8Array, start: number, at: number): boolean {
  const { places } = h;
  // The members of an object may be in any order: their names count.
  const json = b[start] === 123;
  const position = json ? 0 : positionPlace(b, start, at);
  const marked = json ? 0 : markedPlace(b, at);
  const named = namedPlace(b, start, at);
  if (places === undefined) {
    h.foundAt[0] = position;
    h.foundAt[1] = marked;
    h.foundAt[2] = named;
    return true;
  }
  return places.includes(position) || places.includes(marked) || places.includes(named);
}

/** The same for a number that is a time only by its place. */
function isEpochPlace(h: Header, b: Uint8Array, start: number, at: number): boolean {
  if (h.stamp.digits > 0) return false;
  const place = epochPlace(b, start, at);
  if (h.places !== undefined) return h.places.includes(place);
  if (h.epochAt === 0) {
    h.epochAt = place;
    h.epochSeconds = h.stamp.epochSeconds;
  }
  return false;
}
