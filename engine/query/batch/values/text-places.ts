/** Rows of a batch by their texts: those of a column, of an attribute, or of all that words are searched in. */
import type { CodedColumn, TextColumn } from '../../../columns/columns.ts';
import type { ValueField } from '../../filters/field-texts.ts';
import { compilePattern } from '../../re2/matcher.ts';
import { CodeMemo } from './code-memo.ts';
import type { RowFilter } from '../row-filter.ts';
import { type RowScope, overflowNamed, overflowOf, textEnd, textStart } from '../row-scope.ts';

/** Whether a text, as UTF-8 in `bytes[start, end)`, matches. */
export type TextTest = (bytes: Uint8Array, start: number, end: number) => boolean;

const utf8 = new TextEncoder();

/** Text columns to search, and whether to search attributes without a column. */
export interface Places {
  readonly columns: readonly TextColumn[];
  readonly overflow: TextColumn | undefined;
  /** Only the attribute of this name in the overflow column. */
  readonly key: string | undefined;
  /** The codes of the only column, if it has any: then no text is read. */
  readonly coded?: CodedColumn;
}

function ofCodes(coded: CodedColumn): Places {
  return { columns: [], overflow: undefined, key: undefined, coded };
}

export function filterPlaces(places: () => Places, test: TextTest): RowFilter {
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

export function patternTest(pattern: string, ignoreCase: boolean): TextTest {
  const matcher = compilePattern(pattern, ignoreCase);
  return (bytes, start, end) => matcher.test(bytes, start, end);
}

export function placesOfRef(scope: RowScope, ref: Parameters<RowScope['column']>[0]): Places {
  const coded = scope.coded(ref);
  if (coded !== undefined) return ofCodes(coded);
  const column = scope.column(ref);
  return { columns: column?.type === 'text' ? [column] : [], overflow: undefined, key: undefined };
}

/** Every text that a word without a field is searched in. */
export function placesOfAll(scope: RowScope): () => Places {
  const places = (): Places => {
    const columns = [...scope.texts(), ...scope.attributes()];
    return { columns, overflow: scope.overflow(), key: undefined };
  };
  // Requests the columns before the first row is read.
  places();
  return places;
}

export function placesOf(field: ValueField, scope: RowScope): () => Places {
  const places = (): Places => {
    switch (field.type) {
      case 'text':
        return placesOfRef(scope, field.ref);
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
  // Requests the columns before the first row is read.
  places();
  return places;
}

export function equals(text: string): TextTest {
  const wanted = utf8.encode(text);
  return (bytes, start, end) => {
    if (end - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    return true;
  };
}

/** The order of a text and another, by their bytes. */
export function compareBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  other: Uint8Array,
): number {
  const length = Math.min(end - start, other.length);
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  return end - start - other.length;
}
