/** Which texts the fields of dialects accept. Invariant: a refused text stays an attribute. */

/** How a dialect writes accounts (dialect.ts). */
export const ACCOUNTS = ['whole', 'account', 'principal'] as const;
export type Accounts = (typeof ACCOUNTS)[number];

/** SharePoint's encoding of who signed in, and how: a guest by mail, or a member. */
const CLAIM = /^(?:urn:spo:guest#|i:0#\.f\|membership\|)/;

/** An account split into name and domain; undefined if it names none. */
export function cutAccount(
  text: string,
  accounts: Accounts,
): { readonly name: string; readonly domain: string } | undefined {
  if (accounts === 'whole')
    return CLAIM.test(text) ? { name: text.replace(CLAIM, ''), domain: '' } : undefined;
  const cut = text.indexOf('\\');
  // Some double the backslash, as in JSON.
  const name = text.slice(cut + 1).replace(/^\\+/, '');
  if (cut >= 0 && name !== '') return { name, domain: text.slice(0, cut) };
  const at = accounts === 'principal' ? text.lastIndexOf('@') : -1;
  if (at <= 0 || at === text.length - 1 || text.includes(' ')) return undefined;
  return { name: text.slice(0, at), domain: text.slice(at + 1) };
}

const STATUS = /^(HTTP\/\d(?:\.\d)? )?([1-5]\d\d)(?: ([A-Za-z][A-Za-z' -]{0,60}))?$/;
/** https://www.iana.org/assignments/http-status-codes. */
const PHRASES: ReadonlyMap<string, string> = new Map(
  (
    '100 Continue,101 Switching Protocols,200 OK,201 Created,202 Accepted,203 Non-Authoritative Information,204 No Content,' +
    '205 Reset Content,206 Partial Content,207 Multi-Status,208 Already Reported,226 IM Used,300 Multiple Choices,' +
    '301 Moved Permanently,302 Found,303 See Other,304 Not Modified,305 Use Proxy,307 Temporary Redirect,308 Permanent Redirect,' +
    '400 Bad Request,401 Unauthorized,402 Payment Required,403 Forbidden,404 Not Found,405 Method Not Allowed,' +
    '406 Not Acceptable,407 Proxy Authentication Required,408 Request Timeout,409 Conflict,410 Gone,411 Length Required,' +
    '412 Precondition Failed,413 Content Too Large,414 URI Too Long,415 Unsupported Media Type,416 Range Not Satisfiable,' +
    '417 Expectation Failed,421 Misdirected Request,422 Unprocessable Content,423 Locked,424 Failed Dependency,425 Too Early,' +
    '426 Upgrade Required,428 Precondition Required,429 Too Many Requests,431 Request Header Fields Too Large,' +
    '451 Unavailable For Legal Reasons,500 Internal Server Error,501 Not Implemented,502 Bad Gateway,503 Service Unavailable,' +
    '504 Gateway Timeout,505 HTTP Version Not Supported,506 Variant Also Negotiates,507 Insufficient Storage,508 Loop Detected,' +
    '510 Not Extended,511 Network Authentication Required'
  )
    .split(',')
    .map((line) => [line.slice(0, 3), line.slice(4)]),
);
const UUID = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;
/** Digests of files, by their digits. */
const DIGESTS = new Map(Object.entries({ md5: 32, sha1: 40, sha256: 64 }));
const HASH = /\b(MD5|SHA1|SHA256)=([0-9a-f]{32,64})\b/gi;
const NO_ACTION = /\.$|^(?:%%)?\d+$|^.{65}/s;
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
/** Fields whose texts have brackets of their own around them: a block of a script, the mark of a subject. */
const FREE: ReadonlySet<string> = new Set(
  'command parent_command email_subject reason rule url referrer user_agent registry_value'.split(
    ' ',
  ),
);
/** The beginning of a list or an object. */
const BEGUN = /^[[{]\s*["'[{]/;
/** Texts for a missing value. */
const NOTHING: ReadonlySet<string> = new Set(['-', '--', 'N/A', 'n/a', 'null', '(null)', '(none)']);

/** The part of a text that a field gets: all of it, or the code of an HTTP status; undefined: nothing. */
export function textOf(field: string, text: string): string | undefined {
  if (field === 'http_status') return statusOf(text);
  // The dot of the root is not written everywhere: it is removed, so that one name is one text.
  if (field === 'query' && text.length > 1 && text.endsWith('.')) return text.slice(0, -1);
  return isTextOf(field, text) ? text : undefined;
}

/**
 * The code of `200`, `404 Not Found` and `HTTP/1.1 503 Slow Down`; words that no HTTP status has are not about
 * HTTP.
 */
function statusOf(text: string): string | undefined {
  const [, version, code = '', words = ''] = STATUS.exec(text) ?? [];
  const isOne =
    version !== undefined ||
    words === '' ||
    PHRASES.get(code)?.toLowerCase() === words.toLowerCase();
  return code !== '' && isOne ? code : undefined;
}

/** Digests of files: Sysmon's list, `SHA1=…,MD5=…`, or a single one, whose length tells its algorithm. */
export function digestsIn(text: string): readonly (readonly [field: string, digest: string])[] {
  for (const [field, digits] of DIGESTS)
    if (text.length === digits && HEX.test(text)) return [[field, text]];
  return [...text.matchAll(HASH)].map(([, kind = '', digest = '']) => [kind.toLowerCase(), digest]);
}

/** Whether a product's action name is usable: not a sentence, and not a numeric code. */
export function isActionName(text: string): boolean {
  return !NO_ACTION.test(text);
}

/** Whether a text is a list or an object in JSON, perhaps with white space around it. */
export function isJson(text: string): boolean {
  if (!isEnclosed(text.trim())) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    // No JSON, or nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}

function isEnclosed(text: string): boolean {
  return (
    (text.startsWith('[') && text.endsWith(']')) || (text.startsWith('{') && text.endsWith('}'))
  );
}

/** Whether a text is a list or an object, also one that is cut off or not in JSON, or a word in place of a name. */
function isStructure(field: string, text: string): boolean {
  return FREE.has(field) ? isJson(text) : isEnclosed(text) || BEGUN.test(text);
}

/** Whether a field can have a text: no list, no object, and no word for nothing. */
function isTextOf(field: string, text: string): boolean {
  if (NOTHING.has(text) || isStructure(field, text)) return false;
  // An identifier of the event itself is not a code of its type.
  if (field === 'event_code') return text.length <= 64 && !UUID.test(text) && !DRAWN.test(text);
  const digits = DIGESTS.get(field);
  if (digits !== undefined) return text.length === digits && HEX.test(text);
  // An address is not a name.
  if (field === 'src_domain' || field === 'dst_domain') return !ADDRESS.test(text);
  if (field === 'file_path') return !NO_FILE.test(text);
  return field !== 'http_method' || METHODS.has(text.toLowerCase());
}
