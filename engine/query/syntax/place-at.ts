/** Finds what can be completed at a position of a query. */
import type { Token } from './lex.ts';
import { STAGE_ALIASES } from './lexemes.ts';
import { tokensOf } from './parse.ts';

interface Typed {
  /** Start of the word being typed, and its end after the position. */
  readonly start: number;
  readonly end: number;
  /** The part of the word before the position, without quotes. */
  readonly typed: string;
}

export type Place = Typed &
  (
    | { readonly at: 'stage' }
    /** A value of a field; `others` is the end of the text before its test, without what binds both. */
    | { readonly at: 'value'; readonly field: string; readonly others: number }
    /** A name or a word; `stage` is '' in the filter of a query. */
    | { readonly at: 'name'; readonly stage: string; readonly isFilter: boolean }
  );

/** A place within a query, by the tokens before it. */
interface Level {
  /** The stage's name, without aliases; '' before the first. */
  stage: string;
  /** Whether a `:` was read: in a sequence, filters follow it. */
  hasColon: boolean;
}

export function placeAt(text: string, at: number): Place {
  const before = text.slice(0, at);
  const [tail = ''] = /^[^\s()|"',]*/.exec(text.slice(at)) ?? [];
  const end = at + tail.length;
  // Appending a letter guarantees that there is a word being typed, whose context is in the tokens before it.
  const tokens = tokensOf(`${before}x`);
  const last = tokens.length - 1;
  const start = Math.min(tokens[last]?.start ?? at, at);
  const word = before.slice(start);
  if (tokens[last - 1]?.type === 'pipe' && /^[a-z]*$/i.test(word))
    return { at: 'stage', start, end, typed: word };
  const field = fieldAt(before, tokens);
  if (field !== undefined) {
    const name = bare(before.slice(tokens[field]!.start, tokens[field]!.end));
    const others = endBefore(before, tokens.slice(0, field));
    return { at: 'value', start, end, typed: bare(word), field: name, others };
  }
  const [name = ''] = /[\w.@\u0080-\uffff-]*$/.exec(before) ?? [];
  const typed = name.replace(/^-/, '');
  const { stage, hasColon } = levelAt(before, tokens);
  const isFilter =
    stage === '' || stage === 'where' || stage === 'union' || (stage === 'sequence' && hasColon);
  return { at: 'name', start: at - typed.length, end, typed, stage, isFilter };
}

/** The token of the field of which the last token is a value: `field:`, `field >=`, or in a list or a range of it. */
function fieldAt(text: string, tokens: readonly Token[]): number | undefined {
  const written = (at: number): string => text.slice(tokens[at]?.start ?? 0, tokens[at]?.end ?? 0);
  let i = tokens.length - 2;
  let depth = 0;
  const isOpen = () => tokens[i]?.type === 'bracket' && depth === 0;
  const isGlued = written(i) === ':' && tokens[i]?.end === tokens[i + 1]?.start;
  if (!isGlued && tokens[i]?.type !== 'compare') {
    for (; i >= 0 && !(isOpen() && /^[([{]$/.test(written(i))); i--) {
      if (tokens[i]?.type === 'pipe') return undefined;
      if (tokens[i]?.type === 'bracket') depth += /^[)\]}]$/.test(written(i)) ? 1 : -1;
    }
    i -= 1;
    // An inner query: its words are not values of the field.
    if (written(i + 1) === '[' && /^in$/i.test(written(i))) return undefined;
  }
  while (tokens[i]?.type === 'compare' || written(i) === ':' || isTestWord(tokens[i], written(i)))
    i -= 1;
  const isTest = i < tokens.length - 2 && tokens[i + 1]?.type !== 'bracket';
  return tokens[i]?.type === 'field' && isTest ? i : undefined;
}

/** The end of the tokens without those at their end that wait for a term. */
function endBefore(text: string, tokens: readonly Token[]): number {
  const last = tokens.findLast(
    ({ type, start }) => !/^(?:operator|pipe|stage)$/.test(type) && text[start] !== '(',
  );
  return last?.end ?? 0;
}

/** `in`, `not in`. */
function isTestWord(token: Token | undefined, word: string): boolean {
  return token?.type === 'operator' && /^(?:in|not|!)$/i.test(word);
}

function levelAt(text: string, tokens: readonly Token[]): Level {
  const outer: Level[] = [];
  let level: Level = { stage: '', hasColon: false };
  let previous = '';
  tokens.forEach(({ type, start, end }, i) => {
    const written = text.slice(start, end);
    if (type === 'pipe') {
      const next = tokens[i + 1];
      const name = text.slice(next?.start ?? end, next?.end ?? end).toLowerCase();
      level = { stage: STAGE_ALIASES.get(name) ?? name, hasColon: false };
    } else if (written === ':') level.hasColon = true;
    else if (type === 'bracket' && /^[([{]$/.test(written)) {
      outer.push(level);
      const isQuery = written === '[' ? previous === 'in' : level.stage === 'union';
      level = isQuery ? { stage: '', hasColon: false } : { ...level };
    } else if (type === 'bracket') level = outer.pop() ?? level;
    previous = written.toLowerCase();
  });
  return level;
}

function bare(text: string): string {
  return text.replace(/^"|"$/g, '').replace(/\\(["\\])/g, '$1');
}
