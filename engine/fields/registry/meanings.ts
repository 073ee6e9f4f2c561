/**
 * What members of records mean, by their names: the dialects of engine/fields, and names that mean the same whatever
 * wrote them. Held always: a value never makes a column; a member that is not listed stays an attribute.
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
import { GENERAL_NAMES, GENERAL_VALUES, shippedDialects } from '../records/dialects.ts';
import { found } from '../cutting/found.ts';
import { matches } from '../cutting/match.ts';
import type { Template } from '../cutting/template.ts';
import type { Accounts } from '../reading/texts.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A record as names of its members, dots between those of nested objects, and their values. */
export interface NamedValues {
  readonly keys: readonly string[];
  readonly values: readonly (string | number | boolean)[];
}

/** A field, or a part of one, that a path has in a dialect; the lower the rank the better. */
export interface Meaning {
  readonly field: string;
  readonly rank: number;
  /** Another field, of texts or of a part, that the same member gives. */
  readonly also?: Meaning | undefined;
  /** The value is a part of the member's. */
  readonly part?: Part | undefined;
}

/** `list[].name`, `list[Name]` or `uri?name`; or what a text has where one of the templates has the field `name`. */
export interface Part {
  readonly of: 'elements' | 'named' | 'parameters' | 'matched';
  readonly name: readonly string[];
  readonly templates?: readonly Template[];
}

/** The part of a member's text; undefined where it has none, or elements differ in it. */
export function partOf(text: string, { of, name, templates = [] }: Part): string | undefined {
  if (of === 'matched') return matchedIn(text, name[0] ?? '', templates);
  if (of === 'parameters') {
    const cut = text.indexOf('?');
    const query = cut < 0 ? '' : text.slice(cut + 1).replace(/#.*$/s, '');
    return new URLSearchParams(query).get(name[0] ?? '') ?? undefined;
  }
  if (!text.startsWith('[')) return undefined;
  const elements = elementsOf(text);
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

/** Longer lists are not looked into. */
const MOST_LIST = 256;

/** The text that all elements of an array are; other texts as they are. */
export function onlyElement(text: string): string {
  if (text.length > MOST_LIST || !text.startsWith('["') || !text.endsWith('"]')) return text;
  const [first, ...rest] = listIn(text);
  return typeof first !== 'string' || rest.some((one) => one !== first) ? text : first;
}

/** None where a text only looks like an array. */
function listIn(text: string): readonly unknown[] {
  try {
    return elementsOf(text);
  } catch {
    return [];
  }
}

/** Longer texts are not matched. */
const MOST_MATCHED = 8192;

/** The value of a field in a text, by the first template that fits. */
function matchedIn(
  text: string,
  field: string,
  templates: readonly Template[],
): string | undefined {
  if (text.length > MOST_MATCHED) return undefined;
  const bytes = encoder.encode(text);
  for (const template of templates) {
    if (!matches(template, bytes, 0, bytes.length)) continue;
    const at = template.fields.indexOf(field);
    const start = at < 0 ? -1 : found.starts[at]!;
    return start < 0 ? undefined : decoder.decode(bytes.subarray(start, found.ends[at]));
  }
  return undefined;
}

/** The elements of a list that was written by `flatten`. */
function elementsOf(text: string): readonly unknown[] {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list : [];
}

/** A member, or of the list that it is the value of a name: `parameters[key]`. */
function stepInto(value: unknown, step: string): unknown {
  const open = step.indexOf('[');
  if (open < 0) return memberOf(value, step);
  return valueOfName(memberOf(value, step.slice(0, open)), step.slice(open + 1, -1));
}

/** Of a list of names and values, `[{"name":"a","value":"b"}]`, the value of a name. */
function valueOfName(list: unknown, name: string): unknown {
  if (!Array.isArray(list)) return undefined;
  const elements: readonly unknown[] = list;
  const found = elements.find((one) => {
    const own = memberOf(one, 'name') ?? memberOf(one, 'key');
    return typeof own === 'string' && simplifyPath(own) === name;
  });
  return memberOf(found, 'value');
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) if (simplifyPath(key) === name) return member;
  return undefined;
}

/** Divides a path into that of a member, and the part of it. */
function cutPath(path: string): { readonly member: string; readonly part: Part | undefined } {
  const list = path.indexOf('[].');
  if (list >= 0)
    return {
      member: path.slice(0, list),
      part: { of: 'elements', name: path.slice(list + 3).split('.') },
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

/** The path of a member without all those that only wrap; undefined: none does. */
function withoutWrappers(key: string): string | undefined {
  if (!key.includes('.')) return undefined;
  const written = key.split('.');
  const steps = written.map(simplifyPath);
  const last = steps.length - 1;
  // `Event.EventData`, `win.eventdata`, `body.event_data`: said of whom an event of Windows is about, not of who acts.
  const data = steps.indexOf('eventdata');
  if (data > 0 && (written[data] !== 'eventData' || WINDOWS.has(steps[data - 1]!)))
    return undefined;
  const own = steps.filter((step, i) => i === last || !(WRAPPERS.has(step) || PARTS.has(step)));
  // `actor.session.user.email`: of one who acts, all that are named are the same.
  if (own.length > 2 && own.slice(0, -1).every((step) => ACTING.has(step)))
    own.splice(0, own.length - 2);
  return own.length === steps.length ? undefined : own.join('.');
}

/** Paths of a case come before those of its dialect, and these before the general ones. */
const CASE_RANK = 0;
const DIALECT_RANK = 200;
/** What a text says comes after what names say. */
const TEXT_RANK = 900;
export const GENERAL_RANK = 1000;
/** Of the general ones, what stands in a member that wraps the record comes last. */
const WRAPPED_RANK = 500;
/** Members that wrap records: what is in them means what it means without them. */
const WRAPPERS: ReadonlySet<string> = new Set(
  'event data properties payload record result details attributes fields body jsonpayload content eventdata'.split(
    ' ',
  ),
);
/** Members that hold what Windows says of an event. */
const WINDOWS: ReadonlySet<string> = new Set(['event', 'win', 'winlog']);
/** Members that divide records: what general names mean in them is the same. */
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
  'type name category status method code id host source service user message description region account email login actor owner who flags proto protocol path image title time timestamp date created updated'.split(
    ' ',
  ),
);

/** Names whose part in signatures is remembered. */
const MAX_KEYS = 8192;
/** More than any list of names that gives a dialect away has. */
const MOST_NAMES = 100;
const NUMBER = /^-?\d+$/;
/** What stands for all numbers that are not listed. */
const ANY_NUMBER = '#';
const NO_PLACES: readonly number[] = [];
/** More than any list that gives a dialect away has. */
const MOST_LISTED = 16;
/** Fields that a member may give beside another. */
const SECONDS: ReadonlySet<string> = new Set([
  ...[...CUT_TEXTS, 'host', 'program', 'event_type', 'message'],
]);

/** Paths, of which the first that a record has gives the value that decides. */
class DecidingPaths {
  private readonly paths: readonly string[];
  /** By name of a member: its place among the paths, or -1. */
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
  private readonly times: ReadonlyMap<string, string> | undefined;
  /** What every record has: fields and their texts. */
  readonly constants: readonly (readonly [field: string, text: Uint8Array])[];
  private readonly general: Meanings | undefined;
  private readonly not: readonly string[];
  private readonly byPath = new Map<string, Meaning>();
  private readonly byKey = new Map<string, Meaning | undefined>();
  private readonly values = new Map<string, ReadonlyMap<string, string>>();
  /** By the second value that decides (`''`: any), then by the first: what holds then. */
  private readonly cases = new Map<string, Map<string, Meanings>>();
  private readonly deciding: DecidingPaths | undefined;
  private readonly decidingOf: DecidingPaths | undefined;

  /** @param general what names mean whatever wrote them; undefined: this is that */
  constructor(dialect: RecordDialect | undefined, general: Meanings | undefined, given?: Case) {
    this.id = dialect?.id ?? 'general';
    this.neverFlow = dialect?.neverFlow ?? false;
    this.accounts = given?.accounts ?? dialect?.accounts ?? 'account';
    this.times = dialect?.times;
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
    // What a product's records are known to do is better than what they call it.
    const known = this.constants.some(([field]) => field === 'action') ? ['action'] : [];
    this.not = [...none, ...(dialect?.not ?? []), ...known];
    if (given !== undefined || dialect === undefined || dialect.paths.length === 0) return;
    this.deciding = new DecidingPaths(dialect.paths);
    if (dialect.ofPaths.length > 0) this.decidingOf = new DecidingPaths(dialect.ofPaths);
    for (const one of dialect.cases) {
      const meanings = new Meanings(dialect, general, one);
      for (const of of one.of.length === 0 ? [''] : one.of) {
        const cases = this.cases.get(of) ?? new Map<string, Meanings>();
        this.cases.set(of, cases);
        for (const value of one.values) if (!cases.has(value)) cases.set(value, meanings);
      }
    }
  }

  of(key: string): Meaning | undefined {
    let meaning = this.byKey.get(key);
    if (meaning !== undefined || this.byKey.has(key)) return meaning;
    const own = withoutWrapper(key);
    meaning =
      this.byPath.get(simplifyPath(key)) ??
      (own === undefined ? undefined : this.listedIn(own)) ??
      this.generalOf(key);
    if (this.byKey.size < MAX_KEYS) this.byKey.set(key, meaning);
    return meaning;
  }

  private generalOf(key: string): Meaning | undefined {
    const meaning = this.general?.of(key) ?? this.wrapped(key);
    if (meaning === undefined || this.not.length === 0) return meaning;
    return without(meaning, this.not);
  }

  /** What the dialect itself says of a member that another wraps; after what is not wrapped. */
  private listedIn(own: string): Meaning | undefined {
    const meaning = this.byPath.get(own);
    if (meaning === undefined || meaning.rank >= GENERAL_RANK) return undefined;
    return { ...meaning, rank: meaning.rank + WRAPPED_RANK };
  }

  /** What a member means that is in one which wraps the record, `data.ip_address`, if its name says enough. */
  private wrapped(key: string): Meaning | undefined {
    // `record.Event.System.…` is known as `event.system.…`.
    for (const own of [withoutWrapper(key), withoutWrappers(key)]) {
      const meaning =
        own === undefined || AMBIGUOUS.has(own)
          ? undefined
          : (this.general ?? this).byPath.get(own);
      if (meaning !== undefined && meaning.rank >= GENERAL_RANK)
        return { ...meaning, rank: meaning.rank + WRAPPED_RANK };
    }
    return undefined;
  }

  /** Whether each of several times of a record is an event. */
  get hasTimes(): boolean {
    return this.times !== undefined && this.times.size > 0;
  }

  /** What a member means whose time is an event of its own. */
  timeOf(key: string): string | undefined {
    return this.times?.get(simplifyPath(key));
  }

  /** What holds for a record, by the paths of it that decide. */
  forRecord(record: NamedValues): Meanings {
    const value = this.deciding?.valueIn(record);
    if (value === undefined) return this;
    const of = this.decidingOf?.valueIn(record);
    const cases = of === undefined ? undefined : this.cases.get(of);
    const others = this.cases.get('');
    return cases?.get(value) ?? cases?.get('*') ?? others?.get(value) ?? others?.get('*') ?? this;
  }

  /** The values that a field may have, as they are written; undefined: any. */
  valuesOf(field: string): ReadonlyMap<string, string> | undefined {
    return this.values.get(field);
  }

  /** The meaning of general names. */
  static ofGeneralNames(): Meanings {
    const meanings = new Meanings(undefined, undefined);
    meanings.add(GENERAL_NAMES, [], GENERAL_RANK);
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

/** A member's meaning with another field that it gives, too: a text, or of another part, said by the same list of names. */
function withSecond(known: Meaning, second: Meaning): Meaning {
  const { field, rank } = second;
  const same = known.rank < GENERAL_RANK === rank < GENERAL_RANK;
  if (!same || known.field === field || !(SECONDS.has(field) || second.part !== undefined))
    return known;
  const also = known.also === undefined ? second : withSecond(known.also, second);
  return { ...known, also };
}

/** A meaning without some fields; undefined where none is left. */
function without({ also, ...meaning }: Meaning, not: readonly string[]): Meaning | undefined {
  const rest = also === undefined ? undefined : without(also, not);
  return not.includes(meaning.field) ? rest : { ...meaning, also: rest };
}

/** How a value is stored, of those that a field may have; undefined: it is none of them. */
export function storedAs(values: ReadonlyMap<string, string>, text: string): string | undefined {
  return values.get(text.toLowerCase()) ?? (NUMBER.test(text) ? values.get(ANY_NUMBER) : undefined);
}

/** By which names dialects are recognised, and what names mean in each: made once, when the first record is read. */
class Dialects {
  readonly general = Meanings.ofGeneralNames();
  /** Of each list of names that gives a dialect away: its dialect, a bit for each of its names, and what it is worth. */
  readonly dialectOf: number[] = [];
  readonly names: number[] = [];
  readonly ranks: number[] = [];
  /** By name: where it is listed, each place as `list * MOST_LISTED + number in the list`. */
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

/** Tells the dialect of records by the names of their members. */
export class DialectFinder {
  private readonly dialects = knownDialects();
  private readonly known = new Map<string, readonly number[]>();
  /** Of each list, the names that the record has: a name may be there twice, on its own and in a wrapper. */
  private readonly hits = new Uint32Array(this.dialects.names.length);

  /** The dialect of which most names are there, a product's before a general one; of several, the first. */
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
