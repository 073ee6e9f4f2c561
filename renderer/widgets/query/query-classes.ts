/** The look of each kind of token in a query: classes of query-code.module.css. */
import type { TokenType } from '../../../engine/query/syntax/index.ts';
import css from './query-code.module.css';

const CLASSES: Readonly<Record<TokenType, string | undefined>> = {
  field: css['field'],
  operator: css['operator'],
  compare: css['operator'],
  keyword: css['keyword'],
  stage: css['stage'],
  function: css['function'],
  string: css['string'],
  regex: css['string'],
  wildcard: undefined,
  number: undefined,
  bracket: css['faint'],
  punctuation: css['faint'],
  pipe: css['operator'],
  word: undefined,
  error: undefined,
};

/** Undefined: as plain text. */
export function classOfToken(type: TokenType): string | undefined {
  return CLASSES[type];
}
