/** The parts of the window that the keyboard moves between: each is an element with `data-part`. */

const PARTS = ['query', 'side', 'timeline', 'results', 'details'] as const;
export type Part = (typeof PARTS)[number];

const FOCUSABLE = [
  ...['[contenteditable="true"]', '[tabindex="0"]', 'button:not(:disabled)'],
  ...['input:not(:disabled)', 'a[href]'],
]
  .map((one) => `${one}:not([tabindex="-1"])`)
  .join(', ');
/** The main content of a part: a table, a chart, its open tab; in a dialog its input. */
const MAIN = [
  ...['[data-autofocus]:not(:disabled)', '[role="grid"]', '[role="slider"]'],
  ...['[role="tab"][aria-selected="true"]'],
].join(', ');
/** Panels are loaded when first shown; nobody waits for more frames than this. */
const MOST_FRAMES = 120;

export const isPart = (name: string | null | undefined): name is Part =>
  PARTS.some((part) => part === name);

export function canTakeFocus(element: Element): element is HTMLElement {
  // The keyboard enters a group at its chosen option.
  if (element instanceof HTMLInputElement && element.type === 'radio' && !element.checked)
    return false;
  return (
    element instanceof HTMLElement &&
    element.matches(`${MAIN}, ${FOCUSABLE}`) &&
    element.getClientRects().length > 0
  );
}

/** The element that gets the focus: the main content, otherwise the first focusable element. */
export function firstTaker(root: Element): HTMLElement | undefined {
  return [...root.querySelectorAll(MAIN), ...root.querySelectorAll(FOCUSABLE)].find(canTakeFocus);
}

export function targetIn(part: Part): HTMLElement | undefined {
  const root = document.querySelector(`[data-part="${part}"]`);
  return root === null ? undefined : firstTaker(root);
}

/** Moves the focus to a part, once it shows something that can have it. */
export function focusPart(part: Part): void {
  const before = document.activeElement;
  let frames = 0;
  const attempt = (): void => {
    // If the focus was moved meanwhile, it stays there.
    const isMoved = document.activeElement !== before && document.activeElement !== document.body;
    if (frames > 0 && isMoved) return;
    const target = targetIn(part);
    if (target !== undefined) target.focus();
    else if (++frames < MOST_FRAMES) requestAnimationFrame(attempt);
  };
  attempt();
}

/** Moves the focus to the next part, or the one before (`by` is -1), in the order in which they are read. */
export function focusNextPart(by: 1 | -1): void {
  const here = document.activeElement?.closest<HTMLElement>('[data-part]')?.dataset['part'];
  const at = PARTS.findIndex((part) => part === here);
  const start = at < 0 && by < 0 ? 0 : at;
  for (let step = 1; step <= PARTS.length; step++) {
    const part = PARTS[(start + by * step + PARTS.length * 2) % PARTS.length];
    const target = part === undefined ? undefined : targetIn(part);
    if (target !== undefined) {
      target.focus();
      return;
    }
  }
}
