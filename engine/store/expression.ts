/** SQL expressions as data, printed for DuckDB's parser. */

export type Expression =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }
  /** A 32-bit number. For other types use a cast: DuckDB prints a view's numbers without their types. */
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'nothing' }
  /** A call of a function, or an operator between two values. */
  | { readonly kind: 'call'; readonly name: string; readonly values: readonly Expression[] }
  /** An element of a list, by its position from 1. */
  | { readonly kind: 'element'; readonly list: Expression; readonly place: Expression }
  | { readonly kind: 'isNothing'; readonly value: Expression }
  | { readonly kind: 'less'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'case';
      readonly when: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: string };

export function column(name: string): Expression {
  return { kind: 'column', name };
}

export function text(value: string): Expression {
  return { kind: 'text', text: value };
}

export function number(value: number): Expression {
  return { kind: 'number', value };
}

export function call(name: string, ...values: readonly Expression[]): Expression {
  return { kind: 'call', name, values };
}

/** @param place from 1 */
export function element(list: Expression, place: number | Expression): Expression {
  return { kind: 'element', list, place: typeof place === 'number' ? number(place) : place };
}

export function cast(value: Expression, type: string): Expression {
  return { kind: 'cast', value, type };
}

export const NOTHING: Expression = { kind: 'nothing' };

/** Whether a function's name is a binary operator. */
function isOperator(name: string): boolean {
  return /^\W$/.test(name);
}

export function sqlOf(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
      return identifier(expression.name);
    case 'text':
      return literal(expression.text);
    case 'number':
      return String(expression.value);
    case 'nothing':
      return 'NULL';
    case 'call': {
      const values = expression.values.map(sqlOf);
      const { name } = expression;
      return isOperator(name) ? `(${values.join(` ${name} `)})` : `${name}(${values.join(', ')})`;
    }
    case 'element':
      return `${sqlOf(expression.list)}[${sqlOf(expression.place)}]`;
    case 'isNothing':
      return `${sqlOf(expression.value)} IS NULL`;
    case 'less':
      return `${sqlOf(expression.left)} < ${sqlOf(expression.right)}`;
    case 'case': {
      const { when, then, otherwise } = expression;
      const rest = otherwise.kind === 'nothing' ? '' : ` ELSE ${sqlOf(otherwise)}`;
      return `CASE WHEN ${sqlOf(when)} THEN ${sqlOf(then)}${rest} END`;
    }
    case 'cast':
      return `CAST(${sqlOf(expression.value)} AS ${expression.type})`;
  }
}

/** A quoted SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A quoted SQL text, for the few places that accept no parameter (ATTACH, file names). */
export function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
