/** Rows of a list as they were written, by the numbers of their first lines. */

/** Lines that one row may reach over. */
const MOST_LINES = 100;

/**
 * @param lines of the list
 * @param number of a row's first line, from 1
 * @returns all of its lines: a value in quotes may hold ends of lines
 */
export function recordAt(lines: readonly string[], number: number): string {
  let record = lines[number - 1] ?? '';
  if (record.trimStart().startsWith('{')) return record;
  for (let at = number; at < number + MOST_LINES && at < lines.length && isOpen(record); at++)
    record += `\n${lines[at]}`;
  return isOpen(record) ? (lines[number - 1] ?? '') : record;
}

function isOpen(text: string): boolean {
  return (text.split('"').length - 1) % 2 === 1;
}

/** The number of the first line that is no remark and not empty, from 1; undefined: there is none. */
export function firstNumber(lines: readonly string[]): number | undefined {
  const at = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  return at < 0 ? undefined : at + 1;
}
