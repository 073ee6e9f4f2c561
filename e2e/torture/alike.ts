/** Whether answers are the same: sums of numbers with fractions depend on their order in the last digits. */
import type { Answered } from './asker.ts';

export function answersAlike(one: Answered, other: Answered): boolean {
  if (one.answer === other.answer) return true;
  if (one.error !== undefined || other.error !== undefined) return false;
  return alike(JSON.parse(one.answer), JSON.parse(other.answer));
}

/**
 * Whether two answers are equal except for the last digits of numbers of which one has a fraction.
 * @param scale magnitude of the numbers whose difference such a number is
 */
function alike(one: unknown, other: unknown, scale = 0): boolean {
  if (typeof one === 'number' && typeof other === 'number') {
    if (one === other) return true;
    if (Number.isInteger(one) && Number.isInteger(other)) return false;
    return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other), scale);
  }
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((part, at) => alike(part, other[at]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.join('\0') === Object.keys(other).join('\0') &&
    names.every((name) => {
      // The rounding error of a sum.
      const whole = name === 'rest' ? one['total'] : undefined;
      if (!isRecord(whole) || !isRecord(one[name]) || !isRecord(other[name]))
        return alike(one[name], other[name]);
      const [left, right] = [one[name], other[name]];
      return Object.keys({ ...left, ...right }).every((key) =>
        alike(left[key], right[key], Math.abs(Number(whole[key]))),
      );
    })
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
