/**
 * The parts of a query by their positions in its text: its filter, the items of the filter, its stages, and the
 * leading part that returns events. Nothing is looked up; an invalid text has an outline, too.
 */
import type { Ast, Expression, Span, Test } from '../syntax/ast.ts';
import { knownField } from '../names/fields.ts';
import { parseQuery } from '../syntax/parse.ts';
import { isOpenOr, outermostItems, pieceSpans, pipeBefore, trimmed } from '../syntax/pieces.ts';
import { printTest } from '../syntax/print.ts';
import { QueryError, errorEnd } from '../syntax/query-error.ts';
import { endsEvents } from '../stages/stages.ts';

/** An item of the outermost AND of a filter. */
interface Term extends Span {
  readonly text: string;
  readonly negated: boolean;
  readonly type: 'text' | 'field' | 'group';
  readonly field?: string;
  readonly operator?: 'word' | 'quoted' | 'regex' | 'compare' | 'range' | 'present';
  /** Text as it is meant, without quotes; what is no text as it is written. */
  readonly value?: string;
}

export interface Outline {
  readonly error?: Span & { readonly message: string; readonly hint?: string };
  readonly filter: Span;
  /** Undefined when the filter is no plain AND. */
  readonly terms?: readonly Term[];
  readonly stages: readonly (Span & { readonly name: string; readonly text: string })[];
  /** The longest beginning that gives events; of a text that is wrong, the longest that is right. */
  readonly events: string;
  /** The tree, when the text is right. */
  readonly ast: Ast | undefined;
}

/**
 * Never throws but on what is no error of the query.
 * @param isField decides on `user=root`, which is a text where there is no such field
 */
export function outlineOf(text: string, isField: IsField = namesKnown): Outline {
  try {
    const ast = parseQuery(text);
    const stages = ast.stages.map((stage) => {
      const { start, end } = trimmed(text, stage.start, stage.end);
      return { start, end, name: stage.stage, text: text.slice(start, end) };
    });
    const first = ast.stages[0];
    const end = first === undefined ? text.length : pipeBefore(text, first);
    const terms = termsOf(text, ast.filter, isField);
    return {
      filter: trimmed(text, 0, end),
      ...(terms === undefined ? {} : { terms }),
      stages,
      events: eventsText(text, ast),
      ast,
    };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const pieces = pieceSpans(text);
    const [filter = { start: 0, end: 0 }, ...stages] = pieces;
    return {
      error: errorSpan(text, error),
      filter,
      stages: stages.map(({ start, end }) => {
        const piece = text.slice(start, end);
        return { start, end, name: /^\w*/.exec(piece)?.[0].toLowerCase() ?? '', text: piece };
      }),
      events: longestRight(text, pieces),
      ast: undefined,
    };
  }
}

/** Where an error stands: from its position to the end of the word there. */
export function errorSpan(
  text: string,
  { message, hint, position }: QueryError,
): NonNullable<Outline['error']> {
  const start = Math.min(position, text.length);
  return { message, ...(hint === undefined ? {} : { hint }), start, end: errorEnd(text, start) };
}

/** The tree of the beginning that gives events. */
export function eventsAst(ast: Ast): Ast {
  const at = ast.stages.findIndex(endsEvents);
  return at < 0
    ? ast
    : { ...ast, text: eventsText(ast.text, ast), stages: ast.stages.slice(0, at) };
}

function eventsText(text: string, ast: Ast): string {
  const cut = ast.stages.find(endsEvents);
  return (cut === undefined ? text : text.slice(0, pipeBefore(text, cut))).trim();
}

function longestRight(text: string, pieces: readonly Span[]): string {
  for (let n = pieces.length - 1; n > 0; n--) {
    try {
      const ast = parseQuery(text.slice(0, pieces[n - 1]!.end));
      return eventsText(ast.text, ast);
    } catch {
      // A shorter beginning may be right.
    }
  }
  return '';
}

/** Whether a test that may be a text names a field that there is. */
type IsField = (test: Expression) => boolean;

function namesKnown(test: Expression): boolean {
  const item = test.node === 'not' ? test.item : test;
  return item.node === 'field' && knownField(item.name) !== undefined;
}

function termsOf(text: string, filter: Expression, isField: IsField): Term[] | undefined {
  if (filter.node === 'all') return [];
  const terms = outermostItems(filter).flatMap((item) =>
    item.node === 'all' ? [] : [termOf(text, item, isField)],
  );
  return terms.includes(undefined) ? undefined : terms.flatMap((term) => term ?? []);
}

function termOf(
  text: string,
  written: Expression,
  isField: IsField,
  whole: Expression = written,
  not = false,
): Term | undefined {
  let item = written;
  let negated = not;
  while (item.node === 'not') {
    negated = !negated;
    item = item.item;
  }
  const { start, end } = whole;
  const base = { start, end, text: text.slice(start, end), negated };
  const bracketed = text[item.start] === '(';
  switch (item.node) {
    case 'pattern':
    case 'compared':
    case 'within':
      return { ...base, type: 'group' };
    case 'field-or-text':
      return bracketed || item.doubtful || !isField(item.field)
        ? { ...base, type: 'group' }
        : termOf(text, item.field, isField, whole, negated);
    case 'text':
      if (bracketed) return { ...base, type: 'group' };
      return {
        ...base,
        type: 'text',
        operator: item.quoted ? 'quoted' : 'word',
        value: item.text,
      };
    case 'field':
      if (bracketed) return { ...base, type: 'group' };
      return {
        ...base,
        type: 'field',
        field: item.name,
        operator: item.test.test,
        value: valueText(item.test),
      };
    default:
      // An OR without brackets around it is the whole filter.
      return isOpenOr(item) ? undefined : { ...base, type: 'group' };
  }
}

/** The part after the colon, however the test is spelled. */
function valueText(test: Test): string {
  return test.test === 'word' || test.test === 'quoted' ? test.text : printTest(test);
}
