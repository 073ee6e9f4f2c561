/**
 * One condition of a filter answered by what is known of a segment: its token index, its values, its
 * times, its marks. Undefined: nothing that is known serves it.
 */

import { RowSet } from '../../index/row-set.ts';
import type { SegmentIndexes } from '../../index/segment-indexes.ts';
import { attributesNamed } from '../attribute-names.ts';
import { type Ref, knownField } from '../fields.ts';
import type { AddressFilter } from '../filters/address.ts';
import type { LeafFilter } from '../filters/filter.ts';
import type { FlowFilter } from '../filters/flow.ts';
import type { TagFilter } from '../filters/tag.ts';
import { formatIp4 } from '../address.ts';
import { addressTextFilter } from '../filters/address-text.ts';
import type { ListTextFilter } from '../filters/list.ts';
import { type PhraseToken, type TextFilter, textFilter } from '../filters/text.ts';
import { isWritten } from '../lists/match-list.ts';
import type { TextValueFilter } from '../filters/text-value.ts';
import type { PresentFilter } from '../filters/present.ts';
import type { RegexFilter } from '../filters/regex.ts';
import type { TimeFilter } from '../filters/time.ts';
import { wildcardMatcher } from '../filters/wildcard.ts';
import { ATTRIBUTE_PREFIX, OVERFLOW_COLUMN, SEARCHED_COLUMNS, type SegmentInfo } from '../scope.ts';
import { listRows } from './list-rows.ts';
import { ip6Bytes } from './ip6-bytes.ts';
import { requiredWords } from './required-words.ts';
import { type Rows, intersect, rowsOf, unite } from './rows.ts';

/** What is known of one segment's rows. */
export interface Known {
  readonly indexes: SegmentIndexes;
  /** Bytes that may be kept of the indexes of all segments. */
  readonly keptBytes: number;
  /** Rows with a tag; 0: deleted ones. */
  marked(tag: number): RowSet;
  /** What was looked up for a condition lately, or is now. */
  kept(leaf: LeafFilter, lookUp: () => LeafRows | undefined): LeafRows | undefined;
}

export interface LeafRows {
  /** No other row matches. */
  readonly rows: Rows;
  /** Each of them does. */
  readonly exact: boolean;
}

/** In no unit: what is looked up first is what costs least. */
export function leafCost(filter: LeafFilter): number {
  switch (filter.filter) {
    case 'text':
      return filter.tokens.some(({ wildcard }) => wildcard) ? 20 : 5 + filter.tokens.length;
    case 'text-value':
      return filter.wildcard ? 20 : 8;
    case 'address':
    case 'flow':
      return 4;
    case 'list':
    case 'list-text':
    case 'regex':
      return 30;
    case 'tag':
    case 'unflowed':
      return 2;
    case 'present':
      return 3;
    case 'time':
      return 1;
    default:
      return 0;
  }
}

/** @param few it is asked about few rows: what would only narrow them is not looked up */
export function leafRows(
  filter: LeafFilter,
  segment: SegmentInfo,
  known: Known,
  few = false,
): LeafRows | undefined {
  switch (filter.filter) {
    case 'text':
      return textRows(filter, segment, known);
    case 'text-value':
      return textValueRows(filter, segment, known, few);
    case 'regex':
      return few ? undefined : regexRows(filter, segment, known);
    case 'address':
      return addressRows(filter, segment, known);
    case 'flow':
      return flowRows(filter, segment, known);
    case 'list':
      return listRows(filter, segment, known.indexes.values);
    case 'list-text':
      return listTextRows(filter, segment, known);
    case 'tag':
      return tagRows(filter, segment, known);
    case 'time':
      return timeRows(filter, segment, known);
    case 'present':
      return presentRows(filter, known);
    case 'unflowed': {
      const found = known.indexes.values?.unflowed();
      return found && { rows: rowsOf(found), exact: true };
    }
    default:
      return undefined;
  }
}

// -- text ------------------------------------------------------------------------------------------

function textRows(
  filter: TextFilter,
  { rows: total }: SegmentInfo,
  { indexes }: Known,
): LeafRows | undefined {
  if (filter.index === 'none') return undefined;
  const column = filter.ref === undefined ? undefined : searched(filter.ref);
  if (filter.ref !== undefined && column === undefined) return undefined;
  const found = indexes.text?.search(filter, column);
  if (filter.index === undefined || found === undefined)
    return found && { rows: rowsOf(found.rows), exact: found.exact };
  if (found.rows.count > total * MOST_CANDIDATES) return undefined;
  return { rows: rowsOf(found.rows), exact: false };
}

/** More addresses than these are sooner looked for in the rows. */
const FEW_ADDRESSES = 256;

/** Rows with an address of a list in their text. */
function listTextRows(
  { list }: ListTextFilter,
  segment: SegmentInfo,
  known: Known,
): LeafRows | undefined {
  const groups = list.groups.filter(isWritten);
  const count = groups.reduce((sum, { lines }) => sum + lines.length, 0);
  if (known.indexes.text === undefined || count > FEW_ADDRESSES) return undefined;
  let rows: Rows = 'none';
  let exact = true;
  for (const { keys } of groups)
    for (const { key, values } of keys)
      for (const value of values) {
        if (key.key !== 'written4') return undefined;
        const found = textRows(writtenFilter(Number(value), key.prefix), segment, known);
        if (found === undefined) return undefined;
        rows = unite(rows, found.rows);
        exact &&= found.exact;
      }
  return { rows, exact };
}

function writtenFilter(low: number, prefix: number): TextFilter {
  if (prefix === 32) return textFilter(formatIp4(low), true, 0, undefined);
  return addressTextFilter({ version: 4, low, high: low + 2 ** (32 - prefix) - 1 }, undefined);
}

const SEARCHED: ReadonlySet<string> = new Set(SEARCHED_COLUMNS);

function searched(ref: Ref): string | undefined {
  return 'column' in ref && SEARCHED.has(ref.column) ? ref.column : undefined;
}

/** Candidates that are more of the rows than this are sooner all read; and where most messages are judged by their shape. */
const MOST_CANDIDATES = 1 / 4;
const MOST_OF_CUT = 1 / 256;

/** Rows whose text has what every match of a pattern has. */
function regexRows(
  filter: RegexFilter,
  { rows: total, cut }: SegmentInfo,
  { indexes }: Known,
): LeafRows | undefined {
  const { field } = filter;
  const column = field.type === 'text' ? searched(field.ref) : undefined;
  const query = column === undefined ? undefined : requiredWords(filter);
  if (query === undefined) return undefined;
  const isCut = cut === true && column === 'message';
  // To look for a part of a word in all words takes longer than to judge shapes.
  if (isCut && query.tokens.some(({ text }) => text.startsWith('*'))) return undefined;
  const found = indexes.text?.search(query, column);
  const most = total * (isCut ? MOST_OF_CUT : MOST_CANDIDATES);
  if (found === undefined || found.rows.count > most) return undefined;
  return { rows: rowsOf(found.rows), exact: false };
}

/** Texts of which every distinct one is known: what a filter says of them it says of their rows. */
function byValue(
  ref: Ref,
  { indexes }: Known,
  test: (text: string) => boolean,
): LeafRows | undefined {
  if (!('column' in ref) || (ref.column !== 'host' && ref.column !== 'program')) return undefined;
  const found = indexes.values?.rowsOfText(ref.column, test);
  return found && { rows: rowsOf(found), exact: true };
}

function presentRows({ field }: PresentFilter, known: Known): LeafRows | undefined {
  return field.type === 'text' ? byValue(field.ref, known, () => true) : undefined;
}

function textValueRows(
  filter: TextValueFilter,
  segment: SegmentInfo,
  known: Known,
  few: boolean,
): LeafRows | undefined {
  const { field, text, wildcard } = filter;
  const whole =
    field.type === 'text' ? byValue(field.ref, known, wildcardMatcher(text, wildcard)) : undefined;
  return whole !== undefined || few ? whole : valueCandidates(filter, segment, known);
}

/**
 * A whole value holds all its tokens; that it is them and nothing else must be read. What stands next
 * to a wildcard may be a part of a longer token.
 */
function valueCandidates(
  { field, text, wildcard }: TextValueFilter,
  segment: SegmentInfo,
  { indexes }: Known,
): LeafRows | undefined {
  const lookup = indexes.text;
  if (lookup === undefined) return undefined;
  let column: string | undefined;
  if (field.type === 'text') {
    column = searched(field.ref);
    if (column === undefined) return undefined;
  } else if (field.type === 'attribute') {
    // Of several spellings, and in the overflow, it is somewhere among all texts.
    const [own, other] = attributesNamed(segment.columns, field.key);
    if (own !== undefined && other === undefined && !segment.columns.has(OVERFLOW_COLUMN))
      column = own.column;
  } else if (![...segment.columns].some((name) => isAttribute(name))) return undefined;
  let rows: Rows = 'all';
  for (const token of wordsOf(text, wildcard, field.type !== 'text')) {
    const found = lookup.search({ tokens: [token], between: [] }, column);
    if (found === undefined) continue;
    rows = intersect(rows, rowsOf(found.rows));
    if (rows === 'none') break;
  }
  return rows === 'all' ? undefined : { rows, exact: false };
}

function isAttribute(column: string): boolean {
  return column.startsWith(ATTRIBUTE_PREFIX) || column === OVERFLOW_COLUMN;
}

const TOKEN = /[\w\u0080-\u{10ffff}]+/gu;

const UNPRINTABLE = /[\0-\x1f]/;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Words that every text which matches `text` wholly, or has it as a member, must have. */
function wordsOf(text: string, wildcard: boolean, isAttribute: boolean): PhraseToken[] {
  const pieces = wildcard ? text.split(/[*?]+/) : [text];
  return pieces.flatMap((piece, i) => {
    const found = [...piece.matchAll(TOKEN)];
    return found.flatMap((match, at): PhraseToken[] => {
      // In a list a character beyond ASCII, or a control character before a word, may be escaped.
      if (isAttribute && (UNPRINTABLE.test(text) || BEYOND_ASCII.test(match[0]))) return [];
      // Where the first and the last piece are not empty the value begins and ends with them.
      const starts = i > 0 && match.index === 0;
      const behind = match.index + match[0].length;
      const ends = i < pieces.length - 1 && at === found.length - 1 && behind === piece.length;
      const word = `${starts ? '*' : ''}${match[0]}${ends ? '*' : ''}`;
      return [{ text: word, wildcard: starts || ends }];
    });
  });
}

// -- addresses -------------------------------------------------------------------------------------

type Ranges = AddressFilter['ranges'];

function addressRows(
  { field, ranges }: AddressFilter,
  segment: SegmentInfo,
  known: Known,
): LeafRows | undefined {
  let rows: Rows = 'none';
  for (const side of field.sides) {
    for (const ref of [side.v4, side.v6]) {
      if (ref === undefined) continue;
      const found = 'column' in ref ? inColumn(ref.column, ranges, segment, known) : undefined;
      if (found === undefined) return undefined;
      rows = unite(rows, found);
    }
  }
  return { rows, exact: true };
}

/** Blocks of addresses that a larger part of the rows may be in are found sooner by comparing. */
const MOST_OF_BLOCK = 1 / 32;
const MOST_OF_ONE = 1 / 4;

function inColumn(
  column: string,
  ranges: Ranges,
  { columns, rows: total }: SegmentInfo,
  { indexes }: Known,
): Rows | undefined {
  const { values } = indexes;
  if (!columns.has(column)) return 'none';
  if (values === undefined) return undefined;
  let rows: Rows = 'none';
  for (const range of ranges) {
    let found: RowSet | undefined;
    if (column === 'src_ip4' || column === 'dst_ip4') {
      if (range.version === 6) continue;
      if (range.version === 4) {
        const { low, high } = range;
        const most = total * (low === high ? MOST_OF_ONE : MOST_OF_BLOCK);
        if ((values.mostOfIp4(column, low, high) ?? 0) <= most)
          found = values.rowsOfIp4(column, low, high);
      }
    } else if (column === 'src_ip6' || column === 'dst_ip6') {
      if (range.version !== 6) continue;
      const [low, high] = [ip6Bytes(range.low), ip6Bytes(range.high)];
      const most = total * (range.low === range.high ? MOST_OF_ONE : MOST_OF_BLOCK);
      if ((values.mostOfIp6(column, low, high) ?? 0) <= most)
        found = values.rowsOfIp6(column, low, high);
    }
    if (found === undefined) return undefined;
    rows = unite(rows, rowsOf(found));
  }
  return rows;
}

/** By its addresses; ports and protocol must be read. */
function flowRows(
  { ends, proto }: FlowFilter,
  segment: SegmentInfo,
  known: Known,
): LeafRows | undefined {
  const [a, b] = ends;
  if (a.address === undefined && b.address === undefined) return undefined;
  const side = (name: string, end: FlowFilter['ends'][number]): Rows | undefined => {
    const field = knownField(name);
    if (end.address === undefined || field?.type !== 'address') return 'all';
    return addressRows({ filter: 'address', field, ranges: [end.address] }, segment, known)?.rows;
  };
  const both = (from: FlowFilter['ends'][number], to: FlowFilter['ends'][number]) => {
    const source = side('src_ip', from);
    if (source === undefined || source === 'none') return source;
    const target = side('dst_ip', to);
    return target && intersect(source, target);
  };
  const forth = both(a, b);
  const back = both(b, a);
  if (forth === undefined || back === undefined) return undefined;
  const whole = a.address !== undefined && b.address !== undefined;
  const exact = whole && a.port === undefined && b.port === undefined && proto === undefined;
  return { rows: unite(forth, back), exact };
}

// -- marks and times -------------------------------------------------------------------------------

function tagRows(
  { ids, ref }: TagFilter,
  { tags }: SegmentInfo,
  { marked }: Known,
): LeafRows | undefined {
  if (ref !== undefined) return undefined;
  let rows: Rows = 'none';
  for (const id of ids) if (tags.has(id)) rows = unite(rows, rowsOf(marked(id)));
  return { rows, exact: true };
}

function timeRows(
  { ref, from, to }: TimeFilter,
  { rows: total }: SegmentInfo,
  { indexes }: Known,
): LeafRows | undefined {
  if (!('column' in ref) || ref.column !== 'ts' || indexes.time === undefined) return undefined;
  const low = from === undefined ? 0 : indexes.time.rowAt(from);
  const high = indexes.time.rowAt(to ?? Infinity);
  return { rows: low < high ? rowsOf(RowSet.range(total, low, high)) : 'none', exact: true };
}
