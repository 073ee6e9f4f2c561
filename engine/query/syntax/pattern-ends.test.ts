import fc from 'fast-check';
import { expect, it } from 'vitest';
import { patternEnds } from './pattern-ends.ts';

/** The same, by reading on from each place. */
function slashFrom(text: string, from: number): number {
  let inBrackets = false;
  for (let at = from; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at += 1;
    else if (c === '[') inBrackets = true;
    else if (c === ']') inBrackets = false;
    else if (c === '/' && !inBrackets) return at;
  }
  return text.length;
}

function pipeFrom(text: string, from: number): number {
  const at = text.slice(from).search(/\s\|/);
  return at < 0 ? text.length : from + at + 1;
}

it('finds the ends that reading on from each place finds', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'/[]\\| a\t'), maxLength: 40 });
  fc.assert(
    fc.property(texts, (text) => {
      const { slash, pipe } = patternEnds(text);
      for (let at = 0; at < text.length; at++) {
        expect(slash[at]).toBe(slashFrom(text, at));
        expect(pipe[at]).toBe(pipeFrom(text, at));
      }
    }),
    { numRuns: 500 },
  );
});
