/** Where texts of one shape may contain a phrase. */
import { foldText } from '../../../util/fold.ts';
import { Glob } from './glob.ts';
import type { ParsedShape } from './shape-texts.ts';
import type { TextQuery } from './text-query.ts';

/** The tokens of the phrase that are open in a placement, as bits. */
export type OpenPlaces = number;

/** Phrases of more tokens than there are bits do not record where they are open. */
export const MOST_PLACES = 30;

/** A position in a shape where a phrase may be, if the open tokens there are those of the phrase. */
export interface Placement {
  /** Index of the shape's token that would be the phrase's first. */
  readonly start: number;
  readonly open: OpenPlaces;
}

/** Where a phrase fits into a shape: `certain` if all texts of the shape contain it. */
type PhraseFit = 'certain' | readonly Placement[];

export function phraseFit(query: TextQuery): (shape: ParsedShape) => PhraseFit {
  const wanted = query.tokens.map(({ text, wildcard }): ((token: string) => boolean) => {
    if (!wildcard) {
      const folded = foldText(text);
      return (token) => token === folded;
    }
    const { expression } = new Glob(text);
    return (token) => expression.test(token);
  });
  const between = query.between.map((text) => text.toWellFormed());
  return ({ tokens, between: gaps }) => {
    const fits: Placement[] = [];
    for (let start = 0; start + wanted.length <= tokens.length; start++) {
      let open = 0;
      let i = 0;
      for (; i < wanted.length; i++) {
        const token = tokens[start + i];
        if (token === undefined) open |= 1 << Math.min(i, MOST_PLACES);
        else if (!wanted[i]!(token)) break;
        if (i < between.length && gaps[start + i] !== between[i]) break;
      }
      if (i < wanted.length) continue;
      if (open === 0) return 'certain';
      fits.push({ start, open });
    }
    return fits;
  };
}
