import { notifyDone, notifyError } from '../../state/notify.ts';

/** Copies a text and says so. */
export function copyText(text: string, done: string): void {
  // Outside a secure context (a page over plain HTTP that is not loopback) there is no clipboard.
  if (!('clipboard' in navigator)) {
    notifyError(new Error('this page is not allowed to write to the clipboard'), 'Not copied');
    return;
  }
  navigator.clipboard.writeText(text).then(
    () => notifyDone(done),
    (error: unknown) => notifyError(error, 'Not copied'),
  );
}
