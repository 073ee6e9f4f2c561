/** What texts the fields of dialects can have. Held always: a text that is refused stays an attribute. */
const STATUS = /^[1-5]\d\d$/;
const UUID = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;
const METHODS: ReadonlySet<string> = new Set(
  (
    'get head post put delete connect options trace patch propfind proppatch mkcol copy move lock unlock ' +
    'report search bind acl merge checkout'
  ).split(' '),
);
/** Texts that stand for nothing. */
const NOTHING: ReadonlySet<string> = new Set(['-', 'N/A', 'n/a', 'null', '(null)', '(none)']);

/** Whether a field can have a text: no list, no object, and no word for nothing. */
export function isTextOf(field: string, text: string): boolean {
  if (NOTHING.has(text) || text.startsWith('[') || text.startsWith('{')) return false;
  // An identifier of the event alone is no code of its type.
  if (field === 'event_code') return text.length <= 64 && !UUID.test(text);
  if (field === 'http_status') return STATUS.test(text);
  return field !== 'http_method' || METHODS.has(text.toLowerCase());
}
