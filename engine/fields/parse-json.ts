/** @throws what `JSON.parse` throws; numbers that a double cannot hold are texts of their digits */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Other digits than these, or after a point, are those of a fraction or a text.
  return /[:,[\s-]\d{16}/.test(text) ? JSON.parse(text, keepDigits) : value;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? context.source : value;
}
