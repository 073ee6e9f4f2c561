/**
 * `prev(value)` and `delta(value)` of an expression: values of the previous row, in the current order and within a
 * group. They are separate columns, computed by the relation below; the rest of the expression reads these.
 */
import type { Expression, ValueNode } from '../syntax/ast.ts';
import type { Field } from '../names/fields.ts';
import { PREVIOUS_NAMES } from '../syntax/lexemes.ts';
import { syntaxError } from '../syntax/query-error.ts';
import { PART_TYPES, type ValueType } from './value.ts';

interface Previous {
  /** The prefix of SQL names, and its name in the expression. */
  readonly alias: string;
  readonly of: ValueNode;
  /** How many rows back. */
  readonly back: number;
}

/** Rows back at most. */
const MOST_BACK = 1000;

/**
 * The expression with a name in the place of each earlier value.
 * @param prefix of names that no other stage of the query has
 * @throws QueryError
 */
export function takePrevious(
  root: ValueNode,
  prefix: string,
): { readonly value: ValueNode; readonly previous: readonly Previous[] } {
  const previous: Previous[] = [];
  let inside = false;
  const nameOf = (of: ValueNode, back: number): ValueNode => {
    const alias = `${prefix}_${previous.length}`;
    previous.push({ alias, of, back });
    return { value: 'field', name: alias, start: of.start, end: of.end };
  };
  const call = (node: Extract<ValueNode, { value: 'call' }>): ValueNode => {
    if (!PREVIOUS_NAMES.has(node.fn)) return { ...node, args: node.args.map(value) };
    const { start, end } = node;
    if (inside)
      throw syntaxError(
        `${node.fn} inside prev or delta`,
        start,
        'for the value of two rows before write prev(field, 2)',
      );
    inside = true;
    const [of, count, more] = node.args.map(value);
    inside = false;
    if (of === undefined || more !== undefined || (count !== undefined && node.fn === 'delta'))
      throw syntaxError(
        `${node.fn} has ${node.args.length} arguments`,
        start,
        node.fn === 'delta' ? 'write delta(ts)' : 'write prev(field), or prev(field, 2)',
      );
    const back = count === undefined ? 1 : count.value === 'number' ? count.number : NaN;
    if (!Number.isInteger(back) || back < 1 || back > MOST_BACK)
      throw syntaxError(
        `prev takes a whole number of rows, 1 to ${MOST_BACK}`,
        count?.start ?? start,
      );
    const before = nameOf(of, back);
    if (node.fn === 'prev') return before;
    return { value: 'call', fn: '-', args: [of, before], start, end };
  };
  const value = (node: ValueNode): ValueNode => {
    if (node.value === 'call') return call(node);
    return node.value === 'condition' ? { ...node, filter: condition(node.filter) } : node;
  };
  const condition = (node: Expression): Expression => {
    switch (node.node) {
      case 'not':
        return { ...node, item: condition(node.item) };
      case 'and':
      case 'or':
        return { ...node, items: node.items.map(condition) };
      case 'compared':
        return { ...node, left: value(node.left), right: node.right && value(node.right) };
      default:
        return node;
    }
  };
  return { value: value(root), previous };
}

/** An earlier value as a field: the columns that have it. */
export function previousField(alias: string, type: ValueType): Field {
  const ref = (part: number) => ({
    computed: partAlias(alias, part),
    sqlType: PART_TYPES[type][part]!,
  });
  switch (type) {
    case 'number':
      return { type: 'number', name: alias, refs: [ref(0)], names: undefined };
    case 'time':
      return { type: 'time', name: alias, ref: ref(0) };
    case 'address':
      return { type: 'address', name: alias, sides: [{ v4: ref(0), v6: ref(1) }] };
    default:
      return { type: 'text', name: alias, ref: ref(0) };
  }
}

export function partAlias(alias: string, part: number): string {
  return `${alias}_${part}`;
}
