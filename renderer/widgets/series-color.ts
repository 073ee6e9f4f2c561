/**
 * Colours of charts: kinds have theirs, others come from a palette after Okabe and Ito that is told
 * apart by people who are colour blind. Both change with the colour scheme.
 */
import './series-color.css';
import { KINDS } from '../../engine/contract/event.ts';

const PALETTE = 8;
const KNOWN: ReadonlySet<string> = new Set(KINDS);

/** A CSS colour for the series at `index` of a chart by `field`. */
export function seriesColor(field: string, value: string | number | null, index: number): string {
  if (field === 'kind' && typeof value === 'string' && KNOWN.has(value)) {
    return `var(--db-series-${value})`;
  }
  return index < PALETTE ? `var(--db-series-${index + 1})` : REST_COLOR;
}

/** Of everything that has no series of its own. */
export const REST_COLOR = 'var(--db-series-rest)';
