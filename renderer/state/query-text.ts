/**
 * Changing a query's text by hand of the window: adding a condition, replacing or removing one. What a
 * text means is read by the parser of the engine, before a change and after it.
 *
 * Holds always: a changed query means what was asked for, conditions that stay and the new one, or is
 * not changed. A text that is no query yet keeps its error.
 */
import {
  isOpenOr,
  outermostItems,
  parseQuery,
  pieceSpans,
  pipeBefore,
  printFilter,
  printName,
  QueryError,
  quoted,
  quoteValue,
  type Ast,
  type Expression,
  type Span,
  type Test,
} from '../../engine/query/syntax/index.ts';

/** `field:value`. Null: the field is absent. */
export function fieldTerm(field: string, value: string | number | null): string {
  const name = printName(field);
  if (value === null) return `NOT ${name}:*`;
  const term = `${name}:${quoteValue(value)}`;
  // `ab:cd::1` would be an address, whatever field is called `ab`.
  return filterOf(term)?.node === 'field' ? term : `${name}:${quoted(String(value))}`;
}

// -- the parts of a query --------------------------------------------------------------------------

/** Undefined if the text is no query. */
function parsed(query: string): Ast | undefined {
  try {
    return parseQuery(query);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

/** The meaning of a text that is a filter alone. */
function filterOf(text: string): Expression | undefined {
  const ast = parsed(text);
  return ast?.stages.length === 0 ? ast.filter : undefined;
}

/** The test of a field that a condition is, but for its NOTs; undefined where it is something else. */
export function testOf(condition: string): Test | undefined {
  let tree = filterOf(condition);
  while (tree?.node === 'not' || tree?.node === 'field-or-text')
    tree = tree.node === 'not' ? tree.item : tree.field;
  return tree?.node === 'field' ? tree.test : undefined;
}

/** How the timeline of a query counts; undefined without such a stage. */
export interface TimelineShape {
  /** Whether a column follows the count: a measure, or a number that is spread. */
  readonly isMeasured: boolean;
  /** Whether buckets and series can be added up, as averages cannot. */
  readonly adds: boolean;
  /** The field whose values are series. */
  readonly by: string | undefined;
}

export function timelineOf(query: string): TimelineShape | undefined {
  const stage = parsed(query)?.stages.find((one) => one.stage === 'timeline');
  if (stage?.stage !== 'timeline') return undefined;
  const { measure, spread, by } = stage;
  return {
    isMeasured: (measure ?? spread) !== undefined,
    adds: measure === undefined || measure.fn === 'sum' || measure.fn === 'countif',
    by: by?.name,
  };
}

/** The filter and the stages of a query. */
export function dissect(query: string): { filter: string; stages: string } {
  const end = filterEnd(query, parsed(query));
  return { filter: query.slice(0, end).trim(), stages: query.slice(end).trim() };
}

function filterEnd(query: string, ast: Ast | undefined): number {
  if (ast !== undefined) {
    const [stage] = ast.stages;
    return stage === undefined ? query.length : pipeBefore(query, stage);
  }
  const [filter, stage] = pieceSpans(query);
  return stage === undefined ? query.length : query.indexOf('|', filter?.end);
}

/** A condition: as it is written, and what it means. */
interface Condition extends Span {
  readonly text: string;
  readonly tree: Expression;
}

/** The conditions that all hold; what takes everything is none. */
function conditionsOf(query: string, filter: Expression): Condition[] {
  return outermostItems(filter).flatMap((tree) => {
    const { start, end } = tree;
    return tree.node === 'all' ? [] : [{ start, end, text: query.slice(start, end), tree }];
  });
}

// -- what a filter means ---------------------------------------------------------------------------

const PLACES: ReadonlySet<string> = new Set(['start', 'end', 'at']);

/** Equal for filters that mean the same, but for brackets and an order that change nothing. */
function meaningOf(tree: Expression): string {
  switch (tree.node) {
    case 'and':
    case 'or': {
      const parts = partsOf(tree, tree.node).map(meaningOf);
      return parts.length === 1 ? parts[0]! : `${tree.node}(${parts.sort().join()})`;
    }
    case 'not':
      return `not(${meaningOf(tree.item)})`;
    case 'field-or-text':
      return `either(${meaningOf(tree.field)},${meaningOf(tree.text)},${tree.doubtful})`;
    default:
      return JSON.stringify(tree, (key, value: unknown) => (PLACES.has(key) ? undefined : value));
  }
}

function partsOf(tree: Expression, node: 'and' | 'or'): readonly Expression[] {
  if (tree.node === node) return tree.items.flatMap((item) => partsOf(item, node));
  return node === 'and' && tree.node === 'all' ? [] : [tree];
}

/**
 * A filter that means all of these. Texts side by side may mean something else than each by itself:
 * `user not` before `a:b` would be `NOT a:b`, and `abc=` a comparison with what follows.
 * @param written how it is best written, if that means the same
 * @returns undefined: it cannot be written
 */
function allOf(conditions: readonly Condition[], written: string): string | undefined {
  const place = { start: 0, end: 0 };
  const wanted = meaningOf({ node: 'and', items: conditions.map(({ tree }) => tree), ...place });
  const open = conditions.map(({ text, tree }) => (isOpenOr(tree) ? `(${text})` : text));
  const closed = conditions.map(({ text }) => `(${text})`);
  const printed = conditions.map(
    ({ text, tree, start }) => `(${printFilter(tree, ' '.repeat(start) + text)})`,
  );
  const ways = [
    ...[written, open.join(' '), [...closed.slice(0, -1), ...open.slice(-1)].join(' ')],
    ...[closed.join(' '), [...closed].reverse().join(' ')],
    // After another term `not` is a word, or the name of a field.
    ...[`* ${written}`, printed.join(' ')],
  ];
  return ways.find((text) => {
    const tree = filterOf(text);
    return tree !== undefined && meaningOf(tree) === wanted;
  });
}

// -- changes ---------------------------------------------------------------------------------------

/**
 * The query with one more condition. A condition that stands there already is not written twice, and
 * one that says the opposite gives way to it.
 */
export function withTerm(query: string, term: string, exclude = false): string {
  const { filter, stages } = dissect(query);
  const text = exclude ? oppositeOf(term) : term;
  const tree = filterOf(text);
  const before = filterOf(filter);
  if (filter === '' || before?.node === 'all') return join(text, stages);
  if (before === undefined || tree === undefined) {
    const wrong = join(`(${filter})`, text, stages);
    return parsed(wrong) === undefined ? wrong : query;
  }
  const added = { text, tree, start: 0, end: text.length };
  const conditions = conditionsOf(filter, before);
  const known = new Set(conditions.map((one) => meaningOf(one.tree)));
  if (conditionsOf(text, tree).every((one) => known.has(meaningOf(one.tree)))) return query;
  const against = meaningOf(opposed(tree));
  const kept = conditions.filter((one) => meaningOf(one.tree) !== against);
  const isWhole = kept.length === conditions.length;
  const changed = isWhole
    ? allOf([{ text: filter, tree: before, ...whole(filter) }, added], `${filter} ${text}`)
    : allOf([...kept, added], join(...kept.map((one) => one.text), text));
  return changed === undefined ? query : join(changed, stages);
}

const whole = (text: string): Span => ({ start: 0, end: text.length });

function opposed(tree: Expression): Expression {
  return tree.node === 'not' ? tree.item : { node: 'not', item: tree, ...whole('') };
}

/** The query with this filter instead of its own. */
export function withFilter(query: string, filter: string): string {
  return join(filter, dissect(query).stages);
}

/** Without the condition of this number, and the AND that bound it. */
export function withoutTerm(query: string, at: number): string {
  const end = filterEnd(query, parsed(query));
  const filter = query.slice(0, end);
  const tree = filterOf(filter);
  const conditions = tree === undefined ? [] : conditionsOf(filter, tree);
  const term = conditions[at];
  if (term === undefined) return query;
  const others = conditions.filter((one) => one !== term);
  const [before, next] = [conditions[at - 1], conditions[at + 1]];
  const span = {
    start: before?.end ?? 0,
    end: next === undefined ? filter.length : before === undefined ? next.start : term.end,
  };
  if (others.length === 0) return query.slice(end).trim();
  const changed = allOf(others, splice(filter, span, '').trim());
  return changed === undefined ? query : join(changed, query.slice(end).trim());
}

/** With another text for a condition, or for the whole filter, which stands at `term`. */
export function withTermReplaced(query: string, term: Span, written: string): string {
  const asWritten = splice(query, term, written);
  const end = filterEnd(query, parsed(query));
  const [before, tree] = [filterOf(query.slice(0, end)), filterOf(written)];
  if (before === undefined || tree === undefined) return asWritten;
  const replaced = { text: written, tree, ...whole(written) };
  const conditions = conditionsOf(query, before);
  const changed = conditions.map((one) => (one.start === term.start ? replaced : one));
  const filter = allOf(changed, dissect(asWritten).filter);
  return filter === undefined ? query : join(filter, query.slice(end).trim());
}

/** A condition without its NOTs, or with one. */
export function oppositeOf(term: string): string {
  let tree = filterOf(term);
  let isNegated = false;
  // `dst_port!=22` has no sign before it to take away, nor has `(NOT a)`.
  while (tree?.node === 'not' && tree.item.start > tree.start && term[tree.start] !== '(') {
    isNegated = !isNegated;
    tree = tree.item;
  }
  const bare = term.slice(tree?.start ?? 0);
  if (isNegated && bare !== term) return bare;
  const isOne = tree === undefined || (!isOpenOr(tree) && outermostItems(tree).length === 1);
  return isOne ? `NOT ${bare}` : `NOT (${bare})`;
}

/** Without a stage and the `|` before it. */
export function withoutStage(query: string, stage: Span): string {
  const pipe = Math.max(0, query.lastIndexOf('|', stage.start));
  return splice(query, { start: pipe, end: stage.end }, '').trim();
}

/** Replaces a span; neighbours that would grow together are kept apart by a space. */
function splice(text: string, { start, end }: Span, insert: string): string {
  const left = text.slice(0, start);
  const isGap = insert === '' && /\s$/.test(left);
  const right = isGap ? text.slice(end).trimStart() : text.slice(end);
  const before = /\S$/.test(left) && /^[^\s|]/.test(insert === '' ? right : insert) ? ' ' : '';
  const after = insert !== '' && /^\S/.test(right) ? ' ' : '';
  return `${left}${before}${insert}${after}${right}`;
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
