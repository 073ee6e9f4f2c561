/**
 * Meanings of records' members by name: the dialects of engine/fields, and names that mean the same in all
 * products. Invariant: a value never makes a column; a member that is not listed stays an attribute.
 *
 * Paths are compared without regard to case, `_`, `-` and blanks; dots divide the names of nested objects, so that
 * `creationTimestamp` of another object is never the time of the event.
 */
import { CUT_TEXTS } from '../../contract/event.ts';
import { once } from '../../util/once.ts';
import {
  type Case,
  type PathsByName,
  type RecordDialect,
  simplifyPath,
} from '../records/dialect.ts';
import { GENERAL_VALUES, generalNames, shippedDialects } from '../records/dialects.ts';
import { found } from '../cutting/found.ts';
import { matches } from '../cutting/match.ts';
import type { Template } from '../cutting/template.ts';
import type { Accounts } from '../reading/texts.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A record: names of its members, with dots for nested objects, and their values. */
export interface NamedValues {
  readonly keys: readonly string[];
  readonly values: readonly (string | number | boolean)[];
}

/** A field, or a part of one, that a path has in a dialect; the lower the rank the better. */
export interface Meaning {
  readonly field: string;
  readonly rank: number;
  /** A second field, of a text or of a part, that the same member gives. */
  readonly also?: Meaning | undefined;
  /** The value is a part of the member's. */
  readonly part?: Part | undefined;
}

/**
 * `list[].name`, `list[Name]`, `list[#1]` or `uri?name`; or the capture `name` of a template that matches the text
 * or, of a list, one of its texts.
 */
export interface Part {
  readonly of: 'elements' | 'named' | 'numbered' | 'parameters' | 'matched';
  readonly name: readonly string[];
  readonly templates?: readonly Template[];
}

/** The part of a member's text; undefined if it has none, or elements differ in it. */
export function partOf(text: string, { of, name, templates = [] }: Part): string | undefined {
  if (of === 'matched') return matchedIn(textsIn(text), name[0] ?? '', templates);
  if (of === 'numbered') return textsIn(text)[Number(name[0]) - 1];
  if (of === 'parameters') {
    const cut = text.indexOf('?');
    const query = cut < 0 ? '' : text.slice(cut + 1).replace(/#.*$/s, '');
    return new URLSearchParams(query).get(name[0] ?? '') ?? undefined;
  }
  if (!text.startsWith('[')) return undefined;
  const elements = listIn(text);
  if (of === 'named') {
    const value = valueOfName(elements, name[0] ?? '');
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  }
  let found: string | undefined;
  for (const element of elements) {
    let value: unknown = element;
    for (const step of name) value = stepInto(value, step);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    if (found !== undefined && found !== String(value)) return undefined;
    found = String(value);
  }
  return found === '' ? undefined : found;
}

/** Longer lists are not searched. */
const MOST_LIST = 256;

/** The common text of all elements of an array; other texts unchanged. */
export function onlyElement(text: string): string {
  if (text.length > MOST_LIST || !text.startsWith('["') || !text.endsWith('"]')) return text;
  const [first, ...rest] = listIn(text);
  return typeof first !== 'string' || rest.some((one) => one !== first) ? text : first;
}

/** The elements of a list that was written by `flatten`; none if a text only looks like one. */
function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** The elements of a list in their order; of any other text the text alone. */
function textsIn(text: string): readonly string[] {
  const list = text.startsWith('[') ? listIn(text) : [];
  return list.length === 0
    ? [text]
    : list.map((one) => (typeof one === 'string' || typeof one === 'number' ? String(one) : ''));
}

/** Longer texts are not matched. */
const MOST_MATCHED = 8192;

/** The value of a field in the first of some texts that has it, by the first template that fits. */
function matchedIn(
  texts: readonly string[],
  field: string,
  templates: readonly Template[],
): string | undefined {
  for (const text of texts) {
    if (text.length > MOST_MATCHED) continue;
    const bytes = encoder.encode(text);
    const template = templates.find((one) => matches(one, bytes, 0, bytes.length));
    const at = template?.fields.indexOf(field) ?? -1;
    const start = at < 0 ? -1 : found.starts[at]!;
    if (start >= 0) return decoder.decode(bytes.subarray(start, found.ends[at]));
  }
  return undefined;
}

/** A member, or of the list that it is the value of a name: `parameters[key]`. */
function stepInto(value: unknown, step: string): unknown {
  const open = step.indexOf('[');
  if (open < 0) return memberOf(value, step);
  return valueOfName(memberOf(value, step.slice(0, open)), step.slice(open + 1, -1));
}

/** The value of a name in a list of names and values, `[{"name":"a","value":"b"}]`. */
function valueOfName(list: unknown, name: string): unknown {
  if (!Array.isArray(list)) return undefined;
  const elements: readonly unknown[] = list;
  const found = elements.find((one) => {
    const key = memberOf(one, 'name') ?? memberOf(one, 'key');
    return typeof key === 'string' && simplifyPath(key) === name;
  });
  return memberOf(found, 'value');
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) if (simplifyPath(key) === name) return member;
  return undefined;
}

/** Splits a path into that of a member, and the part of it. */
function cutPath(path: string): { readonly member: string; readonly part: Part | undefined } {
  const list = path.indexOf('[].');
  if (list >= 0)
    return {
      member: path.slice(0, list),
      part: { of: 'elements', name: path.slice(list + 3).split('.') },
    };
  const numbered = path.indexOf('[#');
  if (numbered >= 0)
    return {
      member: path.slice(0, numbered),
      part: { of: 'numbered', name: [path.slice(numbered + 2, -1)] },
    };
  const named = path.indexOf('[');
  if (named >= 0)
    return {
      member: path.slice(0, named),
      part: { of: 'named', name: [path.slice(named + 1, -1)] },
    };
  const query = path.indexOf('?');
  if (query < 0) return { member: path, part: undefined };
  return {
    member: path.slice(0, query),
    part: { of: 'parameters', name: [path.slice(query + 1)] },
  };
}

/** The path of a member within the one that wraps the record. */
function withoutWrapper(key: string): string | undefined {
  const dot = key.indexOf('.');
  return dot < 0 || !WRAPPERS.has(key.slice(0, dot).toLowerCase())
    ? undefined
    : simplifyPath(key.slice(dot + 1));
}

/** The path of a member without wrapping members; undefined if there are none. */
function withoutWrappers(key: string): string | undefined {
  if (!key.includes('.')) return undefined;
  const written = key.split('.');
  const steps = written.map(simplifyPath);
  const last = steps.length - 1;
  // `Event.EventData`, `win.eventdata`, `body.event_data`: these describe the subject of a Windows event, not the
  // actor.
  const data = steps.indexOf('eventdata');
  if (data > 0 && (written[data] !== 'eventData' || WINDOWS.has(steps[data - 1]!)))
    return undefined;
  const significant = steps.filter(
    (step, i) => i === last || !(WRAPPERS.has(step) || PARTS.has(step)),
  );
  // `actor.session.user.email`: all names within an actor belong to the same one.
  if (significant.length > 2 && significant.slice(0, -1).every((step) => ACTING.has(step)))
    significant.splice(0, significant.length - 2);
  return significant.length === steps.length ? undefined : significant.join('.');
}

/** Paths of a case precede those of its dialect, and these precede the general ones. */
const CASE_RANK = 0;
const DIALECT_RANK = 200;
/** Templates of texts rank after names. */
const TEXT_RANK = 900;
export const GENERAL_RANK = 1000;
/** Among the general ones, members within a wrapper of the record come last. */
const WRAPPED_RANK = 500;
/** Members that wrap records: their content has the same meaning without them. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'event data properties payload record result details attributes fields body jsonpayload content eventdata'.split(
    ' ',
  ),
);
/** Members that hold the data of a Windows event. */
const WINDOWS: ReadonlySet<string> = new Set(['event', 'win', 'winlog']);
/** Members that structure records: general names keep their meaning in them. */
const PARTS: ReadonlySet<string> = new Set(
  'audit auditlog auditevent auditdata meta info eventdetails auditdetails actiondetails'.split(
    ' ',
  ),
);
const ACTING: ReadonlySet<string> = new Set(
  'actor session user client principal initiator'.split(' '),
);
/** Names that mean less in there. */
const AMBIGUOUS: ReadonlySet<string> = new Set(
  'type name category status method code id host source service user message description region account email login actor owner who flags proto protocol path image title time timestamp date created updated creationtime creationtimestamp createtimestamp creationdate createdon createddate datecreated insertedat sentat begintime starttimestamp logintime logontime'.split(
    ' ',
  ),
);

/** Names whose part in signatures is remembered. */
const MAX_KEYS = 8192;
/** Greater than the length of any list of names that identifies a dialect. */
const MOST_NAMES = 100;
const NUMBER = /^-?\d+$/;
/** Represents all values that are not listed. */
const ANY = '*';
/** Represents all numbers that are not listed. */
const ANY_NUMBER = '#';
const NO_PLACES: readonly number[] = [];
/** Greater than the number of names in any list that identifies a dialect. */
const MOST_LISTED = 16;
/** Fields that a member may give in addition to another. */
const SECONDS: ReadonlySet<string> = new Set([
  ...[...CUT_TEXTS, 'host', 'program', 'event_type', 'message'],
]);

/** Paths, of which the first that a record has gives the deciding value. */
class DecidingPaths {
  private readonly paths: readonly string[];
  /** By name of a member: its index among the paths, or -1. */
  private readonly known = new Map<string, number>();

  constructor(paths: readonly string[]) {
    this.paths = paths;
  }

  valueIn({ keys, values }: NamedValues): string | undefined {
    let best = this.paths.length;
    let found = -1;
    for (let i = 0; i < keys.length; i++) {
      const place = this.placeOf(keys[i]!);
      if (place < 0 || place >= best || values[i] === '') continue;
      best = place;
      found = i;
    }
    return found < 0 ? undefined : String(values[found]);
  }

  private placeOf(key: string): number {
    let place = this.known.get(key);
    if (place === undefined) {
      place = this.paths.indexOf(simplifyPath(key));
      if (this.known.size < MAX_KEYS) this.known.set(key, place);
    }
    return place;
  }
}

/** The meaning of paths in the records of one dialect, or of one case of it. */
export class Meanings {
  readonly id: string;
  readonly neverFlow: boolean;
  readonly accounts: Accounts;
  /**
   * Whether the fields of its records take more than the names of members: values, cases or texts, or a time of
   * each of several events. Dates and times of day in columns of their own are read from tables alone.
   */
  readonly decidesByValues: boolean;
  private readonly times: ReadonlyMap<string, string> | undefined;
  /** Constant fields of every record, with their texts. */
  readonly constants: readonly (readonly [field: string, text: Uint8Array])[];
  private readonly general: Meanings | undefined;
  private readonly not: readonly string[];
  private readonly byPath = new Map<string, Meaning>();
  private readonly byKey = new Map<string, Meaning | undefined>();
  private readonly values = new Map<string, ReadonlyMap<string, string>>();
  /** By the second deciding value (`''`: none; ANY: whatever it is), then by the first: the rules that apply. */
  private readonly cases = new Map<string, Map<string, Meanings>>();
  private readonly deciding: DecidingPaths | undefined;
  private readonly decidingOf: DecidingPaths | undefined;

  /** @param general the general meanings of names; undefined: these are the general ones */
  constructor(dialect: RecordDialect | undefined, general: Meanings | undefined, given?: Case) {
    this.id = dialect?.id ?? 'general';
    this.neverFlow = dialect?.neverFlow ?? false;
    this.accounts = given?.accounts ?? dialect?.accounts ?? 'account';
    this.times = dialect?.times;
    this.decidesByValues = dialect !== undefined && decidesByValues(dialect);
    this.constants = Object.entries({ ...dialect?.set, ...given?.set }).map(
      ([field, text]) => [field, encoder.encode(text)] as const,
    );
    for (const [field, texts] of Object.entries({ ...GENERAL_VALUES, ...dialect?.values }))
      this.values.set(field, new Map(Object.entries(texts)));
    const none = given?.not ?? [];
    if (given !== undefined) this.add(given.names, [], CASE_RANK);
    if (dialect !== undefined) this.add(dialect.names, none, DIALECT_RANK);
    for (const texts of [given?.texts, dialect?.texts])
      for (const [path, templates] of texts ?? []) this.addTexts(path, templates);
    this.general = general;
    // What a product's records are known to be is more reliable than their names.
    const known = this.constants.some(([field]) => field === 'action') ? ['action'] : [];
    this.not = [...none, ...(dialect?.not ?? []), ...known];
    if (given !== undefined || dialect === undefined || dialect.paths.length === 0) return;
    this.deciding = new DecidingPaths(dialect.paths);
    if (dialect.ofPaths.length > 0) this.decidingOf = new DecidingPaths(dialect.ofPaths);
    for (const one of dialect.cases) {
      const meanings = new Meanings(dialect, general, one);
      for (const of of one.of ?? [ANY]) {
        const cases = this.cases.get(of) ?? new Map<string, Meanings>();
        this.cases.set(of, cases);
        for (const value of one.values) if (!cases.has(value)) cases.set(value, meanings);
      }
    }
  }

  /** Whether names in general give its records no such field. */
  refuses(field: string): boolean {
    return this.not.includes(field);
  }

  of(key: string): Meaning | undefined {
    let meaning = this.byKey.get(key);
    if (meaning !== undefined || this.byKey.has(key)) return meaning;
    const unwrapped = withoutWrapper(key);
    meaning =
      this.byPath.get(simplifyPath(key)) ??
      (unwrapped === undefined ? undefined : this.listedIn(unwrapped)) ??
      this.generalOf(key);
    if (this.byKey.size < MAX_KEYS) this.byKey.set(key, meaning);
    return meaning;
  }

  private generalOf(key: string): Meaning | undefined {
    const meaning = this.general?.of(key) ?? this.wrapped(key);
    if (meaning === undefined || this.not.length === 0) return meaning;
    return without(meaning, this.not);
  }

  /** The dialect's own meaning of a wrapped member; ranks after unwrapped ones. */
  private listedIn(unwrapped: string): Meaning | undefined {
    const meaning = this.byPath.get(unwrapped);
    if (meaning === undefined || meaning.rank >= GENERAL_RANK) return undefined;
    return { ...meaning, rank: meaning.rank + WRAPPED_RANK };
  }

  /** The meaning of a member within a wrapper of the record, `data.ip_address`, if its name is specific enough. */
  private wrapped(key: string): Meaning | undefined {
    // `record.Event.System.…` is known as `event.system.…`.
    for (const unwrapped of [withoutWrapper(key), withoutWrappers(key)]) {
      const meaning =
        unwrapped === undefined || AMBIGUOUS.has(unwrapped)
          ? undefined
          : (this.general ?? this).byPath.get(unwrapped);
      if (meaning !== undefined && meaning.rank >= GENERAL_RANK)
        return { ...meaning, rank: meaning.rank + WRAPPED_RANK };
    }
    return undefined;
  }

  /** Whether each of several times of a record is an event. */
  get hasTimes(): boolean {
    return this.times !== undefined && this.times.size > 0;
  }

  /** The meaning of a member whose time is a separate event. */
  timeOf(key: string): string | undefined {
    return this.times?.get(simplifyPath(key));
  }

  /** The meanings for a record, by its deciding paths. */
  forRecord(record: NamedValues): Meanings {
    const value = this.deciding?.valueIn(record);
    if (value === undefined) return this;
    const cases = this.cases.get(this.decidingOf?.valueIn(record) ?? '');
    const others = this.cases.get(ANY);
    return cases?.get(value) ?? cases?.get('*') ?? others?.get(value) ?? others?.get('*') ?? this;
  }

  /** The values that a field may have, as written; undefined: any. */
  valuesOf(field: string): ReadonlyMap<string, string> | undefined {
    return this.values.get(field);
  }

  /** The meaning of general names. */
  static ofGeneralNames(): Meanings {
    const meanings = new Meanings(undefined, undefined);
    meanings.add(generalNames(), [], GENERAL_RANK);
    return meanings;
  }

  private add(names: PathsByName, not: readonly string[], from: number): void {
    for (const [name, paths] of Object.entries(names)) {
      if (not.includes(name)) continue;
      for (const [at, path] of paths.entries()) {
        const { member, part } = cutPath(path);
        this.addMeaning(member, { field: name, rank: from + at, part });
      }
    }
  }

  private addTexts(path: string, templates: readonly Template[]): void {
    for (const field of new Set(templates.flatMap(({ fields }) => fields))) {
      const part: Part = { of: 'matched', name: [field], templates };
      this.addMeaning(path, { field, rank: TEXT_RANK, part });
    }
  }

  private addMeaning(member: string, meaning: Meaning): void {
    const known = this.byPath.get(member);
    this.byPath.set(member, known === undefined ? meaning : withSecond(known, meaning));
  }
}

function decidesByValues({ isGeneral, names, ...dialect }: RecordDialect): boolean {
  if (isGeneral || names['ts_date'] !== undefined) return false;
  const { times, texts, paths, values } = dialect;
  return times.size + texts.size + paths.length + Object.keys(values).length > 0;
}

/**
 * A member's meaning combined with another field that it gives: a text, or one of another part, from the same list
 * of names.
 */
function withSecond(known: Meaning, second: Meaning): Meaning {
  const { field, rank } = second;
  const same = known.rank < GENERAL_RANK === rank < GENERAL_RANK;
  if (!same || known.field === field || !(SECONDS.has(field) || second.part !== undefined))
    return known;
  const also = known.also === undefined ? second : withSecond(known.also, second);
  return { ...known, also };
}

/** A meaning without some fields; undefined if none is left. */
function without({ also, ...meaning }: Meaning, not: readonly string[]): Meaning | undefined {
  const rest = also === undefined ? undefined : without(also, not);
  return not.includes(meaning.field) ? rest : { ...meaning, also: rest };
}

/** The stored form of a value among those that a field may have; undefined: it is none of them. */
export function storedAs(values: ReadonlyMap<string, string>, text: string): string | undefined {
  return values.get(text.toLowerCase()) ?? (NUMBER.test(text) ? values.get(ANY_NUMBER) : undefined);
}

/**
 * The names by which dialects are recognised, and the meanings in each: made once, when the first record is read.
 */
class Dialects {
  readonly general = Meanings.ofGeneralNames();
  /** For each list of names that identifies a dialect: its dialect, a bit for each of its names, and its weight. */
  readonly dialectOf: number[] = [];
  readonly names: number[] = [];
  readonly ranks: number[] = [];
  /** By name: its positions in lists, each as `list * MOST_LISTED + index in the list`. */
  readonly placesOf = new Map<string, number[]>();
  private readonly dialects = shippedDialects();
  private readonly meanings: (Meanings | undefined)[] = [];

  constructor() {
    for (const [dialect, { has, isGeneral }] of this.dialects.entries()) {
      for (const paths of has) {
        for (const [number, path] of paths.entries()) {
          const places = this.placesOf.get(path) ?? [];
          places.push(this.names.length * MOST_LISTED + number);
          this.placesOf.set(path, places);
        }
        this.dialectOf.push(dialect);
        this.names.push((1 << paths.length) - 1);
        this.ranks.push(isGeneral ? paths.length - MOST_NAMES : paths.length);
      }
    }
  }

  meaningsOf(dialect: number): Meanings {
    return (this.meanings[dialect] ??= new Meanings(this.dialects[dialect], this.general));
  }
}

const knownDialects = once(() => new Dialects());

/** Finds the dialect of records by the names of their members. */
export class DialectFinder {
  private readonly dialects = knownDialects();
  private readonly known = new Map<string, readonly number[]>();
  /** For each list, the names that the record has: a name may occur twice, directly and in a wrapper. */
  private readonly hits = new Uint32Array(this.dialects.names.length);

  /** The dialect with the most matching names, a product's before a general one; in a tie, the first. */
  find(keys: readonly string[]): Meanings {
    const { hits, known } = this;
    const { names, ranks, dialectOf, placesOf, general } = this.dialects;
    let best = -1;
    let most = -MOST_NAMES;
    let any = false;
    for (const key of keys) {
      let places = known.get(key);
      if (places === undefined) {
        places =
          placesOf.get(simplifyPath(key)) ?? placesOf.get(withoutWrapper(key) ?? '') ?? NO_PLACES;
        if (known.size < MAX_KEYS) known.set(key, places);
      }
      if (places.length === 0) continue;
      any = true;
      for (const place of places) {
        const at = Math.floor(place / MOST_LISTED);
        hits[at]! |= 1 << (place % MOST_LISTED);
        const rank = ranks[at]!;
        if (hits[at] !== names[at] || rank < most) continue;
        const dialect = dialectOf[at]!;
        if (rank === most && best >= 0 && dialect > best) continue;
        best = dialect;
        most = rank;
      }
    }
    if (any) hits.fill(0);
    return best < 0 ? general : this.dialects.meaningsOf(best);
  }
}
