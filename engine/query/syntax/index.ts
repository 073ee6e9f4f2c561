/** The part of the language that the window uses: the grammar, which needs no case and no engine. */
export type { Ast, Expression, Span, Test } from './ast.ts';
export type { Token, TokenType } from './lex.ts';
export { parseQuery, tokensOf } from './parse.ts';
export { isOpenOr, outermostItems, pieceSpans, pipeBefore } from './pieces.ts';
export { printFilter, printName, printTest, quoted, quoteValue } from './print.ts';
export { QueryError } from './query-error.ts';
