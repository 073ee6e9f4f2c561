/** Splits a source's name: `logs.tar.gz!var/log/auth.log` is `logs.tar.gz!var/log/` and `auth.log`. */

/** Characters at the end of a long name that stay, however little room there is. */
const END = 12;
/** If fewer characters than this would be cut, an ellipsis is not worth it. */
const LONGER = 4;

/**
 * The last part as a beginning that may be truncated and an end that distinguishes it from others; a short one is
 * all end.
 */
export function endOf(last: string): { start: string; end: string } {
  const characters = [...last];
  const at = characters.length > END + LONGER ? characters.length - END : 0;
  return { start: characters.slice(0, at).join(''), end: characters.slice(at).join('') };
}

/** Both together are the name; `last` is only empty if the name is. */
export function nameParts(name: string): { path: string; last: string } {
  // A separator at the very end is followed by nothing.
  const before = name.slice(0, -1);
  const at = Math.max(...['/', '\\', '!'].map((separator) => before.lastIndexOf(separator)));
  return { path: name.slice(0, at + 1), last: name.slice(at + 1) };
}
