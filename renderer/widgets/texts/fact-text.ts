/**
 * The stored facts about a source (decisions, options, findings of its importer) in words instead of keys and JSON.
 */
import {
  isDateOrder,
  ORDER_NAMES,
  type DescribedDecision,
} from '../../../engine/contract/time/decisions.ts';

const NAMES: Readonly<Record<string, string>> = {
  tz: 'Time zone',
  year: 'Year',
  dateOrder: 'Order of dates',
  clock: 'Clock',
  mapping: 'Columns read',
  os: 'OS',
};

/** `snap_length` and `leaveOut` as `Snap length` and `Leave out`. */
export function factName(key: string): string {
  const known = NAMES[key];
  if (known !== undefined) return known;
  const words = key.replace(/_/g, ' ').replace(/([a-z\d])([A-Z])/g, (_, a: string, b: string) => {
    return `${a} ${b.toLowerCase()}`;
  });
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function factText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    const isFlat = value.every((one) => typeof one !== 'object');
    return value.map(factText).join(isFlat ? ', ' : '\n');
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const entries = Object.entries(value);
  return dateText(entries) ?? entries.map(([key, one]) => pairText(key, one)).join(', ');
}

function pairText(key: string, value: unknown): string {
  const text = factText(value);
  return `${key.replace(/_/g, ' ')} ${text.includes(', ') ? `(${text})` : text}`;
}

function dateText(entries: readonly (readonly [string, unknown])[]): string | undefined {
  const [year, month, day] = ['year', 'month', 'day'].map(
    (name) => entries.find(([key]) => key === name)?.[1],
  );
  if (entries.length !== 3 || [year, month, day].some((part) => typeof part !== 'number')) return;
  return [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
}

/** The value of a decision: an order by its name, a mapping by the columns that it reads. */
export function decidedText({ name, value }: DescribedDecision): string {
  if (name === 'dateOrder' && isDateOrder(value)) return ORDER_NAMES[value];
  if (name !== 'mapping') return value;
  const fields = mappingOf(value);
  if (fields === undefined) return value;
  if (fields.length === 0) return 'attributes only';
  return fields.map(([field, column]) => `${field} from ${factText(column)}`).join(', ');
}

function mappingOf(value: string): [string, unknown][] | undefined {
  if (!value.startsWith('{')) return undefined;
  try {
    return Object.entries(JSON.parse(value) as Record<string, unknown>);
  } catch (error) {
    // A case from elsewhere may contain any text: it is shown as it is.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `Year 2026 (guessed from …)`. */
export function decisionLine(decision: DescribedDecision): string {
  const { name, basis } = decision;
  return `${factName(name)} ${decidedText(decision)}${basis === undefined ? '' : ` (${basis})`}`;
}
