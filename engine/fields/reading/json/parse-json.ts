/**
 * Parses JSON while preserving the spelling of numbers: a search for `2.10` does not mean `2.1`, and digits that a
 * double cannot hold are those of an identifier.
 */

interface RawJson {
  readonly rawJSON: string;
}

/** https://tc39.es/proposal-json-parse-with-source/ */
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** Numbers that JavaScript may write in another way: with an exponent, with many digits, with zeros at their ends. */
const SUSPECT =
  /[:,[\s](-?(?:\d+(?:\.\d+)?[eE][+-]?\d+|\d{16,}|(?=[\d.]{17})\d+\.\d+|\d+\.\d*0(?!\d))|-0(?![.\d]))/g;

/**
 * Numbers that JavaScript would write differently become objects, whose text `numberText` returns.
 * @throws the errors of `JSON.parse`
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  for (const [, number] of text.matchAll(SUSPECT))
    if (String(Number(number)) !== number) return JSON.parse(text, asWritten);
  return value;
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value !== 'number' || source === undefined || source === String(value)
    ? value
    : rawJSON(source);
}

/** The spelling of a number, if `parseJson` preserved it. */
export function numberText(value: object): string | undefined {
  return isRawJSON(value) ? value.rawJSON : undefined;
}
