/**
 * Recent operations as a strip of marks: height by the logarithm of the time, shape and colour by the access path.
 */
import { useElementSize } from '@mantine/hooks';
import { formatMs } from '../../panel-api.ts';
import type { Measured } from './why.ts';

const HEIGHT = 110;
const LEFT = 44;
const DECADES = [0.1, 1, 10, 100, 1000, 10_000, 100_000];

const PATHS: Readonly<Record<string, { color: string; name: string }>> = {
  catalog: { color: 'var(--db-kind-http)', name: 'catalog' },
  scan: { color: 'var(--db-kind-log)', name: 'scan' },
  index: { color: 'var(--db-kind-flow)', name: 'index' },
};
const OTHER = { color: 'var(--db-muted)', name: 'other' };

export function Strip({
  operations,
  selected,
  onSelect,
}: {
  readonly operations: readonly Measured[];
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
}) {
  const { ref, width: room } = useElementSize();
  const step = 6;
  const width = Math.max(room, 200);
  // The oldest are left out if there is no room for them.
  const skipped = Math.max(0, operations.length - Math.floor((width - LEFT - 8) / step));
  const seen = operations.slice(skipped);
  const used = [...new Set(seen.map(({ path }) => PATHS[path ?? '']?.name ?? OTHER.name))];
  return (
    <figure style={{ margin: 0, padding: '8px 12px' }}>
      <figcaption style={{ color: 'var(--db-muted)', fontSize: 11.5 }}>
        The last {seen.length} operations, oldest first; the scale is logarithmic.{' '}
        {used.map((name) => {
          const { color } = Object.values(PATHS).find((one) => one.name === name) ?? OTHER;
          return (
            <span key={name} style={{ marginLeft: 10 }}>
              <Mark name={name} color={color} inline /> {name}
            </span>
          );
        })}
      </figcaption>
      <div ref={ref}>
        <div style={{ overflow: 'hidden' }}>
          <svg width={width} height={HEIGHT} role="listbox" aria-label="Recent operations">
            <Scale width={width} />
            {seen.map((one, place) => {
              const i = place + skipped;
              const { color, name } = PATHS[one.path ?? ''] ?? OTHER;
              const label = `${one.operation}, ${formatMs(one.totalMs)}, ${one.at}`;
              return (
                <g
                  key={`${one.at}/${i}`}
                  transform={`translate(${LEFT + place * step + 3} ${y(one.totalMs)})`}
                  role="option"
                  aria-selected={i === selected}
                  aria-label={label}
                  tabIndex={i === (selected ?? operations.length - 1) ? 0 : -1}
                  style={{ cursor: 'pointer' }}
                  onClick={() => onSelect(i)}
                  onKeyDown={({ key }) => {
                    if (key === 'ArrowLeft') onSelect(Math.max(skipped, i - 1));
                    if (key === 'ArrowRight') onSelect(Math.min(operations.length - 1, i + 1));
                  }}
                >
                  <title>{label}</title>
                  <rect x={-3} y={-60} width={6} height={120} fill="transparent" />
                  {i === selected && <circle r={6} fill="none" stroke="var(--db-text)" />}
                  <Mark name={name} color={color} />
                </g>
              );
            })}
          </svg>
        </div>
      </div>
    </figure>
  );
}

/** The vertical position of a time, by its logarithm. */
function y(ms: number): number {
  const place = (Math.log10(Math.min(1e5, Math.max(0.1, ms))) + 1) / 6;
  return HEIGHT - 12 - place * (HEIGHT - 20);
}

function Scale({ width }: { readonly width: number }) {
  return DECADES.map((ms) => (
    <g key={ms}>
      <line x1={LEFT} x2={width} y1={y(ms)} y2={y(ms)} stroke="var(--db-line)" />
      <text x={LEFT - 6} y={y(ms) + 4} textAnchor="end" fontSize="10" fill="var(--db-muted)">
        {ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`}
      </text>
    </g>
  ));
}

function Mark({
  name,
  color,
  inline = false,
}: {
  readonly name: string;
  readonly color: string;
  readonly inline?: boolean;
}) {
  const shape =
    name === 'scan' ? (
      <rect x={-2.5} y={-2.5} width={5} height={5} fill={color} />
    ) : name === 'catalog' ? (
      <path d="M0-3.5L3.5 2.5H-3.5z" fill={color} />
    ) : (
      <circle r={2.8} fill={color} />
    );
  if (!inline) return shape;
  return (
    <svg width={9} height={9} viewBox="-4.5 -4.5 9 9" aria-hidden>
      {shape}
    </svg>
  );
}
