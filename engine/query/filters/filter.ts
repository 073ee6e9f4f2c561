/**
 * The analysed filter: names resolved, values read, ready for any scope and for an index to serve.
 * Each kind of filter has its file, which reads it from the syntax and compiles it for a scope.
 *
 * Invariant: `compileFilter` gives SQL that is TRUE exactly for the events that match; for the rest
 * it is FALSE or NULL, and only `NOT` tells those apart, by `IS NOT TRUE`.
 */
import { TRUE, type Predicate, type Scope } from '../scope.ts';
import { type AddressFilter, compileAddress } from './address.ts';
import { type ArrivedFilter, compileArrived } from './arrived.ts';
import { type CommunityFilter, compileCommunity } from './community-id.ts';
import { type DayFilter, compileDay } from './day.ts';
import { type EventIdFilter, compileEventId } from './event-id.ts';
import { type FlowFilter, compileFlow } from './flow.ts';
import { type KindFilter, compileKind } from './kind.ts';
import { type ListFilter, type ListTextFilter, compileList, compileListText } from './list.ts';
import { both, either, negate } from './logic.ts';
import { type NumberFilter, compileNumber } from './number.ts';
import { type PresentFilter, compilePresent } from './present.ts';
import { type RegexFilter, compileRegex } from './regex.ts';
import { type SourceFilter, compileSource } from './source.ts';
import { type TagFilter, compileTag } from './tag.ts';
import { type TextFilter, compileText, compileTexts } from './text.ts';
import { type TextRangeFilter, compileTextRange } from './text-range.ts';
import { type TextValueFilter, compileTextValue, compileTextValues } from './text-value.ts';
import { type TimeFilter, compileTime } from './time.ts';
import { type UnflowedFilter, compileUnflowed } from './unflowed.ts';

export type LeafFilter =
  | AddressFilter
  | ArrivedFilter
  | CommunityFilter
  | DayFilter
  | EventIdFilter
  | FlowFilter
  | KindFilter
  | ListFilter
  | ListTextFilter
  | NumberFilter
  | PresentFilter
  | RegexFilter
  | SourceFilter
  | TagFilter
  | TextFilter
  | TextRangeFilter
  | TextValueFilter
  | TimeFilter
  | UnflowedFilter;

export type Filter =
  | { readonly filter: 'all' }
  | { readonly filter: 'and' | 'or'; readonly items: readonly Filter[] }
  | { readonly filter: 'not'; readonly item: Filter }
  | LeafFilter;

export const ALL: Filter = { filter: 'all' };

export function allOf(items: readonly Filter[]): Filter {
  const kept = items.filter((item) => item.filter !== 'all');
  if (kept.length === 0) return ALL;
  return kept.length === 1 ? kept[0]! : { filter: 'and', items: kept };
}

export function compileFilter(filter: Filter, scope: Scope): Predicate {
  switch (filter.filter) {
    case 'all':
      return TRUE;
    case 'and':
      return compileAll(filter.items, scope);
    case 'or':
      return compileAny(filter.items, scope);
    case 'not':
      return negate(compileFilter(filter.item, scope));
    case 'address':
      return compileAddress(filter, scope);
    case 'arrived':
      return compileArrived(filter, scope);
    case 'community-id':
      return compileCommunity(filter, scope);
    case 'day':
      return compileDay(filter, scope);
    case 'event-id':
      return compileEventId(filter, scope);
    case 'flow':
      return compileFlow(filter, scope);
    case 'kind':
      return compileKind(filter, scope);
    case 'list':
      return compileList(filter, scope);
    case 'list-text':
      return compileListText(filter, scope);
    case 'number':
      return compileNumber(filter, scope);
    case 'present':
      return compilePresent(filter, scope);
    case 'regex':
      return compileRegex(filter, scope);
    case 'source':
      return compileSource(filter, scope);
    case 'tag':
      return compileTag(filter, scope);
    case 'text':
      return compileText(filter, scope);
    case 'text-range':
      return compileTextRange(filter, scope);
    case 'text-value':
      return compileTextValue(filter, scope);
    case 'time':
      return compileTime(filter, scope);
    case 'unflowed':
      return compileUnflowed(filter, scope);
  }
}

/** Stops at the first condition that no event of the scope meets. */
function compileAll(items: readonly Filter[], scope: Scope): Predicate {
  const out: Predicate[] = [];
  for (const item of items) {
    const one = compileFilter(item, scope);
    if (!('sql' in one) && !one.value) return one;
    out.push(one);
  }
  return both(out);
}

/** Words and values of the same fields become one pattern: one pass over the text finds any. */
function compileAny(items: readonly Filter[], scope: Scope): Predicate {
  const out: Predicate[] = [];
  const texts: TextFilter[] = [];
  const values: TextValueFilter[] = [];
  for (const item of items) {
    if (item.filter === 'text') texts.push(item);
    else if (item.filter === 'text-value') values.push(item);
    else {
      const one = compileFilter(item, scope);
      if (!('sql' in one) && one.value) return one;
      out.push(one);
    }
  }
  return either([...out, ...compileTexts(texts, scope), ...compileTextValues(values, scope)]);
}
