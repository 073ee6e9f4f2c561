/** A source's name taken apart: `logs.tar.gz!var/log/auth.log` is `logs.tar.gz!var/log/` and `auth.log`. */

/** Both together are the name; `last` is only empty where the name is. */
export function nameParts(name: string): { path: string; last: string } {
  // A separator at the very end has nothing behind it.
  const before = name.slice(0, -1);
  const at = Math.max(...['/', '\\', '!'].map((separator) => before.lastIndexOf(separator)));
  return { path: name.slice(0, at + 1), last: name.slice(at + 1) };
}
