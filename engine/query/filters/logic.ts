/**
 * AND, OR and NOT of conditions, decided where the scope decides them.
 *
 * A condition's SQL may be NULL instead of false. AND and OR keep that; NOT turns it into a plain truth value.
 */
import { FALSE, TRUE, type Predicate } from '../plan/scope.ts';

export function both(items: readonly Predicate[]): Predicate {
  const parts: string[] = [];
  let decided: Predicate = TRUE;
  for (const item of items) {
    if ('sql' in item) parts.push(item.sql);
    else if (!item.value) return item;
    else decided = item;
  }
  if (parts.length === 0) return decided;
  return { sql: parts.length === 1 ? parts[0]! : `(${unique(parts).join(' AND ')})` };
}

export function either(items: readonly Predicate[]): Predicate {
  const parts: string[] = [];
  let decided: Predicate | undefined;
  for (const item of items) {
    if ('sql' in item) parts.push(item.sql);
    else if (item.value) return item;
    else decided ??= item;
  }
  if (parts.length === 0) return decided ?? FALSE;
  return { sql: parts.length === 1 ? parts[0]! : `(${unique(parts).join(' OR ')})` };
}

export function negate(item: Predicate): Predicate {
  if ('sql' in item) return { sql: `(${item.sql}) IS NOT TRUE` };
  return { value: !item.value, reason: item.reason };
}

function unique(parts: readonly string[]): string[] {
  return [...new Set(parts)];
}
