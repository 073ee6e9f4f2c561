/** Text from evidence: shown as text, bounded, with invisible characters made visible. */
import { memo } from 'react';
import css from './event-text.module.css';
import { visiblePieces, type TextPattern } from './visible-text.ts';

export { visibleText } from './visible-text.ts';

interface Props {
  readonly text: string;
  /** Text to highlight. */
  readonly highlight?: readonly TextPattern[] | undefined;
  /** Maximum number of UTF-16 units shown; 2000 by default. */
  readonly max?: number | undefined;
  /** In the fixed-width typeface of evidence. */
  readonly mono?: boolean | undefined;
}

const NOTHING: readonly TextPattern[] = [];

export const EventText = memo(function EventText({
  text,
  highlight = NOTHING,
  max = 2000,
  mono,
}: Props) {
  const pieces = visiblePieces(text, max, highlight);
  const [only] = pieces;
  const plain = pieces.length === 0 || (pieces.length === 1 && only?.type === 'plain');
  return (
    <bdo dir="ltr" className={mono === true ? 'evidence mono' : 'evidence'}>
      {plain
        ? only?.text
        : pieces.map((piece, at) => {
            if (piece.type === 'plain') return piece.text;
            if (piece.type === 'hit') {
              return (
                <mark key={at} className={css['hit']}>
                  {piece.text}
                </mark>
              );
            }
            return (
              <span key={at} className={css['escape']}>
                {piece.text}
              </span>
            );
          })}
    </bdo>
  );
});
