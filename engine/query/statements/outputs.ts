/** The columns of a statement's result and their roles. */
import { IP6_TYPE, ip6Text, micros } from '../dialect/duckdb.ts';
import type { OutputType, Part, ValueShape } from '../values/values.ts';

export interface ResultPart {
  readonly role: Part['role'] | 'nanos' | 'digits';
  /** Index of the result's column. */
  readonly at: number;
}

export interface OutputColumn {
  readonly name: string;
  /**
   * `instant`: a time with nanoseconds and the digits its source had; `attribute`: text, which default
   * rows gather under `attrs`; `overflow`: JSON of more attributes; `tags`: numbers joined by commas.
   */
  readonly type: OutputType | 'instant' | 'attribute' | 'overflow' | 'tags';
  readonly parts: readonly ResultPart[];
}

/** The output columns of a statement, as SQL over a relation `r`. */
export class Outputs {
  readonly sql: string[] = [];
  readonly columns: OutputColumn[] = [];
  readonly most: number | undefined;

  /** Texts longer than `most` characters are cut there. */
  constructor(most?: number) {
    this.most = most;
  }

  hidden(...sql: string[]): void {
    this.sql.push(...sql);
  }

  add(
    name: string,
    type: OutputColumn['type'],
    parts: readonly { role: ResultPart['role']; sql: string }[],
  ): void {
    if (this.columns.some((column) => column.name === name && column.type === type)) return;
    const cut = this.most !== undefined && (type === 'text' || type === 'attribute');
    const at = parts.map(({ role, sql }): ResultPart => ({
      role,
      at: this.sql.push(cut ? `left(${sql}, ${this.most})` : sql) - 1,
    }));
    this.columns.push({ name, type, parts: at });
  }

  value(shape: ValueShape, sql: readonly string[], name = shape.name): void {
    this.add(
      name,
      shape.type,
      shape.parts.map(({ role, sqlType }, i) => ({ role, sql: readable(sql[i]!, sqlType) })),
    );
  }
}

/** A value as it leaves the database. */
export function readable(sql: string, sqlType: string): string {
  if (sqlType === 'TIMESTAMP') return micros(sql);
  return sqlType === IP6_TYPE ? ip6Text(sql) : sql;
}
