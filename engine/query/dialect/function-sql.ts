/** DuckDB's SQL for functions of expressions. */

const WHITE_SPACE = `' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)`;

/** Removes white space at both ends, the start or the end. */
export function withoutSpace(name: 'trim' | 'ltrim' | 'rtrim', text: string): string {
  return `${name}(${text}, ${WHITE_SPACE})`;
}

export function characterCount(text: string): string {
  return `CAST(length(${text}) AS DOUBLE)`;
}

/** Part number `at` of the pieces between `by`, from 1; the last is -1. */
export function partOfText(text: string, by: string, at: number): string {
  return `string_split(${text}, ${by})[${at}]`;
}

/** Characters from number `from` on, from 1; the last is -1. */
export function characterRange(text: string, from: number, length: number | undefined): string {
  const size = `length(${text})`;
  const start = from > 0 ? String(from) : `greatest(${size} + ${from + 1}, 1)`;
  return `array_slice(${text}, ${start}, ${length === undefined ? size : `${start} + ${length - 1}`})`;
}

export function reversedText(text: string): string {
  return `array_to_string(list_reverse(string_split(${text}, '')), '')`;
}

/** One of some texts of ours, by its number from 1. */
export function oneOfTexts(texts: readonly string[], at: string): string {
  return `[${texts.map((text) => `'${text}'`).join(', ')}][${at}]`;
}

/** Seconds since 1970, and between two times. */
export function epochSeconds(ts: string): string {
  return `(CAST(epoch_us(${ts}) AS DOUBLE) / 1000000)`;
}
export function unitsBetween(from: string, to: string, micros: number): string {
  return `(CAST(epoch_us(${to}) - epoch_us(${from}) AS DOUBLE) / ${micros})`;
}
/** A time `seconds` later; NULL beyond `most` of them. */
export function laterBy(ts: string, seconds: string, most: number): string {
  const moved = `make_timestamp(epoch_us(${ts}) + CAST(round(${seconds} * 1000000) AS BIGINT))`;
  return `CASE WHEN abs(${seconds}) <= ${most} THEN ${moved} END`;
}

/** Decodes the bytes that a text of a form encodes to text, without zero bytes; NULL if it has another form. */
export function decodedText(text: string, form: RegExp, decode: 'from_base64' | 'unhex'): string {
  const pattern = form.source.replaceAll('\\/', '/').replaceAll("'", "''");
  return `CASE WHEN regexp_matches(${text}, '${pattern}') THEN replace(TRY(decode(${decode}(${text}))), chr(0), '') END`;
}
export function urlDecodedText(text: string): string {
  return `TRY(url_decode(${text}))`;
}
