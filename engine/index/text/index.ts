/** The text index: builder and reader. */
export { TextIndexBuilder } from './write/builder.ts';
export { TextIndex } from './text-index.ts';
export { type OwnedCache, TextCache, keptBytes } from './text-cache.ts';
