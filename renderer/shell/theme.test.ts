/** Text is readable on every surface, in both themes: WCAG's contrast of 4.5 to 1. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_THEME } from '@mantine/core';
import { cssVariables } from './theme.ts';

const { light, dark } = cssVariables(DEFAULT_THEME);

/** Relative luminance of `#rrggbb`, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  { theme: 'light', colors: light },
  { theme: 'dark', colors: dark },
])('$theme', ({ colors }) => {
  const values = new Map<string, string>(Object.entries(colors));
  const of = (name: string): string => values.get(name) ?? '';
  const fields = ['--db-panel', '--db-raised'];
  const surfaces = [...fields, '--db-bg', '--db-selected', '--db-hover'];
  it.each([
    { text: '--db-text', on: surfaces },
    { text: '--db-muted', on: surfaces },
    { text: '--db-highlight', on: surfaces },
    { text: '--db-bad', on: surfaces },
    { text: '--mantine-color-placeholder', on: fields },
  ])('$text', ({ text, on }) => {
    for (const surface of on)
      expect(contrast(of(text), of(surface)), surface).toBeGreaterThanOrEqual(4.5);
  });
});
