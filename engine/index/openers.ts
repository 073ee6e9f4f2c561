/** The sections of side files and their readers. */
import { RollupIndex } from './rollup/rollup-index.ts';
import type { Openers } from './segment-indexes.ts';
import { type TextCache, TextIndex } from './text/index.ts';
import { TimeIndex } from './time/time-index.ts';
import { ValueIndex } from './values/value-index.ts';

/** @param cache of the case that the side files are of */
export function openers(cache: TextCache): Openers {
  return {
    text: (file) => TextIndex.open(file, cache),
    time: (file) => TimeIndex.open(file),
    values: (file) => ValueIndex.open(file, cache),
    rollup: (file) => RollupIndex.open(file, cache),
  };
}
