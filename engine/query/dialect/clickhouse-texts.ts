/** ClickHouse: numbers and times as Daybook writes them (expressions/written.ts), and texts that are made of many. */
import { text } from './clickhouse.ts';
import { onceClickHouse as once } from './once.ts';

/**
 * A number as DuckDB writes it, without the `.0` of a whole one. ClickHouse writes the same digits, but switches to
 * exponents later.
 */
export function numberText(sql: string): string {
  const written = (x: string): string => {
    const plain = `toString(${x})`;
    // 1.5e20 is 150000000000000000000, 1.5e-5 is 0.000015 there.
    const large = `replaceRegexpOne(${plain}, '0+$', '')`;
    const small = `replaceRegexpOne(${plain}, '0[.]0{4,5}', '')`;
    const pointed = (digits: string): string =>
      `replaceRegexpOne(${digits}, '^(-?[0-9])([0-9]+)$', '\\\\1.\\\\2')`;
    const signed = `replaceRegexpOne(replaceRegexpOne(${plain}, 'e([0-9])', 'e+\\\\1'), 'e([+-])([0-9])$', 'e\\\\10\\\\2')`;
    return [
      `multiIf(${x} = 0, '0', abs(${x}) >= 0.0001 AND abs(${x}) < 1e16 OR NOT isFinite(${x}), ${plain}`,
      `abs(${x}) >= 1e21 OR abs(${x}) < 0.000001, ${signed}`,
      `abs(${x}) >= 1, concat(${pointed(large)}, 'e+', toString(length(replaceOne(${plain}, '-', '')) - 1))`,
      `concat(${pointed(small)}, if(abs(${x}) < 0.00001, 'e-06', 'e-05')))`,
    ].join(', ');
  };
  // A missing number matches none of these.
  return once(sql, (x) => `if(${x} IS NULL, NULL, ${written(x)})`, 'n');
}

/** `2026-11-21T12:00:00.000000Z` */
export function timeText(sql: string): string {
  return `formatDateTime(${sql}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;
}

/** Aggregate: the first different texts in order, up to a limit; NULL if there are none. */
export function valuesAsText(sql: string, most: number): string {
  const named = `arrayStringConcat(arraySlice(v, 1, ${most}), ', ')`;
  const more = `if(length(v) > ${most}, concat(', … ', toString(length(v) - ${most}), ' more'), '')`;
  return `arrayMap(v -> if(empty(v), NULL, concat(${named}, ${more})), [arraySort(groupUniqArray(${sql}))])[1]`;
}

/** Aggregate: the smallest different numbers, up to a limit, joined; NULL if there are none. */
export function smallestAsText(sql: string, most: number): string {
  const named = `arrayStringConcat(arrayMap(p -> toString(p), arraySlice(v, 1, ${most})), ',')`;
  return `arrayMap(v -> if(empty(v), NULL, ${named}), [arraySort(groupUniqArray(${sql}))])[1]`;
}

/**
 * Decodes a text to bytes and these to text, without zero bytes; NULL if it has another form or the bytes are not
 * UTF-8.
 */
export function decodedText(sql: string, form: RegExp, decode: 'base64Decode' | 'unhex'): string {
  const utf8 = (bytes: string): string =>
    `if(isValidUTF8(${bytes}), replaceAll(${bytes}, '\\0', ''), NULL)`;
  return once(
    sql,
    (x) =>
      `if(match(${x}, ${text(form.source.replaceAll('\\/', '/'))}), ${once(`${decode}(assumeNotNull(${x}))`, utf8, 'u')}, NULL)`,
    't',
  );
}

/** The text with `%20` and the like decoded; NULL if that is not UTF-8. */
export function urlDecodedText(sql: string): string {
  return once(
    `decodeURLComponent(${sql})`,
    (x) => `if(isValidUTF8(ifNull(${x}, '')), ${x}, NULL)`,
    'u',
  );
}

/** Letters that have another case only in a newer Unicode than DuckDB's, in RE2's syntax. */
const NEWER =
  '[\\x{19b}\\x{264}\\x{1c89}\\x{1c8a}\\x{a7cb}-\\x{a7cf}\\x{a7d2}-\\x{a7d5}\\x{a7da}-\\x{a7dc}\\x{10d50}-\\x{10d65}\\x{10d70}-\\x{10d85}\\x{16ea0}-\\x{16eb8}\\x{16ebb}-\\x{16ed3}]';

/**
 * Lower or upper case, character by character: ClickHouse considers neighbouring characters, and may turn one into
 * several.
 * @param others letters that ClickHouse converts differently
 */
export function cased(
  fn: 'lower' | 'upper',
  sql: string,
  others: readonly (readonly [from: string, to: string])[],
): string {
  const other = `${fn}UTF8(c)`;
  const [from, to] = [0, 1].map((i) => others.map((pair) => text(pair[i]!)).join(', '));
  const letter = `if(lengthUTF8(${other}) != 1 OR match(c, ${text(NEWER)}), c, ${other})`;
  const letters = (x: string): string =>
    `arrayStringConcat(arrayMap(c -> transform(c, [${from}], [${to}], ${letter}), extractAll(assumeNotNull(${x}), '(?s).')))`;
  return once(
    sql,
    (x) =>
      `multiIf(${x} IS NULL, NULL, isValidASCII(assumeNotNull(${x})), ${fn}(${x}), ${letters(x)})`,
    't',
  );
}
