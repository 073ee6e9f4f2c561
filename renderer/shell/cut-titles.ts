/**
 * Gives a truncated text a title with the full text while the pointer is on it, unless it has its own title.
 * Invisible characters of evidence are already made visible in the text.
 */
import { useEffect } from 'react';

/** Characters of a title. */
const LONGEST = 1000;

/** Whether an element ends in an ellipsis, on its only line or on its last one. */
function isCut(element: HTMLElement): boolean {
  const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(element);
  if (overflowX !== 'hidden' && overflowX !== 'clip') return false;
  return (
    (textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth) ||
    (webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight)
  );
}

/** The innermost truncated element around the one under the pointer. */
function cutAround(target: Element): HTMLElement | undefined {
  for (let at: Element | null = target; at !== null; at = at.parentElement)
    if (at instanceof HTMLElement && isCut(at)) return at;
  return undefined;
}

function wholeText(element: HTMLElement): string {
  const whole = element instanceof HTMLInputElement ? element.value : element.innerText;
  const text = whole.replace(/\s+/g, ' ').trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export function useCutTitles(): void {
  useEffect(() => {
    let titled: HTMLElement | undefined;
    let given = '';
    const clear = (): void => {
      changes.disconnect();
      if (titled?.title === given) titled.removeAttribute('title');
      titled = undefined;
    };
    const show = (target: Element): void => {
      clear();
      if (target.closest('[title]') !== null) return;
      titled = cutAround(target);
      if (titled === undefined) return;
      given = wholeText(titled);
      titled.title = given;
      changes.observe(titled, { characterData: true, childList: true, subtree: true });
    };
    // A row that is drawn again has another event under a pointer that rests.
    const changes = new MutationObserver(() => {
      if (titled !== undefined) show(titled);
    });
    const enter = ({ target }: PointerEvent): void => {
      if (target instanceof Element) show(target);
      else clear();
    };
    const leave = ({ relatedTarget }: PointerEvent): void => {
      if (relatedTarget === null) clear();
    };
    document.addEventListener('pointerover', enter);
    document.addEventListener('pointerout', leave);
    return () => {
      document.removeEventListener('pointerover', enter);
      document.removeEventListener('pointerout', leave);
      clear();
    };
  }, []);
}
