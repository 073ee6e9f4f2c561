/**
 * The format of an extractor: a JSON document that describes how a program or family of devices writes its
 * messages, and which fields are cut out of them. docs/fields.md explains it for people.
 *
 * Invariant: the result of `readExtractor` names only fields of the registry that extractors may fill.
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
   * For `{:pairs}`, `{:cef}`, `{:leef}`, `{:json}`, `{:xml}`, `{:login}` and `{:traffic}`: keys as written, and the
   * fields of their values. Of several keys for one field the first here takes precedence.
   */
  pairs: z.record(Text, z.string()).optional(),
  /** For `{:cef}`: the labels of custom fields (`cs1Label`), and the fields of their values. */
  labels: z.record(Text, z.string()).optional(),
  /** The separator of pairs; undefined: space; several are tried one after the other. */
  separator: z.union([Separator, z.array(Separator).min(1)]).optional(),
  /** The character between a key and its value; undefined: `=`. If it is the separator, nothing is quoted. */
  assign: z.string().length(1).optional(),
  /** A pair that begins with this, and everything after it, is ignored. */
  stop: z.string().length(1).optional(),
  /** For `{:pairs}`: only pairs are read, and none if they contradict each other. */
  strict: z.boolean().optional(),
  /** For XML, and pairs that are not strict: a key may have one value only, and quotes have no escapes. */
  once: z.boolean().optional(),
  /** For strict pairs: keys are compared by their small letters and digits only, in the form given here. */
  alike: z.boolean().optional(),
  /** For strict pairs: none is read if a separator is not followed by a blank. */
  spaced: z.boolean().optional(),
  /** For `{:columns}`: the field of each column from the first; null: none. */
  columns: z.array(z.union([Text, z.null()])).optional(),
  /** Fields that must be present for anything to be cut; of a nested list, one is enough. */
  needs: z.array(z.union([Text, z.array(Text).min(1)])).optional(),
  /** Keys of pairs that must be present for anything to be cut; of a nested list, one is enough. */
  has: z.array(z.union([Text, z.array(Text).min(1)])).optional(),
  /** Whether it is tried after a level, thread and logger as well: `WARN [http-1] org.example.Login: …`. */
  heading: z.boolean().optional(),
  samples: z.array(z.tuple([Text, Values])).optional(),
});

const EXTRACTOR = z.strictObject({
  extractor: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,39}$/),
  version: z.int().min(1),
  for: Text,
  leavesOut: Text,
  /**
   * Names of programs in lower case, with `*` at the end for any continuation; `*`: any line; empty: lines that
   * name no program, or whose tag is not a program's name (the id of a container).
   */
  programs: z.array(z.string()).min(1),
  /** Whether its templates are tried after those of all others. */
  fallback: z.boolean().optional(),
  set: Values.optional(),
  /** Values as written, in lower case, and as stored, by field; an empty one is not stored. */
  values: z.record(Text, Values).optional(),
  templates: z.array(TEMPLATE).min(1),
  samples: z.array(SAMPLE).optional(),
  /** Similar messages out of which nothing is cut. */
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
  /** For `templates`: most lines need only a few of them. */
  readonly drafts: () => readonly ExtractorDraft[];
  /** Made on first use. */
  readonly templates: readonly Template[];
  readonly samples: readonly Sample[];
  readonly uncut: readonly string[];
  /** Fields that it may fill. */
  readonly fields: readonly string[];
}

/** A position in a document: names of members and indexes of elements from the outermost inwards. */
export type DocumentPath = readonly PropertyKey[];

/**
 * @param placeOf the prefix of messages about a part of the document
 * @throws DaybookError usage that says why `document` is not an extractor
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
    throw new DaybookError('usage', `${file} is not a valid extractor: ${problems.join('; ')}`);
  }
  const extractor = extractorOf(parsed.data, placeOf);
  for (const name of Object.keys(parsed.data.values ?? {})) {
    if (!isCut(name)) throw new DaybookError('usage', `${placeOf(['values'])}: ${noField(name)}`);
  }
  // Made here, so that errors in them are reported here.
  void extractor.templates;
  return extractor;
}

/** An extractor of Daybook, whose tests read it with `readExtractor`: it is not validated again. */
export function shippedExtractor(document: unknown): Extractor {
  return extractorOf(document as Given, () => 'an extractor of Daybook');
}

function extractorOf(given: Given, placeOf: (path: DocumentPath) => string): Extractor {
  const drafts = once(() => draftsOf(given, placeOf));
  const samples = [
    ...given.templates.flatMap(({ samples: samplesOfTemplate = [] }) =>
      samplesOfTemplate.map(([message, fields]) => ({
        program: programOf(given.programs),
        message,
        fields,
      })),
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

/** @throws DaybookError usage if the choices of one are wrong; making one throws if it is */
function draftsOf(
  given: Given,
  placeOf: (path: DocumentPath) => string,
): readonly ExtractorDraft[] {
  const isGeneral = given.programs.some((name) => name === '' || name === '*');
  return given.templates.flatMap((template, i) => {
    const wrong = (text: string): never => {
      throw new DaybookError('usage', `${placeOf(['templates', i])}: ${text}`);
    };
    const attempt = <T>(work: () => T): T => {
      try {
        return work();
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
          `${template.text}: without a program a template needs four characters of literal text in a row, or eight in all`,
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
  return `extractors cannot fill a field ${name}: daybook fields --schema lists the fields`;
}

/** A program that the first of these names. */
export function programOf(programs: readonly string[]): string {
  return programs[0]!.replace(/\*$/, '');
}
