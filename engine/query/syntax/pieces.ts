/** Positions of a query's parts in its text: its filter, the items of the filter, its stages. */
import type { Expression, Span, Stage } from './ast.ts';
import { tokensOf } from './parse.ts';

/** The items of the outermost AND of a filter; of any other, the filter itself. */
export function outermostItems(filter: Expression): readonly Expression[] {
  return filter.node === 'and' && !isBracketed(filter, filter.items) ? filter.items : [filter];
}

/** Whether a filter is an OR without brackets around it. */
export function isOpenOr(filter: Expression): boolean {
  return filter.node === 'or' && !isBracketed(filter, filter.items);
}

/** `(a b)` is one item, `(a) b` are two: brackets begin before the first item in them. */
function isBracketed({ start }: Span, items: readonly Span[]): boolean {
  return items[0]?.start !== start;
}

/** Only space lies between a stage and its `|`. */
export function pipeBefore(text: string, stage: Stage): number {
  return Math.max(0, text.lastIndexOf('|', stage.start));
}

/** A part of a text without the space around it. */
export function trimmed(text: string, start: number, end: number): Span {
  const piece = text.slice(start, end);
  const from = start + (piece.length - piece.trimStart().length);
  return {
    start: Math.min(from, end),
    end: Math.max(Math.min(from, end), start + piece.trimEnd().length),
  };
}

/** The parts between the outermost `|`, whatever errors they contain. */
export function pieceSpans(text: string): Span[] {
  const out: Span[] = [];
  let start = 0;
  let depth = 0;
  /** Nesting depths of square brackets that contain a query. */
  const squares: number[] = [];
  let before = '';
  for (const token of tokensOf(text)) {
    const written = text.slice(token.start, token.end);
    if (token.type === 'pipe' && depth === 0) {
      out.push(trimmed(text, start, token.start));
      start = token.end;
    } else if (token.type === 'bracket' || token.type === 'error') {
      // Ranges and sets hold no `|`, so that one which is not closed ends before the next.
      const isSquare = written === '[' && before === 'in';
      if (written === '(' || isSquare) depth += 1;
      if (isSquare) squares.push(depth);
      const closesSquare = written === ']' && squares[squares.length - 1] === depth;
      if (closesSquare) squares.pop();
      if (written === ')' || closesSquare) depth = Math.max(0, depth - 1);
    }
    before = written.toLowerCase();
  }
  out.push(trimmed(text, start, text.length));
  return out;
}
