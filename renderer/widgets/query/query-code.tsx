/** A query as text in the language's colours, bounded and with hidden characters visible. */
import { memo } from 'react';
import { tokensOf } from '../../../engine/query/syntax/index.ts';
import { classOfToken } from './query-classes.ts';
import { visibleText } from '../texts/visible-text.ts';
import css from './query-code.module.css';

interface Props {
  readonly query: string;
  /** UTF-16 units that are shown at most. */
  readonly max?: number;
}

export const QueryCode = memo(function QueryCode({ query, max = 400 }: Props) {
  const text = visibleText(query, max);
  const pieces: { text: string; className: string | undefined }[] = [];
  let at = 0;
  for (const { type, start, end } of tokensOf(text)) {
    pieces.push({ text: text.slice(at, start), className: undefined });
    pieces.push({ text: text.slice(start, end), className: classOfToken(type) });
    at = end;
  }
  pieces.push({ text: text.slice(at), className: undefined });
  return (
    <bdo dir="ltr" className={`evidence ${css['code'] ?? ''}`}>
      {pieces.map((piece, key) =>
        piece.className === undefined ? (
          piece.text
        ) : (
          <span key={key} className={piece.className}>
            {piece.text}
          </span>
        ),
      )}
    </bdo>
  );
});
