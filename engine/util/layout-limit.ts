/**
 * How many rows or segments something must have to be worth its place in a case. The environment can say less, so that a
 * small case is laid out as a large one is: docs/settings.md.
 */
import { DaybookError } from '../contract/errors.ts';

/**
 * @param usual where the environment says nothing
 * @throws DaybookError usage when it says what is no whole number above 0
 */
export function layoutLimit<T>(
  name: 'DAYBOOK_INDEX_ROWS' | 'DAYBOOK_DENSE_ROWS' | 'DAYBOOK_NODE_PARTS',
  usual: T,
): number | T {
  const text = process.env[name];
  if (text === undefined) return usual;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new DaybookError('usage', `${name} is no whole number above 0: ${JSON.stringify(text)}`);
}
