/** A source's name taken apart: `logs.tar.gz!var/log/auth.log` is `logs.tar.gz!var/log/` and `auth.log`. */

/** Characters at the end of a long name that stay, however little room there is. */
const END = 12;
/** A name that is longer by fewer is not worth a sign that it is cut off. */
const LONGER = 4;

/** The last part as a beginning that may be cut off and the end that tells it from others; a short one is all end. */
export function endOf(last: string): { start: string; end: string } {
  const characters = [...last];
  const at = characters.length > END + LONGER ? characters.length - END : 0;
  return { start: characters.slice(0, at).join(''), end: characters.slice(at).join('') };
}

/** Both together are the name; `last` is only empty where the name is. */
export function nameParts(name: string): { path: string; last: string } {
  // A separator at the very end has nothing behind it.
  const before = name.slice(0, -1);
  const at = Math.max(...['/', '\\', '!'].map((separator) => before.lastIndexOf(separator)));
  return { path: name.slice(0, at + 1), last: name.slice(at + 1) };
}
