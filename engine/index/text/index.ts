/** The text index: built from rows, asked for rows. */
export { TextIndexBuilder } from './builder.ts';
export { TextIndex } from './text-index.ts';
export { type OwnedCache, TextCache, keptBytes } from './text-cache.ts';
