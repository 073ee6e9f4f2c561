/**
 * The format of an extractor: a JSON document that says how one program or family of devices writes its messages, and
 * which fields are cut out of them. docs/fields.md describes it for people.
 *
 * Invariant: what `readExtractor` returns names only fields of the registry that extractors may fill.
 */
import { z } from 'zod';
import { DaybookError } from '../../contract/errors.ts';
import { fieldEntry } from '../registry/registry.ts';
import { type Template, type TemplateDraft, draftTemplates } from './template.ts';
import { once } from '../../util/once.ts';

const Text = z.string().min(1);
const Values = z.record(Text, z.string());
const Separator = z.string().length(1);

const SAMPLE = z.strictObject({
  /** Undefined: the first of the extractor's. */
  program: z.string().optional(),
  message: Text,
  fields: Values,
});

const TEMPLATE = z.strictObject({
  text: Text,
  set: Values.optional(),
  /**
   * Of `{:pairs}`, `{:cef}`, `{:leef}`, `{:json}`, `{:xml}`, `{:login}` and `{:traffic}`: keys, as they are written, and the fields that their values are.
   * Of several keys of one field the first here counts.
   */
  pairs: z.record(Text, z.string()).optional(),
  /** Of `{:cef}`: what labels of custom fields (`cs1Label`) say, and the fields that their values are. */
  labels: z.record(Text, z.string()).optional(),
  /** What is between pairs; undefined: space; of several, tried one after the other. */
  separator: z.union([Separator, z.array(Separator).min(1)]).optional(),
  /** What is between a key and its value; undefined: `=`. */
  assign: z.string().length(1).optional(),
  /** A pair that begins with this, and what follows it, are not read. */
  stop: z.string().length(1).optional(),
  /** Of `{:pairs}`: nothing but pairs is read, and none where they contradict each other. */
  strict: z.boolean().optional(),
  /** Of strict pairs: keys are compared in small letters and digits alone, as they are given here. */
  alike: z.boolean().optional(),
  /** Of strict pairs: none is read where a separator is not followed by a blank. */
  spaced: z.boolean().optional(),
  /** Of `{:columns}`: the field of each column from the first; null: none. */
  columns: z.array(z.union([Text, z.null()])).optional(),
  /** Fields without which nothing is cut; of a list in it one is enough. */
  needs: z.array(z.union([Text, z.array(Text).min(1)])).optional(),
  /** Keys of pairs without which nothing is cut; of a list in it one is enough. */
  has: z.array(z.union([Text, z.array(Text).min(1)])).optional(),
  /** It is tried behind a level, thread and logger, too: `WARN [http-1] org.example.Login: …`. */
  heading: z.boolean().optional(),
  samples: z.array(z.tuple([Text, Values])).optional(),
});

const EXTRACTOR = z.strictObject({
  extractor: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,39}$/),
  version: z.int().min(1),
  for: Text,
  leavesOut: Text,
  /** Names of programs in lower case, `*` at the end for any end; `*`: any line; empty: lines that name no program, or have a tag that is no name of one (the number of a container). */
  programs: z.array(z.string()).min(1),
  /** Its templates are tried after those of all others. */
  fallback: z.boolean().optional(),
  set: Values.optional(),
  /** Values as they are written, in lower case, and as they are stored, by field. */
  values: z.record(Text, Values).optional(),
  templates: z.array(TEMPLATE).min(1),
  samples: z.array(SAMPLE).optional(),
  /** Messages that look much the same, out of which nothing is cut. */
  uncut: z.array(Text).optional(),
});

type Given = z.infer<typeof EXTRACTOR>;

interface ExtractorDraft extends TemplateDraft {
  readonly isHeaded: boolean;
}

interface Sample {
  readonly program: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Extractor {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  readonly leavesOut: string;
  readonly programs: readonly string[];
  readonly isFallback: boolean;
  /** A person's: it is tried before those that Daybook has. */
  readonly isOwn: boolean;
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of `templates`: most lines need few of them. */
  readonly drafts: () => readonly ExtractorDraft[];
  /** Made when they are first asked for. */
  readonly templates: readonly Template[];
  readonly samples: readonly Sample[];
  readonly uncut: readonly string[];
  /** Fields that it may fill. */
  readonly fields: readonly string[];
}

/** Where something is in a document: names of members and numbers of elements from the outermost in. */
export type DocumentPath = readonly PropertyKey[];

/**
 * @param placeOf what is said before what is wrong with a part of the document
 * @throws DaybookError usage, where `document` is no extractor: says what is wrong with it
 */
export function readExtractor(
  document: unknown,
  file: string,
  placeOf: (path: DocumentPath) => string = () => file,
): Extractor {
  const parsed = EXTRACTOR.safeParse(document);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => {
      const name = path.length === 0 ? '' : `${path.join('.')}: `;
      return `${placeOf(path)}: ${name}${message}`;
    });
    throw new DaybookError('usage', `${file} is no extractor: ${problems.join('; ')}`);
  }
  const extractor = extractorOf(parsed.data, placeOf);
  for (const name of Object.keys(parsed.data.values ?? {})) {
    if (!isCut(name)) throw new DaybookError('usage', `${placeOf(['values'])}: ${noField(name)}`);
  }
  // Made here, so that what is wrong with them is said here.
  void extractor.templates;
  return extractor;
}

/** One that comes with Daybook, whose tests read it with `readExtractor`: it is not checked again. */
export function shippedExtractor(document: unknown): Extractor {
  return extractorOf(document as Given, () => 'an extractor of Daybook');
}

function extractorOf(given: Given, placeOf: (path: DocumentPath) => string): Extractor {
  const drafts = once(() => draftsOf(given, placeOf));
  const samples = [
    ...given.templates.flatMap(({ samples: own = [] }) =>
      own.map(([message, fields]) => ({ program: programOf(given.programs), message, fields })),
    ),
    ...(given.samples ?? []).map(({ program, message, fields }) => ({
      program: program ?? programOf(given.programs),
      message,
      fields,
    })),
  ];
  return {
    name: given.extractor,
    version: given.version,
    title: given.for,
    leavesOut: given.leavesOut,
    programs: given.programs,
    isFallback: given.fallback === true,
    isOwn: false,
    values: given.values ?? {},
    drafts,
    get templates() {
      return drafts().map(({ make }) => make());
    },
    samples,
    uncut: given.uncut ?? [],
    get fields() {
      return [...new Set(this.templates.flatMap(({ fields }) => fields))].sort();
    },
  };
}

/** @throws DaybookError usage, where the choices of one are wrong; making one, where it is */
function draftsOf(
  given: Given,
  placeOf: (path: DocumentPath) => string,
): readonly ExtractorDraft[] {
  const isGeneral = given.programs.some((name) => name === '' || name === '*');
  return given.templates.flatMap((template, i) => {
    const wrong = (text: string): never => {
      throw new DaybookError('usage', `${placeOf(['templates', i])}: ${text}`);
    };
    const attempt = <T>(what: () => T): T => {
      try {
        return what();
      } catch (error) {
        if (error instanceof DaybookError) throw error;
        return wrong(`${template.text}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    const check = (name: string): unknown => isCut(name) || wrong(noField(name));
    const checked = (one: Template): Template => {
      for (const name of one.fields) check(name);
      if (isGeneral && !one.isDistinct)
        wrong(
          `${template.text}: without a program a template needs a text of four letters, or eight letters in all`,
        );
      return one;
    };
    const set = { ...given.set, ...template.set };
    for (const name of Object.keys(set)) check(name);
    return attempt(() => draftTemplates({ ...template, set })).map(({ start, make }) => ({
      start,
      isHeaded: template.heading === true,
      make: once(() => attempt(() => checked(make()))),
    }));
  });
}

function isCut(name: string): boolean {
  return fieldEntry(name)?.cut === true;
}

function noField(name: string): string {
  return `there is no field ${name} that extractors fill: daybook fields --schema lists them`;
}

/** A program that the first of these names. */
export function programOf(programs: readonly string[]): string {
  return programs[0]!.replace(/\*$/, '');
}
