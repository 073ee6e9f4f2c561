/**
 * A case's own extractors: added and removed by people, recorded in the audit log with their hashes. `refield.ts`
 * applies them to events that are already in the case.
 */
import { hash } from 'node:crypto';
import { DaybookError } from '../../../contract/errors.ts';
import { programOf } from '../../../fields/cutting/extractor.ts';
import { shippedExtractors } from '../../../fields/cutting/extractors.ts';
import { cutFields } from '../../../fields/cutting/cut-fields.ts';
import {
  type OwnExtractor,
  cutterWith,
  readOwnExtractor,
} from '../../../fields/cutting/own-extractors.ts';
import { Catalog } from '../../../catalog/index.ts';
import { CaseWriter } from '../../../ingest/index.ts';
import type { BuilderOptions } from '../../../store/index.ts';

/** A sample of an extractor whose fields differ from those in its file. */
interface WrongSample {
  readonly message: string;
  /** Fields as `name=value`, `extractor` among them. */
  readonly expected: readonly string[];
  readonly found: readonly string[];
}

/** The samples of an extractor that do not give the fields in its file. */
function wrongSamples({ document, extractor }: OwnExtractor): WrongSample[] {
  const mark = `${extractor.name}/${extractor.version}`;
  const textsOf = (fields: Readonly<Record<string, string>>): string[] =>
    Object.entries(fields)
      .map(([name, value]) => `${name}=${value}`)
      .sort();
  const cutter = cutterWith([document]);
  const samples = extractor.samples.flatMap(({ program, message, fields }): WrongSample[] => {
    const expected = textsOf({ ...fields, extractor: mark });
    const found = textsOf(cutFields(cutter, program, message));
    return expected.join('\n') === found.join('\n') ? [] : [{ message, expected, found }];
  });
  const uncut = extractor.uncut.flatMap((message): WrongSample[] => {
    const found = cutFields(cutter, programOf(extractor.programs), message);
    return found['extractor'] === mark ? [{ message, expected: [], found: textsOf(found) }] : [];
  });
  return [...samples, ...uncut];
}

interface AddedExtractor {
  readonly name: string;
  readonly version: number;
  readonly sha256: string;
  /** The version that it takes the place of, in the case or of Daybook. */
  readonly replaces: number | undefined;
}

/**
 * Adds an extractor to the case, or replaces the one with its name by a later version.
 * @param file where it comes from, for people
 * @throws DaybookError usage, case-locked
 */
export async function addExtractor(
  folder: string,
  document: string,
  file: string,
  builder: BuilderOptions,
): Promise<AddedExtractor> {
  const given = readOwnExtractor(document, file);
  const { name, version } = given.extractor;
  const [wrong] = wrongSamples(given);
  if (wrong !== undefined)
    throw new DaybookError(
      'usage',
      `${file}: its sample ${JSON.stringify(wrong.message)} does not give the expected fields`,
      `try: daybook fields --test ${file}`,
    );
  const writer = await CaseWriter.open(folder, 'add extractor', builder);
  try {
    const { catalog } = writer;
    const known =
      catalog.extractors.all().find((one) => one.name === name) ??
      shippedExtractors().find((one) => one.name === name);
    const sha256 = hash('sha256', document);
    const added = { name, version, sha256, replaces: known?.version };
    if (known !== undefined && 'sha256' in known && known.sha256 === sha256) return added;
    // The extractor recorded in an event must identify which of them it was.
    if (known !== undefined && version <= known.version)
      throw new DaybookError(
        'usage',
        `${file}: an extractor ${name} of version ${known.version} already exists`,
        `give it version ${known.version + 1}, or another name`,
      );
    catalog.transaction(() => {
      catalog.extractors.put({ name, version, document, sha256 });
      catalog.audit.add('add extractor', { ...added, file });
      catalog.changes.add('extractors', { name, version });
    });
    return added;
  } finally {
    writer.close();
  }
}

/** @throws DaybookError not-found, case-locked */
export async function removeExtractor(
  folder: string,
  name: string,
  builder: BuilderOptions,
): Promise<void> {
  const writer = await CaseWriter.open(folder, 'remove extractor', builder);
  try {
    const { catalog } = writer;
    const known = catalog.extractors.all().find((one) => one.name === name);
    if (known === undefined)
      throw new DaybookError(
        'not-found',
        `the case has no extractor ${JSON.stringify(name)} of its own`,
        'list them with: daybook fields CASE --extractors',
      );
    catalog.transaction(() => {
      catalog.extractors.remove(name);
      const { version, sha256 } = known;
      catalog.audit.add('remove extractor', { name, version, sha256 });
      catalog.changes.add('extractors', { name });
    });
  } finally {
    writer.close();
  }
}

interface ListedExtractor {
  readonly name: string;
  readonly version: number;
  /** The products whose messages it cuts, in words. */
  readonly title: string;
  readonly fields: readonly string[];
  /** SHA-256 of its file; undefined: it is part of Daybook. */
  readonly sha256: string | undefined;
}

/** The extractors of a case, its own first; undefined: Daybook's. @throws DaybookError not-a-case */
export function extractorsOf(folder: string | undefined): ListedExtractor[] {
  const ofCase = folder === undefined ? [] : extractorsInCase(folder);
  const names = new Set(ofCase.map(({ extractor }) => extractor.name));
  const listed = ({ extractor, sha256 }: Pick<OwnExtractor, 'extractor'> & { sha256?: string }) => {
    const { name, version, title, fields } = extractor;
    return { name, version, title, fields, sha256 };
  };
  return [
    ...ofCase.map(listed),
    ...shippedExtractors()
      .filter(({ name }) => !names.has(name))
      .map((extractor) => listed({ extractor })),
  ];
}

function extractorsInCase(folder: string): (OwnExtractor & { sha256: string })[] {
  const catalog = Catalog.open(folder);
  try {
    return catalog.extractors.all().map(({ document, name, sha256 }) => ({
      ...readOwnExtractor(document, `extractor ${name}`),
      sha256,
    }));
  } finally {
    catalog.close();
  }
}

/**
 * An extractor that gives the stated fields for its samples. @throws DaybookError usage that says what is wrong,
 * and on which line
 */
export function testedExtractor(
  document: string,
  file: string,
): {
  readonly mark: string;
  readonly fields: readonly string[];
  readonly samples: number;
  readonly wrong: readonly WrongSample[];
} {
  const given = readOwnExtractor(document, file);
  const { name, version, fields, samples, uncut } = given.extractor;
  return {
    ...{ mark: `${name}/${version}`, fields },
    ...{ samples: samples.length + uncut.length, wrong: wrongSamples(given) },
  };
}
