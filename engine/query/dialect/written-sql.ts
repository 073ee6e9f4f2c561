/** SQL that writes numbers, times and addresses as text, and reads addresses (expressions/written.ts does the same). */
import { once, operand } from './once.ts';

export function numberText(sql: string): string {
  return `CASE WHEN ${sql} = 0 THEN '0' ELSE regexp_replace(CAST(${sql} AS VARCHAR), '\\.0$', '') END`;
}

/** `2026-11-21T12:00:00.000000Z` */
export function timeText(sql: string): string {
  return `strftime(${sql}, '%Y-%m-%dT%H:%M:%S.%fZ')`;
}

function ip4Text(sql: string): string {
  const wide = `CAST(${sql} AS BIGINT)`;
  const octet = (shift: number) => `CAST((${wide} >> ${shift}) & 255 AS VARCHAR)`;
  return `(${[24, 16, 8, 0].map(octet).join(` || '.' || `)})`;
}

/** https://www.rfc-editor.org/rfc/rfc5952: the longest run of zero groups, the first of equals, is `::`. */
function ip6Text(sql: string): string {
  const hex = `replace(CAST(${sql} AS VARCHAR), '-', '')`;
  const each = `list_transform(range(0, 8), lambda i: regexp_replace(substr(h6, i * 4 + 1, 4), '^0{1,3}', ''))`;
  const shortened = (groups: string): string => {
    const runs = [8, 7, 6, 5, 4, 3, 2].map((n) => {
      const pattern = `(^|:)0(:0){${n - 1}}(:|$)`;
      return `WHEN regexp_matches(${groups}, '${pattern}') THEN regexp_replace(${groups}, '${pattern}', '::')`;
    });
    return `CASE ${runs.join(' ')} ELSE ${groups} END`;
  };
  const mapped = `'::ffff:' || ${ip4Text(`CAST('0x' || right(h6, 8) AS UINTEGER)`)}`;
  const text = `CASE WHEN starts_with(h6, '00000000000000000000ffff') THEN ${mapped} ELSE ${once(`array_to_string(${each}, ':')`, shortened, 'g6')} END`;
  return `list_transform([${hex}], lambda h6: ${text})[1]`;
}

/** From the two parts of an address. */
export function addressText(v4: string, v6: string): string {
  return `CASE WHEN ${operand(v4)} IS NOT NULL THEN ${once(v4, ip4Text, 'a4')} WHEN ${operand(v6)} IS NOT NULL THEN ${ip6Text(v6)} END`;
}

const QUAD = '[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}';

export function ip4OfText(sql: string): string {
  const found = `regexp_extract(${sql}, '^(?:::(?:f|F){4}:)?(${QUAD})$', 1)`;
  const number = (quad: string): string => {
    const octet = (at: number) => `TRY_CAST(split_part(${quad}, '.', ${at}) AS UTINYINT)`;
    const wide = (at: number, times: number) => `CAST(${octet(at)} AS BIGINT) * ${times}`;
    return `CAST(${wide(1, 2 ** 24)} + ${wide(2, 2 ** 16)} + ${wide(3, 2 ** 8)} + ${wide(4, 1)} AS UINTEGER)`;
  };
  return once(found, number, 'q4');
}

export function ip6OfText(sql: string): string {
  const side = (at: number) =>
    `list_filter(string_split(split_part(t6, '::', ${at}), ':'), lambda g: g <> '')`;
  const padded = (list: string) => `list_transform(${list}, lambda g: lpad(g, 4, '0'))`;
  const missing = `list_transform(range(8 - len(s6) - len(e6)), lambda i: '0000')`;
  const hex = `array_to_string(list_concat(${padded('s6')}, ${missing}, ${padded('e6')}), '')`;
  const parts = [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ].map(([from, n]) => `substr(h6, ${from}, ${n})`);
  const uuid = `list_transform([${hex}], lambda h6: TRY_CAST(${parts.join(` || '-' || `)} AS UUID))[1]`;
  const group = '[0-9a-fA-F]{1,4}';
  const whole = `${group}(:${group}){7}`;
  const part = `(${group}(:${group})*)?`;
  // With `::` at least one group is missing.
  const ofSides = `CASE WHEN len(s6) + len(e6) < 8 OR NOT contains(t6, '::') THEN ${uuid} END`;
  const inner = `list_transform([${side(1)}], lambda s6: list_transform([${side(2)}], lambda e6: ${ofSides})[1])[1]`;
  const isForm = `regexp_full_match(t6, '${whole}|${part}::${part}')`;
  return `list_transform([${sql}], lambda t6: CASE WHEN ${isForm} THEN ${inner} END)[1]`;
}
