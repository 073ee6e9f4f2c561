/**
 * Whether an unparsed record contains what a query asks for. Such a record is only text: words, values, patterns
 * and addresses are searched in it; conditions on other fields, such as a kind or a time, are unknown and exclude
 * no record.
 */
import { type Filter, operatorOf } from './filter.ts';
import type { RecordTest } from './operator.ts';

const UNKNOWN: RecordTest = () => undefined;

/** Undefined: the filter contains nothing that a text could contain. */
export function recordTest(
  filters: readonly Filter[],
): ((bytes: Uint8Array) => boolean) | undefined {
  if (!filters.some(asksText)) return undefined;
  const tests = filters.map(compile);
  const decoder = new TextDecoder();
  return (bytes) => {
    let known: string | undefined;
    const text = () => (known ??= decoder.decode(bytes));
    return tests.some((test) => test(bytes, text) === true);
  };
}

/** A condition under NOT does not count: lacking a text is no reason to show a record. */
function asksText(filter: Filter): boolean {
  if ('items' in filter) return filter.items.some(asksText);
  if ('item' in filter || filter.filter === 'all') return false;
  return operatorOf(filter).record !== undefined;
}

function compile(filter: Filter): RecordTest {
  switch (filter.filter) {
    case 'all':
      return UNKNOWN;
    case 'and':
    case 'or': {
      const decisive = filter.filter === 'or';
      const items = filter.items.map(compile);
      return (bytes, text) => {
        const all = items.map((item) => item(bytes, text));
        if (all.includes(decisive)) return decisive;
        if (decisive) return all.includes(undefined) ? undefined : false;
        return all.includes(true) ? true : undefined;
      };
    }
    case 'not': {
      const item = compile(filter.item);
      return (bytes, text) => {
        const found = item(bytes, text);
        return found === undefined ? undefined : !found;
      };
    }
    default:
      return operatorOf(filter).record?.(filter) ?? UNKNOWN;
  }
}
