/** Counts of events by kind, most first. */
import { formatCount } from '../../panel-api.ts';
import { kindColor } from '../../widgets/kind-badge.tsx';
import css from './sources.module.css';

export function ByKind({ counts }: { readonly counts: Readonly<Record<string, number>> }) {
  return (
    <>
      {Object.entries(counts)
        .sort((a, b) => b[1] - a[1])
        .map(([kind, n]) => (
          <span key={kind} className={css['kind']}>
            <span style={{ color: kindColor(kind) }}>{kind}</span> {formatCount(n)}
          </span>
        ))}
    </>
  );
}
