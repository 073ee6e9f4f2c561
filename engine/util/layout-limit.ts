/**
 * Thresholds of the case layout. The environment lowers them to give a small case the layout of a large one:
 * docs/settings.md.
 */
import { DaybookError } from '../contract/errors.ts';

/**
 * @param byDefault used if the environment variable is not set
 * @throws DaybookError usage if the variable is not a whole number above 0
 */
export function layoutLimit<T>(
  name: 'DAYBOOK_INDEX_ROWS' | 'DAYBOOK_DENSE_ROWS' | 'DAYBOOK_NODE_PARTS',
  byDefault: T,
): number | T {
  const text = process.env[name];
  if (text === undefined) return byDefault;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new DaybookError('usage', `${name} is not a whole number above 0: ${JSON.stringify(text)}`);
}
