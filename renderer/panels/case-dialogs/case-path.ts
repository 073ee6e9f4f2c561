/** The folder of a new case when only its name is known. */

/** A name that is a valid folder name on every system; empty when nothing is left of it. */
function folderName(name: string): string {
  const safe = name
    .trim()
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, '-')
    .replace(/^\.+|[. ]+$/g, '')
    .slice(0, 120);
  return safe === '' ? '' : `${safe}.daybook`;
}

/** `FOLDER/NAME.daybook`, parted as that folder's path is. */
export function casePathOf(folder: string, name: string): string {
  const part = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const base = folder.replace(/[\\/]+$/, '');
  const last = folderName(name);
  return last === '' ? '' : `${base}${part}${last}`;
}

/** A name for a case that begins now: `case-2026-11-21`. */
export function suggestedName(now: Date, taken: readonly string[]): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `case-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  if (!taken.includes(day)) return day;
  for (let number = 2; ; number++) {
    if (!taken.includes(`${day}-${number}`)) return `${day}-${number}`;
  }
}
