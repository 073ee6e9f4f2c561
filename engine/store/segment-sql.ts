/** SQL fragments for statements on segments, in DuckDB's dialect. Row numbers are its `rowid`: ascending in storage order. */

/** Condition: the row's number is in the result of a select. @param table the row's table, if there are several */
export function isAmong(numbers: string, table?: string): string {
  return `${numberOf(table)} IN (${numbers})`;
}

export function isNotAmong(numbers: string, table?: string): string {
  return `${numberOf(table)} NOT IN (${numbers})`;
}

/** Selects the number and some values of every row, in order. @param values SQL expressions */
export function numberedRows(table: string, values: readonly string[]): string {
  return `SELECT rowid::DOUBLE, ${values.join(', ')} FROM ${table} ORDER BY rowid`;
}

/** Selects the numbers of the rows that meet a condition, in order. */
export function numbersWhere(table: string, condition: string): string {
  return `SELECT rowid::DOUBLE FROM ${table} WHERE ${condition} ORDER BY rowid`;
}

/** Joins the rows of a table with a select, named `beside`, by its column of row numbers. Rows without a match stay. */
export function withBeside(database: string, table: string, select: string, row: string): string {
  return `${database}.${table} LEFT JOIN (${select}) AS beside ON ${numberOf(table)} = beside.${row}`;
}

/** Selects the first row of each group with equal columns, and every row whose first such column is NULL. */
export function firstOfEach(
  select: string,
  columns: readonly string[],
  order: readonly string[],
): string {
  const place = `row_number() OVER (PARTITION BY ${columns.join(', ')} ORDER BY ${order.join(', ')})`;
  return `SELECT * FROM (${select}) QUALIFY ${columns[0]!} IS NULL OR ${place} = 1`;
}

/** A time as microseconds since 1970. */
export function epochMicros(time: string): string {
  return `epoch_us(${time})`;
}

export function intervalOfMicros(micros: number): string {
  return `to_microseconds(${micros})`;
}

function numberOf(table: string | undefined): string {
  return table === undefined ? 'rowid' : `${table}.rowid`;
}
