/**
 * `src_mac:92-dd-ae-01-02-03`, `dst_mac:92dd.ae01.0203`, `mac:92:dd:ae*`: a hardware address, or the beginning of one, however
 * an event has it written. It is any of the values that are ways to write it.
 */
import { anyFilter } from '../batch/row-filter.ts';
import { either as eitherClickHouse } from '../dialect/clickhouse.ts';
import type { AttributeField, TextField } from '../names/fields.ts';
import { isMacName, macDigits, macTexts, statedMacDigits } from '../values/mac-text.ts';
import { printTest } from '../syntax/print.ts';
import { unite } from '../plan/known-rows/rows.ts';
import { nameText } from './describe.ts';
import { either } from './logic.ts';
import type { FilterOperator } from './operator.ts';
import { type TextValueFilter, textValueOperator } from './text-value.ts';

export interface MacFilter {
  readonly filter: 'mac';
  readonly field: TextField | AttributeField;
  /** Hexadecimal, lower case; fewer than twelve: a beginning. */
  readonly digits: string;
}

const WHOLE = 12;

function valuesOf({ field, digits }: MacFilter): TextValueFilter[] {
  const wildcard = digits.length < WHOLE;
  return macTexts(digits).map((text) => ({ filter: 'text-value', field, wildcard, text }));
}

export const macOperator: FilterOperator<MacFilter> = {
  parse: ({ field, test }) => {
    if (field.type !== 'text' && field.type !== 'attribute') return undefined;
    const isText = test.test === 'word' || test.test === 'quoted';
    const text = isText ? test.text : test.test === 'compare' && test.op === '=' ? test.value : '';
    const isStated = isMacName(field.name) && !(test.test === 'quoted' && text.includes('*'));
    const digits = isStated ? statedMacDigits(text) : macDigits(text);
    return digits === undefined ? undefined : { filter: 'mac', field, digits };
  },
  describe: ({ field, digits }) => {
    const [text = ''] = macTexts(digits);
    const isWhole = digits.length === WHOLE;
    return `${nameText(field)}:${printTest({ test: isWhole ? 'quoted' : 'word', text })}`;
  },
  sql: (filter, scope) => either(textValueOperator.sqlOfAny?.(valuesOf(filter), scope) ?? []),
  clickhouse: (filter, scope) =>
    eitherClickHouse(
      valuesOf(filter).flatMap((value) => textValueOperator.clickhouse?.(value, scope) ?? []),
    ),
  sqlCost: 'medium',
  rows: (filter, segment, known, isSelective) => {
    const found = valuesOf(filter).map((value) =>
      textValueOperator.rows?.(value, segment, known, isSelective),
    );
    return found.reduce(
      (all, one) =>
        all === undefined || one === undefined
          ? undefined
          : { rows: unite(all.rows, one.rows), exact: all.exact && one.exact },
      { rows: 'none', exact: true },
    );
  },
  lookUpCost: () => 30,
  groups: (filter) => {
    const conditions = valuesOf(filter).map((value) => textValueOperator.groups?.(value));
    const known = conditions.flatMap((one) => (one !== undefined && 'flags' in one ? one : []));
    const [first] = known;
    if (first === undefined || known.length < conditions.length) return undefined;
    return {
      dim: first.dim,
      flags: (values, size) => {
        const all = known.map((one) => one.flags(values, size));
        return Uint8Array.from({ length: size + 1 }, (_, place) =>
          Number(all.some((flags) => flags[place] === 1)),
        );
      },
    };
  },
  columns: (filter, scope) =>
    anyFilter(
      valuesOf(filter).flatMap((value) => textValueOperator.columns?.(value, scope) ?? []),
      scope.capacity,
    ),
  record: (filter) => {
    const tests = valuesOf(filter).flatMap((value) => textValueOperator.record?.(value) ?? []);
    return (bytes, text) => {
      const found = tests.map((holds) => holds(bytes, text));
      if (found.includes(true)) return true;
      return found.includes(undefined) ? undefined : false;
    };
  },
};
