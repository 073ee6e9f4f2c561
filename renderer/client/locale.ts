/**
 * A language that Intl takes. Under a POSIX locale Chromium calls it `en-US@posix`, at which every
 * formatter of Intl throws, in libraries too. Imported before them.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  Object.defineProperty(navigator, 'languages', { value: ['en-US'], configurable: true });
}

export {};
