/** The lower edge of the timeline, dragged or moved with the arrows to change its height. */
import { useRef, type PointerEvent } from 'react';
import css from './timeline.module.css';

/** Pixels. */
export const LEAST_HEIGHT = 70;
const MOST_HEIGHT = 420;

export const isHeight = (value: unknown): value is number =>
  typeof value === 'number' && value >= LEAST_HEIGHT && value <= MOST_HEIGHT;

const clamped = (height: number): number =>
  Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, height)));

export function HeightHandle({
  height,
  onDrag,
  onEnd,
}: {
  readonly height: number;
  readonly onDrag: (height: number) => void;
  readonly onEnd: (height: number) => void;
}) {
  const start = useRef<{ y: number; height: number }>(undefined);
  const at = (event: PointerEvent): number | undefined =>
    start.current && clamped(start.current.height + event.clientY - start.current.y);
  return (
    <div
      className={css['handle']}
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the timeline"
      aria-valuenow={height}
      aria-valuemin={LEAST_HEIGHT}
      aria-valuemax={MOST_HEIGHT}
      tabIndex={0}
      onPointerDown={(event) => {
        start.current = { y: event.clientY, height };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const next = at(event);
        if (next !== undefined) onDrag(next);
      }}
      onPointerUp={(event) => {
        const next = at(event);
        start.current = undefined;
        if (next !== undefined) onEnd(next);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        onEnd(clamped(height + (event.key === 'ArrowDown' ? 12 : -12)));
      }}
    />
  );
}
