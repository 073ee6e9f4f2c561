/** Rows by text: words and phrases, whole values, patterns, ranges. */
import type { CodedColumn, TextColumn } from '../contract/event-batch.ts';
import type { RegexFilter } from '../query/filters/regex.ts';
import { type TextFilter, wholePattern } from '../query/filters/text.ts';
import type { TextRangeFilter } from '../query/filters/text-range.ts';
import type { TextValueFilter, ValueField } from '../query/filters/text-value.ts';
import { memberPattern, memberTest } from '../query/filters/members.ts';
import { valuePattern } from '../query/filters/wildcard.ts';
import { CodeMemo } from './code-memo.ts';
import type { Narrow } from './narrow-logic.ts';
import { compilePattern } from '../query/re2/matcher.ts';
import { type RowScope, overflowNamed, overflowOf, textEnd, textStart } from './row-scope.ts';

/** Whether a text, as UTF-8 in `bytes[start, end)`, is what is looked for. */
type TextTest = (bytes: Uint8Array, start: number, end: number) => boolean;

const utf8 = new TextEncoder();

/** Text columns to look into, and whether attributes without a column are looked into as well. */
interface Places {
  readonly columns: readonly TextColumn[];
  readonly overflow: TextColumn | undefined;
  /** Of the overflow only the attribute of this name. */
  readonly key: string | undefined;
  /** Where the only column has codes: those, and no text. */
  readonly coded?: CodedColumn;
}

function ofCodes(coded: CodedColumn): Places {
  return { columns: [], overflow: undefined, key: undefined, coded };
}

function narrowPlaces(places: () => Places, test: TextTest): Narrow {
  let memo: CodeMemo | undefined;
  return (rows, n) => {
    const { columns, overflow, key, coded } = places();
    let kept = 0;
    if (coded === undefined && columns.length === 0 && overflow === undefined) return 0;
    if (coded !== undefined) {
      const { values, present, bytesOf } = coded;
      const verdicts = (memo ??= new CodeMemo((code) => {
        const bytes = bytesOf(code);
        return test(bytes, 0, bytes.length) ? 1 : 0;
      }));
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        if (present[row] === 1 && verdicts.of(values[row]!) === 1) rows[kept++] = row;
      }
      return kept;
    }
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      let found = false;
      for (const column of columns) {
        if (column.present[row] === 0) continue;
        if (!test(column.data, textStart(column, row), textEnd(column, row))) continue;
        found = true;
        break;
      }
      if (!found && overflow?.present[row] === 1) found = inOverflow(overflow, row, key, test);
      if (found) rows[kept++] = row;
    }
    return kept;
  };
}

function inOverflow(
  overflow: TextColumn,
  row: number,
  key: string | undefined,
  test: TextTest,
): boolean {
  const values =
    key === undefined
      ? Object.values(overflowOf(overflow, row))
      : overflowNamed(overflow, row, key);
  return values.some((value) => {
    const bytes = utf8.encode(value);
    return test(bytes, 0, bytes.length);
  });
}

function patternTest(pattern: string, ignoreCase: boolean): TextTest {
  const matcher = compilePattern(pattern, ignoreCase);
  return (bytes, start, end) => matcher.test(bytes, start, end);
}

export function narrowText(filter: TextFilter, scope: RowScope): Narrow {
  const { ref } = filter;
  const test = patternTest(wholePattern(filter), true);
  const places = (): Places => {
    if (ref !== undefined) return ofRef(scope, ref);
    const columns = [...scope.texts(), ...scope.attributes()];
    return { columns, overflow: scope.overflow(), key: undefined };
  };
  places();
  return narrowPlaces(places, test);
}

function ofRef(scope: RowScope, ref: Parameters<RowScope['column']>[0]): Places {
  const coded = scope.coded(ref);
  if (coded !== undefined) return ofCodes(coded);
  const column = scope.column(ref);
  return { columns: column?.type === 'text' ? [column] : [], overflow: undefined, key: undefined };
}

function placesOf(field: ValueField, scope: RowScope): () => Places {
  const places = (): Places => {
    switch (field.type) {
      case 'text':
        return ofRef(scope, field.ref);
      case 'attribute': {
        const coded = scope.codedAttribute(field.key);
        if (coded !== undefined) return ofCodes(coded);
        const columns = scope.attributesNamed(field.key);
        return { columns, overflow: scope.overflow(), key: field.key };
      }
      case 'virtual':
        return { columns: scope.attributes(), overflow: scope.overflow(), key: undefined };
    }
  };
  // What is asked for is noted before the first row is read.
  places();
  return places;
}

export function narrowRegex(filter: RegexFilter, scope: RowScope): Narrow {
  return narrowPlaces(
    placesOf(filter.field, scope),
    patternTest(filter.pattern, filter.ignoreCase),
  );
}

/** Text that is its own only fold: no letters, and nothing beyond ASCII. */
const UNCASED = /^[\x01-@[-`{-\x7f]*$/;

export function narrowTextValue(filter: TextValueFilter, scope: RowScope): Narrow {
  const { text, wildcard } = filter;
  const whole =
    !wildcard && UNCASED.test(text)
      ? equals(text)
      : patternTest(valuePattern(text, wildcard), true);
  if (filter.field.type === 'text') return narrowPlaces(placesOf(filter.field, scope), whole);
  const member = memberTest([memberPattern(text, wildcard)]);
  return narrowPlaces(
    placesOf(filter.field, scope),
    (bytes, start, end) => whole(bytes, start, end) || member(bytes, start, end),
  );
}

export function equals(text: string): TextTest {
  const wanted = utf8.encode(text);
  return (bytes, start, end) => {
    if (end - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    return true;
  };
}

export function narrowTextRange(filter: TextRangeFilter, scope: RowScope): Narrow {
  const { lowIncluded, highIncluded } = filter;
  const low = filter.low === undefined ? undefined : utf8.encode(filter.low);
  const high = filter.high === undefined ? undefined : utf8.encode(filter.high);
  const test: TextTest = (bytes, start, end) => {
    if (low !== undefined) {
      const order = compareBytes(bytes, start, end, low);
      if (order < 0 || (order === 0 && !lowIncluded)) return false;
    }
    if (high === undefined) return true;
    const order = compareBytes(bytes, start, end, high);
    return order < 0 || (order === 0 && highIncluded);
  };
  return narrowPlaces(placesOf(filter.field, scope), test);
}

function compareBytes(bytes: Uint8Array, start: number, end: number, other: Uint8Array): number {
  const length = Math.min(end - start, other.length);
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  return end - start - other.length;
}
