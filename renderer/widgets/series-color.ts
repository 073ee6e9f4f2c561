/**
 * Colours of charts: kinds have fixed ones, others come from a palette based on Okabe and Ito's, which people with
 * colour blindness can distinguish. Both change with the colour scheme.
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

/** Of everything without a series of its own. */
export const REST_COLOR = 'var(--db-series-rest)';
