/** A hash of a file as indicators give it, in hexadecimal digits. A bare one is also looked for in the field of its kind. */
import { type TextField, knownField } from './fields.ts';

const BY_DIGITS: ReadonlyMap<number, string> = new Map([
  [32, 'md5'],
  [40, 'sha1'],
  [64, 'sha256'],
]);

/** The fields that hashes are looked for in. */
export const HASH_FIELDS: readonly string[] = [...BY_DIGITS.values()];

/** The field that has hashes of this form; undefined: the text is no hash. */
export function hashFieldOf(text: string): TextField | undefined {
  if (!/^[0-9a-f]+$/i.test(text)) return undefined;
  const name = BY_DIGITS.get(text.length);
  const field = name === undefined ? undefined : knownField(name);
  return field?.type === 'text' ? field : undefined;
}
