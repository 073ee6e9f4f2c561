/**
 * Inner queries, `src_ip in [ query | values dst_ip ]`: collects them, and replaces them by the values that they
 * returned.
 */
import type { Ast, Expression, Stage, WithinNode } from '../syntax/ast.ts';
import { stageOperatorOf } from '../stages/stages.ts';

/** Number of values that one inner query may return. */
export const MOST_WITHIN = 100_000;

type Change = (node: WithinNode) => Expression;

function changed(node: Expression, change: Change): Expression {
  switch (node.node) {
    case 'within':
      return change(node);
    case 'not':
      return { ...node, item: changed(node.item, change) };
    case 'and':
    case 'or':
      return { ...node, items: node.items.map((item) => changed(item, change)) };
    case 'field-or-text':
      return { ...node, field: changed(node.field, change) };
    default:
      return node;
  }
}

function changedStage(stage: Stage, change: Change): Stage {
  const { withFilters, withQuery } = stageOperatorOf(stage);
  if (withFilters !== undefined) return withFilters(stage, (filter) => changed(filter, change));
  return withQuery?.(stage, (query) => changedAst(query, change)) ?? stage;
}

function changedAst(ast: Ast, change: Change): Ast {
  return {
    ...ast,
    filter: changed(ast.filter, change),
    stages: ast.stages.map((stage) => changedStage(stage, change)),
  };
}

/** The inner queries of a query: those in its filter, its stages' filters and its unions. */
export function queriesWithin(ast: Ast): WithinNode[] {
  const found: WithinNode[] = [];
  changedAst(ast, (node) => {
    found.push(node);
    return node;
  });
  return found;
}

/** The same query with values in place of inner queries. */
export function withValues(ast: Ast, values: ReadonlyMap<WithinNode, readonly string[]>): Ast {
  return changedAst(ast, (node) => {
    const { name, start, end } = node;
    const place = { start, end };
    const items = (values.get(node) ?? []).map((text): Expression => ({
      ...{ node: 'field', name, test: { test: 'quoted', text }, given: true },
      ...place,
    }));
    const [first] = items;
    if (first === undefined) return { node: 'not', item: { node: 'all', ...place }, ...place };
    return items.length === 1 ? first : { node: 'or', items, ...place };
  });
}
