/**
 * CSV (RFC 4180, with a line feed at the end): cells that a spreadsheet would run as formulas are defused, since
 * their text comes from evidence.
 */
export type Cell = string | number | bigint | boolean | null | undefined;

/** One record. */
export function csvLine(cells: readonly Cell[]): string {
  let line = '';
  for (let i = 0; i < cells.length; i++)
    line += i === 0 ? csvCell(cells[0]) : `,${csvCell(cells[i])}`;
  return `${line}\n`;
}
function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  let text = String(cell);
  if (typeof cell === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
