/** A line small enough for a row of a table, as wide as its cell. */
import { memo } from 'react';

/** In the drawing's units, whatever its width on screen. */
const WIDTH = 120;
const HEIGHT = 18;

export const Sparkline = memo(function Sparkline({
  counts,
  label,
}: {
  readonly counts: Float64Array;
  readonly label: string;
}) {
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  const width = WIDTH / Math.max(1, counts.length);
  let path = '';
  counts.forEach((count, i) => {
    if (count === 0 || most === 0) return;
    const height = Math.max(1, (count / most) * (HEIGHT - 1));
    path += `M${(i * width).toFixed(1)} ${HEIGHT}v-${height.toFixed(1)}h${Math.max(1, width - 0.5).toFixed(1)}V${HEIGHT}z`;
  });
  return (
    <svg
      width="100%"
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      style={{ display: 'block' }}
    >
      <path d={path} fill="var(--db-accent)" />
    </svg>
  );
});
