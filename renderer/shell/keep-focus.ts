/**
 * Keeps the focus in the window: when the focused control disappears (a disabled button, a removed row, the opener
 * of a closed dialog), the element nearest to its place gets the focus, or the next one that appears there.
 * Otherwise the keyboard would start again at the top of the window.
 */
import { useEffect } from 'react';
import { canTakeFocus, firstTaker, isPart, targetIn, type Part } from './parts.ts';

/** The search for the nearest element ends at these: if they are empty, it waits for their content. */
const BOUNDS = '[data-part], [role="dialog"]';

/**
 * An element and its ancestors, innermost first, up to but excluding the page and the container of dialogs and
 * messages.
 */
function placeOf(target: EventTarget | null): Element[] {
  const place: Element[] = [];
  for (let at = target instanceof Element ? target : null; at !== null; at = at.parentElement) {
    if (at === document.body || at.matches('[data-portal]')) return place;
    place.push(at);
  }
  return [];
}

/** Anything outside all parts belongs to the results. */
function partOf(place: readonly Element[]): Part {
  const within = place.find((one) => one.matches('[data-part]'))?.getAttribute('data-part');
  return isPart(within) ? within : 'results';
}

/** The element that gets the focus of a control removed from `place`; undefined while there is none yet. */
function nearest(place: readonly Element[]): HTMLElement | undefined {
  for (const around of place) {
    if (!around.isConnected) continue;
    // The parts of the window are rearranged, as when it becomes narrow.
    if (around.querySelector('[data-part]') !== null) return targetIn(partOf(place));
    const taker = canTakeFocus(around) ? around : firstTaker(around);
    if (taker !== undefined || around.matches(BOUNDS)) return taker;
  }
  return undefined;
}

export function useKeepFocus(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    let place: Element[] = [];
    /** The last place outside menus and dialogs: the one that opened them. */
    let opener: Element[] = [];
    let wasDisabled = false;
    let frame: number | undefined;

    const remember = ({ target }: FocusEvent): void => {
      place = placeOf(target);
      wasDisabled = false;
      if (root?.contains(place[0] ?? null) === true) opener = place;
    };
    // A click outside all controls removes the focus deliberately.
    const forget = (): void => {
      place = [];
      opener = [];
    };
    const restore = (): void => {
      frame = undefined;
      const [control] = place;
      if (control === undefined || document.activeElement !== document.body) return;
      if (!control.isConnected) nearest([...place, ...opener])?.focus();
      else if (control.matches(':disabled')) wasDisabled = true;
      else if (wasDisabled && control instanceof HTMLElement) control.focus();
    };
    // In the next frame: code that moves the focus itself comes first.
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body) frame ??= requestAnimationFrame(restore);
    });
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('pointerdown', forget, true);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', forget, true);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, []);
}
