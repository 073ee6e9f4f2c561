/** Values of fields whose numbers alone say little: with their unit, or their meaning. */
import { formatBytes, formatCount } from '../../state/view/time.ts';
import { flagNames } from './tcp-flags.ts';

const BYTES: ReadonlySet<string> = new Set([
  ...['bytes', 'bytes_rev', 'orig_bytes', 'resp_bytes', 'missed_bytes', 'captured', 'length'],
]);

export function shownValue(field: string, value: string | number | null): string {
  if (value === null) return '(no value)';
  if (typeof value !== 'number') return value;
  if (field === 'tcp_flags') return `${value} (${flagNames(value)})`;
  if (field === 'duration') return `${Number(value.toFixed(9))} s`;
  if (!BYTES.has(field)) return String(value);
  return value < 1000 ? `${value} B` : `${formatCount(value)} B (${formatBytes(value)})`;
}
