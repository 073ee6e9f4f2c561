/**
 * People's extractors: files in the format of extractor.ts, which a case stores. One with the name of a Daybook
 * extractor replaces it; all are tried before Daybook's.
 *
 * Patterns are templates, not regular expressions: matching takes time proportional to the message.
 */
import { DaybookError } from '../../contract/errors.ts';
import { Cutter } from './cutter.ts';
import { type Extractor, readExtractor } from './extractor.ts';
import { shippedCutter, shippedExtractors } from './extractors.ts';
import { jsonProblem, lineOf } from '../reading/json/json-places.ts';

const MOST_BYTES = 1 << 20;
const MOST_TEMPLATES = 2000;

export interface OwnExtractor {
  readonly extractor: Extractor;
  readonly document: string;
}

/** @throws DaybookError usage that says what is wrong, and on which line */
export function readOwnExtractor(document: string, file: string): OwnExtractor {
  if (Buffer.byteLength(document) > MOST_BYTES)
    throw new DaybookError('usage', `${file} is longer than ${MOST_BYTES} bytes`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(document);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, message } = jsonProblem(document, error);
    throw new DaybookError('usage', `${file}:${line}: ${message}`, 'extractors are JSON documents');
  }
  const extractor = readExtractor(parsed, file, (path) => `${file}:${lineOf(document, path)}`);
  if (extractor.templates.length > MOST_TEMPLATES)
    throw new DaybookError('usage', `${file} has more than ${MOST_TEMPLATES} templates`);
  return { extractor: { ...extractor, isOwn: true }, document };
}

/** Cuts with the extractors of Daybook and those of a case. @param documents as `readOwnExtractor` takes them */
export function cutterWith(documents: readonly string[]): Cutter {
  if (documents.length === 0) return shippedCutter();
  const given = documents.map((document) => readOwnExtractor(document, 'extractor').extractor);
  const names = new Set(given.map(({ name }) => name));
  return new Cutter([...given, ...shippedExtractors().filter(({ name }) => !names.has(name))]);
}
