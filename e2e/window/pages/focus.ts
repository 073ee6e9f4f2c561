/** Where the keyboard focus is, and whether it is visible. */
import type { Page } from '@playwright/test';

/** The focused element, and whether anything shows the focus: a ring, a shadow, the border of a field. */
const FOCUS = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return { what: 'nothing', seen: true };
  const isMarked = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  };
  // Lines that can be moved turn into the accent.
  const line = at.matches('[role="separator"]') && getComputedStyle(at).backgroundColor !== 'rgba(0, 0, 0, 0)';
  // A table marks the cell where its cursor is.
  const cursor = document.getElementById(at.getAttribute('aria-activedescendant') ?? '');
  // Fields have a cursor and a border; switches and choices show the focus on their label.
  const field = at.matches('input, textarea, select, [contenteditable="true"]');
  return {
    what: (at.getAttribute('aria-label') ?? at.textContent ?? '').slice(0, 60) + ' <' + at.tagName + '> ' + at.className,
    seen: isMarked(at) || (cursor !== null && isMarked(cursor)) || line || field,
  };
})()`;

interface Focus {
  readonly what: string;
  readonly seen: boolean;
}

export function focusOf(page: Page): Promise<Focus> {
  return page.evaluate<Focus>(FOCUS);
}
