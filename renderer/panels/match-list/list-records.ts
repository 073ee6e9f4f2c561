/** Rows of a list as they were written, by the numbers of their first lines. */

/** Lines that one row may reach over. */
const MOST_LINES = 100;

/**
 * @param lines of the list
 * @param number of a row's first line, from 1
 * @param isTable whether rows have cells: in other lists each line is a row, whatever quotes are in it
 * @returns all of its lines: a quoted cell may contain line breaks
 */
export function recordAt(lines: readonly string[], number: number, isTable: boolean): string {
  const first = lines[number - 1] ?? '';
  if (!isTable) return first;
  let record = first;
  for (let at = number; at < number + MOST_LINES && at < lines.length && isOpen(record); at++)
    record += `\n${lines[at]}`;
  return isOpen(record) ? first : record;
}

/** Whether the last cell is quoted and not closed. A quote inside a cell is part of its value. */
function isOpen(text: string): boolean {
  const separator = /[,;\t]/g;
  for (let at = 0; ;) {
    if (text[at] === '"') {
      let end = text.indexOf('"', at + 1);
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
      if (end < 0) return true;
      at = end + 1;
    }
    separator.lastIndex = at;
    if (separator.exec(text) === null) return false;
    at = separator.lastIndex;
  }
}

/** The number, from 1, of the first line that is neither a comment nor empty; undefined: there is none. */
export function firstNumber(lines: readonly string[]): number | undefined {
  const at = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  return at < 0 ? undefined : at + 1;
}
