/**
 * SQL that uses a value more than once without repeating its expression.
 *
 * Invariant: the value and the result are single operands. No operator around them can bind a part of them, and
 * callers of `once` need no brackets.
 */

/** An expression this short may be repeated. */
const SHORT = 48;

/** Binds an expression's value to a name in the result of `body`. */
type Bind = (sql: string, name: string, body: (sql: string) => string) => string;

/**
 * For DuckDB.
 * @param name of the value in the result of `body`, which must differ from that of an enclosing value
 */
export function once(sql: string, body: (sql: string) => string, name = 'v'): string {
  return inlineOr(inLambda, sql, body, name);
}

/** The same for ClickHouse. */
export function onceClickHouse(sql: string, body: (sql: string) => string, name = 'x'): string {
  return inlineOr(inArrayMap, sql, body, name);
}

const inLambda: Bind = (sql, name, body) =>
  `list_transform([${sql}], lambda ${name}: ${body(name)})[1]`;
const inArrayMap: Bind = (sql, name, body) => `arrayMap(${name} -> ${body(name)}, [${sql}])[1]`;

function inlineOr(bind: Bind, sql: string, body: (sql: string) => string, name: string): string {
  return sql.length <= SHORT ? operand(body(operand(sql))) : bind(sql, name, body);
}

/** SQL as an operand of whatever is around it: in brackets, unless it is seen to be a name, a literal or one call. */
export function operand(sql: string): string {
  return /^[\w.]+$/.test(sql) || isCall(sql) ? sql : `(${sql})`;
}

/** Whether it is one call, or one pair of brackets, possibly followed by an index: `f(a)[1]`. */
function isCall(sql: string): boolean {
  // A backslash in a text has different meanings in DuckDB and ClickHouse.
  if (!/^\w*\(/.test(sql) || sql.includes('\\')) return false;
  let depth = 0;
  let quote = '';
  for (let i = 0; i < sql.length; i++) {
    const char = sql[i]!;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if ('\'"`'.includes(char)) quote = char;
    else if ('(['.includes(char)) depth += 1;
    else if (')]'.includes(char)) {
      depth -= 1;
      if (depth === 0 && i < sql.length - 1 && sql[i + 1] !== '[') return false;
    }
  }
  return depth === 0 && quote === '';
}
