/** What texts the fields of dialects can have. Held always: a text that is refused stays an attribute. */

/** How a dialect writes accounts (dialect.ts). */
export const ACCOUNTS = ['whole', 'account', 'principal'] as const;
export type Accounts = (typeof ACCOUNTS)[number];

/** How SharePoint encodes who signed in, and how: a guest by mail, or a member. */
const CLAIM = /^(?:urn:spo:guest#|i:0#\.f\|membership\|)/;

/** An account without its domain, and that; undefined where it names none. */
export function cutAccount(
  text: string,
  accounts: Accounts,
): { readonly name: string; readonly domain: string } | undefined {
  if (accounts === 'whole')
    return CLAIM.test(text) ? { name: text.replace(CLAIM, ''), domain: '' } : undefined;
  const cut = text.indexOf('\\');
  // Some write two backslashes, as if for JSON.
  const name = text.slice(cut + 1).replace(/^\\+/, '');
  if (cut >= 0 && name !== '') return { name, domain: text.slice(0, cut) };
  const at = accounts === 'principal' ? text.lastIndexOf('@') : -1;
  if (at <= 0 || at === text.length - 1 || text.includes(' ')) return undefined;
  return { name: text.slice(0, at), domain: text.slice(at + 1) };
}

const STATUS = /^[1-5]\d\d$/;
const UUID = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;
/** Digests of files, by their digits. */
const DIGESTS = new Map(Object.entries({ md5: 32, sha1: 40, sha256: 64 }));
/** A digest or a number drawn by chance. */
const DRAWN = /^(?=.*[a-f])[0-9a-f]{16,}$/i;
const HEX = /^[0-9a-f]+$/i;
const ADDRESS = /^(?:\d{1,3}\.){3}\d{1,3}$|:.*:/;
const METHODS: ReadonlySet<string> = new Set(
  (
    'get head post put delete connect options trace patch propfind proppatch mkcol copy move lock unlock ' +
    'report search bind acl merge checkout'
  ).split(' '),
);
/** Both ends of a connection or a socket, or a pipe, as Falco names open files. */
const NO_FILE = /^(?:\S+:\d+|[\da-f]+)->|^(?:pipe|socket|anon_inode):/i;
/** Texts that stand for nothing. */
const NOTHING: ReadonlySet<string> = new Set(['-', '--', 'N/A', 'n/a', 'null', '(null)', '(none)']);

/** Whether a field can have a text: no list, no object, and no word for nothing. */
export function isTextOf(field: string, text: string): boolean {
  if (NOTHING.has(text) || text.startsWith('[') || text.startsWith('{')) return false;
  // An identifier of the event alone is no code of its type.
  if (field === 'event_code') return text.length <= 64 && !UUID.test(text) && !DRAWN.test(text);
  const digits = DIGESTS.get(field);
  if (digits !== undefined) return text.length === digits && HEX.test(text);
  // An address is no name.
  if (field === 'src_domain' || field === 'dst_domain') return !ADDRESS.test(text);
  if (field === 'file_path') return !NO_FILE.test(text);
  if (field === 'http_status') return STATUS.test(text);
  return field !== 'http_method' || METHODS.has(text.toLowerCase());
}
