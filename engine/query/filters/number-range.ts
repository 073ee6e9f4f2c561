/** Numbers as a query writes them, and ranges of them. */
export interface NumberRange {
  /** Undefined: open. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

/** A decimal number (with an optional exponent) or a hexadecimal one; undefined if `text` is neither. */
export function parseNumber(text: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  return /^0x[0-9a-f]{1,13}$/i.test(text) ? Number(text) : undefined;
}

export function exactly(value: number): NumberRange {
  return { low: value, high: value, lowIncluded: true, highIncluded: true };
}

export function isWithin(
  value: number,
  { low, high, lowIncluded, highIncluded }: NumberRange,
): boolean {
  const above = low === undefined || value > low || (lowIncluded && value === low);
  return above && (high === undefined || value < high || (highIncluded && value === high));
}

/** @param isOfText a single number would be read as a text */
export function rangeText(
  { low, high, lowIncluded, highIncluded }: NumberRange,
  isOfText = false,
): string {
  if (low === high && low !== undefined && !isOfText) return `${low}`;
  if (high === undefined && low !== undefined) return `${lowIncluded ? '>=' : '>'}${low}`;
  if (low === undefined && high !== undefined) return `${highIncluded ? '<=' : '<'}${high}`;
  return `${lowIncluded ? '[' : '{'}${low ?? '*'} TO ${high ?? '*'}${highIncluded ? ']' : '}'}`;
}
