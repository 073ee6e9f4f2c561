/** Structured details, of an audit entry for instance, as text for people: `paths: a, b; total (read: 3)`. */
import { number } from './figures.ts';

/** Members without a value are omitted. */
export function detailsText(detail: unknown): string {
  return textOf(detail, 0);
}

function textOf(value: unknown, depth: number): string {
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.map((one) => textOf(one, depth + 1)).join(', ');
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  const text = Object.entries(value)
    .map(([name, part]) => [words(name), textOf(part, depth + 1)] as const)
    .filter(([, part]) => part !== '')
    .map(([name, part]) => `${name}: ${part}`)
    .join(depth === 0 ? '; ' : ', ');
  return depth === 0 || text === '' ? text : `(${text})`;
}

/** `timeZone` as `time zone`. */
function words(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
