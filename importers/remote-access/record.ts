/** What a line of a remote-access tool's log says, whatever the tool. */
import type { CutText } from '../../engine/contract/event.ts';
import type { LocalTime } from '../shared/time/local-times.ts';

export interface RemoteRecord {
  readonly time: LocalTime | undefined;
  readonly program: string;
  readonly message: string;
  readonly severity?: number | undefined;
  readonly pid?: number | undefined;
  readonly eventType?: string | undefined;
  readonly fields?: Partial<Record<CutText, string>>;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface LogFormat {
  /** For people and for `--format`. */
  readonly id: string;
  /** Whether its times are UTC by definition; otherwise they are those of the machine's clock. */
  readonly isUtc: boolean;
  /** Whether lines that begin no record continue the one before them. */
  readonly hasContinuations: boolean;
  /** A line that is of no record, and after which another begins. */
  readonly separator?: RegExp;
  /** The first lines, joined by line feeds, match; undefined: any record will do. */
  readonly sign?: RegExp;
  /** The record that a line begins; undefined if it begins none. */
  record(line: string): RemoteRecord | undefined;
}

/** The fields that have a value. */
export function stated(
  fields: Partial<Record<CutText, string | undefined>>,
): Partial<Record<CutText, string>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
