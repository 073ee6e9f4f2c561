/**
 * Changing a query's text by hand of the window: adding a term, replacing the filter. The language's
 * own lexer lives in the engine; this knows only what it needs to find where the filter ends.
 * The language: docs/query-language.md.
 */

/** Words of the language that are no values by themselves. */
const PLAIN = /^[\p{L}\p{N}_.@%-]+$/u;

/** A value as it stands after `field:`; quoted where something in it would mean something. */
export function quoteValue(value: string | number): string {
  const text = String(value);
  const special = /^(?:AND|OR|NOT|TO)$/.test(text) || /^[-]/.test(text);
  if (PLAIN.test(text) && !special) return text;
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** `field:value`; values of addresses stay bare. Null: the field is absent. */
export function fieldTerm(field: string, value: string | number | null): string {
  const name = /^[A-Za-z0-9_.@-]+$/.test(field) ? field : `"${field.replace(/[\\"]/g, '\\$&')}"`;
  if (value === null) return `NOT ${name}:*`;
  if (typeof value === 'string' && /^[0-9a-fA-F:.]+$/.test(value) && value.includes(':')) {
    return isAddressField(field) ? `${name}:${value}` : `${name}:${quoteValue(value)}`;
  }
  return `${name}:${quoteValue(value)}`;
}

function isAddressField(field: string): boolean {
  return field === 'ip' || field === 'src_ip' || field === 'dst_ip' || field === 'event_id';
}

/** Where the filter ends and the first stage begins, and whether an OR stands outside of brackets. */
export function dissect(query: string): { filter: string; stages: string; hasOr: boolean } {
  let depth = 0;
  let hasOr = false;
  let i = 0;
  while (i < query.length) {
    const char = query[i];
    if (char === '"' || char === "'") {
      i += 1;
      while (i < query.length && query[i] !== char) i += query[i] === '\\' ? 2 : 1;
    } else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '/' && query[i - 1] === ':') {
      const close = /^\/(?:[^/\\]|\\.)*\/i?(?=[\s)|]|$)/.exec(query.slice(i));
      if (close !== null) i += close[0].length - 1;
    } else if (char === '|' && depth === 0) {
      return { filter: query.slice(0, i).trim(), stages: query.slice(i).trim(), hasOr };
    } else if (depth === 0 && /^OR\s/.test(query.slice(i)) && /\s/.test(query[i - 1] ?? '')) {
      hasOr = true;
    }
    i += 1;
  }
  return { filter: query.trim(), stages: '', hasOr };
}

/** The query with one more condition; a term that stands there already is not written twice. */
export function withTerm(query: string, term: string, exclude = false): string {
  const { filter, stages, hasOr } = dissect(query);
  const added = exclude ? (term.startsWith('NOT ') ? term.slice(4) : `NOT ${term}`) : term;
  const base = filter === '' || filter === '*' ? '' : hasOr ? `(${filter})` : filter;
  if (` ${base} `.includes(` ${added} `) && (exclude || !` ${base} `.includes(` NOT ${added} `))) {
    return query;
  }
  return [base, added, stages].filter((part) => part !== '').join(' ');
}

/** The query with this filter instead of its own. */
export function withFilter(query: string, filter: string): string {
  const { stages } = dissect(query);
  return [filter, stages].filter((part) => part !== '').join(' ');
}
