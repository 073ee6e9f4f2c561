/**
 * The format of a dialect: a JSON document that says how one product writes structured records (JSON, rows of a
 * table, Windows events), by the names of their members.
 *
 * Paths are compared without regard to case, `_`, `-` and blanks; dots divide the names of nested objects. A name
 * is followed by the paths that mean it, the best first: the first with a value in a record is used. `list[].name`
 * is the value of that name in all elements of a list, if it is the same; `list[Name]` the value of a name in a
 * list of names and values, `list[#1]` its first element; `uri?name` a parameter of a URL.
 *
 * Invariant: the result of `readDialect` names only fields of the registry and those in `PARTS`.
 */
import { z } from 'zod';
import { DaybookError } from '../../contract/errors.ts';
import { fieldEntry } from '../registry/registry.ts';
import { type Template, parseTemplate } from '../cutting/template.ts';
import { ACCOUNTS, type Accounts } from '../reading/texts.ts';
import { once } from '../../util/once.ts';

const Paths = z.record(z.string(), z.string());
const Values = z.record(z.string(), z.string());
/**
 * Templates (template.ts) for the texts of a path, giving fields that no name gives; the first that fits is used.
 */
const Texts = z.record(z.string(), z.array(z.string().min(1)).min(1));

const CASE = z.strictObject({
  /** Values of the path, separated by spaces, or a list of some that have any; `*`: any other. */
  in: z.union([z.string(), z.array(z.string().min(1)).min(1)]),
  /**
   * Only for records in which `of` has one of these values, or one of the values that `lists` has by this name; an
   * empty one: that do not have it. Such a case precedes those without.
   */
  of: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
  names: Paths.optional(),
  /** Fields that no name gives in this case. */
  not: z.string().optional(),
  set: Values.optional(),
  /** Beside those of the dialect. */
  texts: Texts.optional(),
  /** If it differs from that of the dialect. */
  accounts: z.enum(ACCOUNTS).optional(),
});

const DIALECT = z.strictObject({
  dialect: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  for: z.string().min(1),
  /** Where the names are documented. */
  reference: z.string().optional(),
  /** A record is of this dialect if it has all paths of one of these lists. */
  has: z.array(z.string().min(1)).min(1),
  /** Whether it belongs to no product: any other matching dialect precedes it. */
  general: z.boolean().optional(),
  names: Paths,
  /** Fields that general names do not give here. */
  not: z.string().optional(),
  /** Whether its records are never flows, although they name both ends. */
  neverFlow: z.boolean().optional(),
  /**
   * How a user's domain is split off: for `account` from `DOMAIN\\user`, for `principal` from `user@domain` as
   * well, for `whole` not at all. Undefined: `account`.
   */
  accounts: z.enum(ACCOUNTS).optional(),
  /** Paths of times that are separate events, with the meaning of each. */
  times: Values.optional(),
  /** Fields that every record has. */
  set: Values.optional(),
  /** Values as written, in lower case (`#`: any other number), and as stored, by field; others are omitted. */
  values: z.record(z.string(), Values).optional(),
  texts: Texts.optional(),
  /**
   * Objects that may contain members, separated by spaces: the path `*.name` is `name` in each of them, or outside.
   */
  within: z.string().optional(),
  /**
   * Members of these objects that list values without names: `*.param1` is also the first of a list, and `*.param*`
   * each of it.
   */
  unnamed: z.string().optional(),
  /**
   * Additional rules if a path has a value: the first path that the record has counts. `of`: paths of a second
   * value. `lists`: values of these that several cases share.
   */
  when: z
    .strictObject({
      paths: z.string(),
      of: z.string().optional(),
      lists: z.record(z.string(), z.array(z.string()).min(1)).optional(),
      cases: z.array(CASE).min(1),
    })
    .optional(),
});

/** Meanings of paths besides the fields of the registry: parts and forms of fields, which importers compute. */
const PARTS: ReadonlySet<string> = new Set(
  'ts_date ts_time ts_end duration packets_total bytes_total tcp_flags hashes windows_level proto_letter'.split(
    ' ',
  ),
);

export type PathsByName = Readonly<Record<string, readonly string[]>>;

type TemplatesByPath = ReadonlyMap<string, readonly Template[]>;

export interface Case {
  readonly values: readonly string[];
  /** Values of the second path, one of which a record must have, `''`: it has none; undefined: any, or none. */
  readonly of: readonly string[] | undefined;
  readonly names: PathsByName;
  readonly not: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly texts: TemplatesByPath;
  readonly accounts: Accounts | undefined;
}

export interface RecordDialect {
  readonly id: string;
  readonly title: string;
  readonly has: readonly (readonly string[])[];
  readonly isGeneral: boolean;
  readonly names: PathsByName;
  readonly not: readonly string[];
  readonly neverFlow: boolean;
  readonly accounts: Accounts;
  /** By path: the meaning of a record's time, if it has several. */
  readonly times: ReadonlyMap<string, string>;
  readonly set: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By path. */
  readonly texts: TemplatesByPath;
  /** Paths, of which the first that a record has decides. */
  readonly paths: readonly string[];
  /** The same for the second value. */
  readonly ofPaths: readonly string[];
  readonly cases: readonly Case[];
}

/** A path in the form in which it is compared. */
export function simplifyPath(path: string): string {
  return path.toLowerCase().replace(/[_\s-]|\[utc\]$/g, '');
}

export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Of values without names, the first that have a number as their name. */
const NUMBERED = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The objects and lists of a dialect in which paths are looked for. */
interface Places {
  readonly within: readonly string[];
  readonly unnamed: readonly string[];
}

/** The paths that a written one expands to. */
function allOf(path: string, { within, unnamed }: Places): readonly string[] {
  if (!path.startsWith('*.')) return [simplifyPath(path)];
  const member = path.slice(2);
  const [, number] = /^param(\d+|\*)$/.exec(member) ?? [];
  const members =
    number === undefined
      ? [member]
      : number === '*'
        ? [...NUMBERED.map((one) => `param${one}`), ...unnamed]
        : [member, ...unnamed.map((list) => `${list}[#${number}]`)];
  return members
    .flatMap((one) => [...within.map((outer) => `${outer}.${one}`), one])
    .map(simplifyPath);
}

function pathsOf(names: Readonly<Record<string, string>>, places: Places): PathsByName {
  return Object.fromEntries(
    Object.entries(names).map(([name, paths]) => [
      name,
      wordsOf(paths).flatMap((path) => allOf(path, places)),
    ]),
  );
}

function templatesOf(
  texts: Readonly<Record<string, readonly string[]>>,
  places: Places,
): TemplatesByPath {
  return new Map(
    Object.entries(texts).flatMap(([path, all]) => {
      const templates = all.flatMap((text) => parseTemplate({ text, set: {} }));
      return allOf(path, places).map((one) => [one, templates] as const);
    }),
  );
}

type Given = z.infer<typeof DIALECT>;

/** @throws DaybookError usage that says why `document` is not a dialect */
export function readDialect(document: unknown, file: string): RecordDialect {
  const parsed = DIALECT.safeParse(document);
  if (!parsed.success)
    throw new DaybookError(
      'usage',
      `${file} is not a valid dialect: ${z.prettifyError(parsed.error)}`,
    );
  const dialect = shippedDialect(parsed.data);
  const { names, set, not, values, texts, cases } = dialect;
  const fields = [
    ...Object.keys({ ...names, ...set, ...values }),
    ...not,
    ...fieldsOf(texts),
    ...cases.flatMap((one) => [
      ...Object.keys({ ...one.names, ...one.set }),
      ...one.not,
      ...fieldsOf(one.texts),
    ]),
  ];
  for (const name of fields)
    if (fieldEntry(name) === undefined && !PARTS.has(name))
      throw new DaybookError('usage', `${file}: there is no field ${name}`);
  const { cases: given = [], lists = {} } = parsed.data.when ?? {};
  for (const { of } of given)
    if (typeof of === 'string' && lists[of] === undefined)
      throw new DaybookError('usage', `${file}: there is no list ${of}`);
  return dialect;
}

function fieldsOf(texts: TemplatesByPath): string[] {
  return [...texts.values()].flatMap((templates) => templates.flatMap(({ fields }) => fields));
}

/**
 * A dialect of Daybook, whose tests read it with `readDialect`: it is not validated again. Its parts are made when a
 * record is of it: evidence is of few.
 */
export function shippedDialect(document: unknown): RecordDialect {
  const given = document as Given;
  const places = { within: wordsOf(given.within ?? ''), unnamed: wordsOf(given.unnamed ?? '') };
  const names = once(() => pathsOf(given.names, places));
  const texts = once(() => templatesOf(given.texts ?? {}, places));
  const { cases: written = [], lists = {} } = given.when ?? {};
  const cases = once(() => written.map((one) => caseOf(one, lists, places)));
  return {
    id: given.dialect,
    title: given.for,
    has: given.has.map((paths) => wordsOf(paths).map(simplifyPath)),
    isGeneral: given.general ?? false,
    get names() {
      return names();
    },
    not: wordsOf(given.not ?? ''),
    neverFlow: given.neverFlow ?? false,
    accounts: given.accounts ?? 'account',
    times: new Map(Object.entries(given.times ?? {}).map(([at, text]) => [simplifyPath(at), text])),
    set: given.set ?? {},
    values: given.values ?? {},
    get texts() {
      return texts();
    },
    paths: wordsOf(given.when?.paths ?? '').map(simplifyPath),
    ofPaths: wordsOf(given.when?.of ?? '').map(simplifyPath),
    get cases() {
      return cases();
    },
  };
}

function caseOf(
  given: z.infer<typeof CASE>,
  lists: Readonly<Record<string, readonly string[]>>,
  places: Places,
): Case {
  const { set = {}, accounts } = given;
  return {
    values: typeof given.in === 'string' ? wordsOf(given.in) : given.in,
    of: typeof given.of === 'string' ? lists[given.of] : given.of,
    names: pathsOf(given.names ?? {}, places),
    not: wordsOf(given.not ?? ''),
    set,
    texts: templatesOf(given.texts ?? {}, places),
    accounts,
  };
}
