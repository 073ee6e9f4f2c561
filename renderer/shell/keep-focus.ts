/**
 * Keeps the focus in the window: where a control goes that has it (a button whose work is done, a row that is
 * removed, a dialog whose opener is gone), what is nearest to its place takes it, or what comes there next. Without
 * it the keyboard would begin again at the top of the window.
 */
import { useEffect } from 'react';
import { canTakeFocus, firstTaker, isPart, targetIn, type Part } from './parts.ts';

/** Elements beyond which nothing is near: what is on its way there is waited for. */
const BOUNDS = '[data-part], [role="dialog"]';

/** An element and what it is in, from the inside out, without the page, nor what holds all dialogs and messages. */
function placeOf(target: EventTarget | null): Element[] {
  const place: Element[] = [];
  for (let at = target instanceof Element ? target : null; at !== null; at = at.parentElement) {
    if (at === document.body || at.matches('[data-portal]')) return place;
    place.push(at);
  }
  return [];
}

/** What is beside all parts belongs to the results. */
function partOf(place: readonly Element[]): Part {
  const within = place.find((one) => one.matches('[data-part]'))?.getAttribute('data-part');
  return isPart(within) ? within : 'results';
}

/** What takes the focus of a control that is gone from `place`; undefined while there is nothing yet. */
function nearest(place: readonly Element[]): HTMLElement | undefined {
  for (const around of place) {
    if (!around.isConnected) continue;
    // The parts of the window are rearranged, as when it gets narrow.
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
    /** The last place that is in no menu or dialog: what opened them. */
    let opener: Element[] = [];
    let wasDisabled = false;
    let frame: number | undefined;

    const remember = ({ target }: FocusEvent): void => {
      place = placeOf(target);
      wasDisabled = false;
      if (root?.contains(place[0] ?? null) === true) opener = place;
    };
    // Whoever clicks beside all controls takes the focus away.
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
    // In the next frame: what moves the focus itself comes first.
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
