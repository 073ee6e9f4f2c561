/** An event's kind as a small coloured word. The word carries the meaning; the colour only helps. */
import { memo } from 'react';
import { KINDS } from '../../engine/contract/event.ts';
import css from './kind-badge.module.css';

const KNOWN: ReadonlySet<string> = new Set(KINDS);

/** The CSS colour of a kind, for charts; undefined for any other text. */
export function kindColor(kind: string): string | undefined {
  return KNOWN.has(kind) ? `var(--db-kind-${kind})` : undefined;
}

export const KindBadge = memo(function KindBadge({ kind }: { readonly kind: string }) {
  return (
    <span className={css['badge']} style={{ color: kindColor(kind) ?? 'var(--db-kind-other)' }}>
      {KNOWN.has(kind) ? kind : 'other'}
    </span>
  );
});
