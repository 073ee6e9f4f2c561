/**
 * The builder's names for the conditions of the query language, and their syntax: converts a term of a parsed query
 * to a condition, and back to text.
 *
 * Invariant: `writeCondition` returns one term for the engine's parser, or undefined.
 */
import {
  fieldTerm,
  printName,
  printTest,
  quoted,
  quoteValue,
  testOf,
  type Test,
} from '../../panel-api.ts';
import type { Parsed } from './bar-state.ts';

export type Term = NonNullable<Parsed['terms']>[number];

export const OPERATORS = [
  { value: 'is', label: 'is' },
  { value: 'matches', label: 'matches (* and ?)' },
  { value: 'pattern', label: 'matches the regular expression /…/' },
  { value: 'any', label: 'is one of (comma-separated)' },
  { value: '>', label: 'is greater than' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
  { value: 'range', label: 'is from … to' },
  { value: 'present', label: 'is present' },
] as const;
type Operator = (typeof OPERATORS)[number]['value'];

export interface Condition {
  /** Undefined: words in any field. */
  readonly field: string | undefined;
  readonly operator: Operator;
  readonly value: string;
  /** The upper end of a range. */
  readonly upper: string;
  readonly negated: boolean;
}

export const EMPTY_CONDITION: Condition = {
  field: undefined,
  operator: 'is',
  value: '',
  upper: '',
  negated: false,
};

export function isOperator(value: string | null): value is Operator {
  return OPERATORS.some((one) => one.value === value);
}

/** The end of a range that is open on that side. */
const OPEN = '*';

/** A term as a condition that can be edited; undefined where only its text can be. */
export function conditionOf(term: Term): Condition | undefined {
  const { negated, field, value = '' } = term;
  const base = { ...EMPTY_CONDITION, field, negated };
  if (term.type === 'text') return { ...base, value };
  const test = term.type === 'field' ? testOf(term.text) : undefined;
  return test === undefined ? undefined : testedBy(test, base);
}

function testedBy(test: Test, base: Condition): Condition | undefined {
  switch (test.test) {
    case 'quoted':
      return { ...base, value: test.text };
    case 'word':
      return { ...base, operator: /[*?]/.test(test.text) ? 'matches' : 'is', value: test.text };
    case 'present':
      return { ...base, operator: 'present' };
    case 'regex':
      return { ...base, operator: 'pattern', value: printTest(test) };
    case 'compare':
      return { ...base, operator: test.op === '=' ? 'is' : test.op, value: test.value };
    case 'range': {
      const { low = OPEN, high = OPEN, lowIncluded, highIncluded } = test;
      // Half-open ranges, and ends that are a star in quotes, are not in the form; they can be edited as text.
      if (!lowIncluded || !highIncluded || test.low === OPEN || test.high === OPEN)
        return undefined;
      return { ...base, operator: 'range', value: low, upper: high };
    }
  }
}

const WILDCARD_WORD = /^[^\s\u0000()|"',[\]{}<>=/-][^\s\u0000()|"']*$/;

/** The text of a condition; undefined while something is missing or cannot be expressed. */
export function writeCondition(condition: Condition): string | undefined {
  const positive = writePositive(condition);
  if (positive === undefined) return undefined;
  return condition.negated ? `NOT ${positive}` : positive;
}

function writePositive({ field, operator, value, upper }: Condition): string | undefined {
  if (field === undefined) return writeWords(value);
  if (field === '') return undefined;
  const name = `${printName(field)}:`;
  if (operator === 'present') return `${name}*`;
  if (value.trim() === '') return undefined;
  switch (operator) {
    case 'is':
      return fieldTerm(field, value);
    case 'matches':
      return WILDCARD_WORD.test(value) ? `${name}${value}` : undefined;
    case 'pattern': {
      const [, body, flag] = /^\/(.*)\/(i?)$/s.exec(value) ?? [undefined, value];
      if (body === undefined || body === '') return undefined;
      return `${name}${printTest({ test: 'regex', pattern: body, ignoreCase: flag === 'i', at: 0 })}`;
    }
    case 'any': {
      const values = value.split(',').map((one) => one.trim());
      const written = values.filter((one) => one !== '').map(quoteValue);
      return written.length === 0 ? undefined : `${name}(${written.join(' OR ')})`;
    }
    case '>':
    case '>=':
    case '<':
    case '<=':
      return `${name}${operator}${quoteValue(value.trim())}`;
    case 'range': {
      if (upper.trim() === '') return undefined;
      const [low, high] = [value, upper].map(rangeEnd);
      return name + printTest({ test: 'range', low, high, lowIncluded: true, highIncluded: true });
    }
  }
}

/** Undefined: open on that side. */
function rangeEnd(value: string): string | undefined {
  const text = value.trim();
  return text === OPEN ? undefined : text;
}

/** One word as it is, several as a phrase. */
function writeWords(value: string): string | undefined {
  const text = value.trim();
  // Matching everything is not a condition.
  if (/^\**$/.test(text)) return undefined;
  return /^[^\s\u0000()|"':,[\]{}/!&=<>-][^\s\u0000()|":!&=<>]*$/.test(text) &&
    !/^(?:AND|OR|NOT)$/i.test(text)
    ? text
    : quoted(text);
}

/** A chip's sign for the operator. */
export function signOf({ operator }: Condition): string {
  switch (operator) {
    case 'is':
      return '=';
    case 'matches':
      return '~';
    case 'pattern':
      return '=~';
    case 'any':
      return 'one of';
    case '>':
      return '>';
    case '>=':
      return '≥';
    case '<':
      return '<';
    case '<=':
      return '≤';
    case 'range':
      return 'from';
    case 'present':
      return 'is present';
  }
}
