/** Detects records in JSON: one on each line, or the elements of a list. Invariant: it never throws. */
import { type Detected, fits, type Head, type Shape, withDefaults } from '../detected.ts';
import { eve, eveTypeOf } from '../dialects/eve.ts';
import { nfdumpJson } from '../dialects/nfdump.ts';
import { ZeekLogFinder, zeekJson } from '../dialects/zeek.ts';
import { simplify } from '../fields.ts';
import { flatten, type Flat } from '../../../engine/fields/reading/json/flatten.ts';
import { LIST_NAMES } from './json-elements.ts';
import { eventsOf } from './listed-events.ts';

/** The first events that a record lists show what the others are. */
const MAX_LISTED_EVENTS = 50;

/** Whether more than half of the lines are objects, among lines of a log. */
export function isMostlyObjects(lines: readonly string[]): boolean {
  const stated = lines.filter((line) => line.trim() !== '');
  const begun = stated.filter((line) => line.startsWith('{'));
  if (begun.length * 2 <= stated.length) return false;
  const objects = begun.filter((line) => parseObject(line) !== undefined).length;
  return objects * 2 > stated.length;
}

/** An object if `text` is the JSON of one. */
function parseObject(text: string): Flat | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const flat: Flat = { keys: [], values: [] };
    return flatten(value, flat) ? flat : undefined;
  } catch {
    return undefined;
  }
}

export function detectJson(head: Head, first: number, asked: string): Detected | undefined {
  const lines = head.lines.slice(first).filter((line) => line.trim() !== '');
  const flats: Flat[] = [];
  let shape: Shape = 'json-lines';
  for (const line of lines) {
    if (!line.trimStart().startsWith('{')) continue;
    const flat = parseObject(line);
    if (flat !== undefined) flats.push(flat);
  }
  const opening = lines[0]!.trimStart();
  // A bracket begins many a line of a log: an array of objects has a brace next.
  if (opening.startsWith('[') && !/^\[\s*(?:[{\]]|$)/.test(opening) && asked === '') {
    return undefined;
  }
  const jsonShare = flats.length / lines.length;
  const inside = asked === 'json-lines' ? -1 : listStart(head.text);
  // No line of a multi-line object is an object by itself.
  const whole = asked === 'json-lines' || (flats.length > 0 && !opening.startsWith('['));
  if (!whole || asked === 'json-array' || inside >= 0) {
    shape = 'json-elements';
    flats.length = 0;
    for (const element of elementsOf(head.text.slice(Math.max(0, inside)))) {
      const flat = parseObject(element);
      if (flat !== undefined) flats.push(flat);
      if (flats.length >= 50) break;
    }
    if (flats.length === 0 && asked === '' && !/^\[?\s*\{\s*"/.test(head.text.trimStart())) {
      return undefined;
    }
  }
  const keys = new Set<string>();
  const records = flats.flatMap((flat) => [
    ...Iterator.from(eventsOf(flat).events).take(MAX_LISTED_EVENTS),
  ]);
  for (const { keys: recordKeys } of records)
    for (const key of recordKeys) if (keys.size < 5000) keys.add(key);
  const names = new Set([...keys].map(simplify));
  const sure = { columns: [...keys], sample: [], quoted: false, shape, lists: inside >= 0 };
  const most = (test: (flat: Flat) => boolean): boolean =>
    records.length > 0 && records.filter(test).length * 2 > records.length;
  if (asked === 'suricata-eve' || most((flat) => eveTypeOf(flat, false) !== undefined)) {
    return withDefaults({ score: 0.97, format: 'suricata-eve', dialect: eve, ...sure }, ',');
  }
  if (asked === 'nfdump-json' || fits(nfdumpJson, names)) {
    return withDefaults({ score: 0.97, format: 'nfdump-json', dialect: nfdumpJson, ...sure }, ',');
  }
  const logs = new ZeekLogFinder();
  const scoped = keys.has('id.orig_h') || keys.has('_path') || keys.has('@stream');
  if (asked === 'zeek-json' || scoped || most((flat) => logs.find(flat, false) !== undefined)) {
    return withDefaults({ score: 0.96, format: 'zeek-json', dialect: zeekJson, ...sure }, ',');
  }
  const columns = [...keys];
  const sample = records.slice(0, 50).map(({ keys: itsKeys, values }) =>
    columns.map((column) => {
      const at = itsKeys.indexOf(column);
      return at < 0 ? '' : String(values[at]);
    }),
  );
  return withDefaults(
    {
      ...sure,
      // If most of the records' lines are lines of a log.
      score: shape === 'json-lines' && jsonShare <= 0.5 ? 0.6 * jsonShare : 0.6,
      format: shape === 'json-lines' ? 'json-lines' : 'json-array',
      sample,
    },
    ',',
  );
}

/** A member that is just a word describing the list next to it. */
const WORD_MEMBER =
  /\s*"([^"\\]{1,64})"\s*:\s*(?:"((?:[^"\\]|\\.){0,1000})"|(\{[^{}[\]]{0,1000}\})|[\w.+-]{1,40})\s*,/y;
const LIST_MEMBER = /\s*"([^"\\]{1,64})"\s*:\s*\[\s*\{/y;
/**
 * An object with a time, an actor or an origin is an event, whatever lists it has: its members do not describe the
 * records of a list.
 */
const EVENT_NAME =
  /^@?(?:event_?)?(?:time|timestamp|date|datetime|ts)$|^event_?(?:name|type)$|^created_?at$|^(?:client|source|src|remote|caller)?_?ip(?:_?addr(?:ess)?)?$|^(?:user|user_?name|actor|principal|host|host_?name|computer|severity|operation|outcome)$/i;
/** Members that describe a list: its length, and where it continues. */
const ABOUT_NAME = /^(?:response_?)?meta(?:data)?$|^_?links?$|^pag(?:e|ing|ination)$|^status$|^@/i;
const MOST_WORD_MEMBERS = 16;

/**
 * Start of the first element of a list of records, if the content is an object with one; otherwise -1. For a large
 * object its beginning decides, for one on a line within the head all of it.
 */
function listStart(text: string): number {
  let at = /^[\ufeff\s]*\{/.exec(text.slice(0, 1024))?.[0].length ?? -1;
  if (at < 0) return -1;
  for (let n = 0; n < MOST_WORD_MEMBERS; n++) {
    LIST_MEMBER.lastIndex = at;
    const list = LIST_MEMBER.exec(text);
    if (list !== null) {
      const isList = LIST_NAMES.has(list[1]!) && !saysMore(firstLine(text), list[1]!);
      return isList ? LIST_MEMBER.lastIndex - 1 : -1;
    }
    WORD_MEMBER.lastIndex = at;
    const member = WORD_MEMBER.exec(text);
    if (member === null || isOfEvent(member[1]!, member[3] !== undefined)) return -1;
    at = WORD_MEMBER.lastIndex;
  }
  return -1;
}

function isOfEvent(name: string, isObject: boolean): boolean {
  return EVENT_NAME.test(name) || (isObject && !ABOUT_NAME.test(name));
}

function firstLine(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n', 1)[0]!;
}

/** Whether an object has other members than a list of records and words about it. */
function saysMore(text: string, list: string): boolean {
  const members = tryParse(text);
  return (
    typeof members === 'object' &&
    members !== null &&
    Object.entries(members).some(
      ([name, value]) =>
        name !== list &&
        (isOfEvent(name, typeof value === 'object' && value !== null && !Array.isArray(value)) ||
          (Array.isArray(value) && value.some((one) => typeof one === 'object'))),
    )
  );
}

/** Undefined: invalid or incomplete JSON. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Texts of the objects that begin in the head, in an array or one after another. */
function* elementsOf(text: string): Generator<string> {
  let depth = 0;
  let start = -1;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = start >= 0;
    else if (char === '{') {
      if (depth === 0) start = i;
      depth += 1;
    } else if (char === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) {
        yield text.slice(start, i + 1);
        start = -1;
      }
    }
  }
}
