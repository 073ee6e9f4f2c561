/** The text index: built from rows, asked for rows. */
export { TextIndexBuilder } from './builder.ts';
export { type Pattern, type TextAnswer, TextIndex } from './text-index.ts';
export type { TextQuery } from './text-query.ts';
export { type OwnedCache, TextCache, keptBytes } from './text-cache.ts';
