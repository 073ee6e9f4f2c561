/** The contents of a dialect file: the headers that identify it, and the meaning of each column. */
import type { Kind } from '../../../engine/contract/event.ts';
import type { Setter } from '../fields.ts';
import type { IcmpStyle } from '../row-writer.ts';

export interface Dialect {
  /** The name `--format` takes. */
  readonly id: string;
  readonly kind: Kind;
  /** Setters by simplified column name (`simplify`); all others become attributes. */
  readonly columns: Readonly<Record<string, Setter>>;
  /** A header is of this dialect if it has all names (simplified) of one of these lists. */
  readonly signatures: readonly (readonly string[])[];
  readonly icmp?: IcmpStyle;
  /** Texts for a missing value, in attributes as well. */
  readonly unset?: readonly string[];
  /** Whether quotes are plain text. */
  readonly unquoted?: boolean;
  /** A line whose first cell is this begins a summary that lasts to the end. */
  readonly summary?: string;
  readonly payloadAsBytes?: boolean;
  readonly keyed?: boolean;
  /** For files without a header: their columns, if the cells of the first row fit. */
  readonly headerless?: (cells: readonly string[]) => readonly string[] | undefined;
}

export const IP4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
export const WHOLE = /^\d+$/;

/** Whether a cell looks like an IP address. Cells may be as long as a row: no pattern is applied to those. */
export function isAddress(cell: string): boolean {
  if (cell.length < 3 || cell.length > 45) return false;
  return IP4.test(cell) || (cell.includes(':') && /^[0-9a-f:.]+$/i.test(cell));
}
