/** A query of Daybook as SQL for the ClickHouse that has the events of a case that was handed over (docs/team.md). */
import type { EpochMicros } from '../../contract/event.ts';
import { clickhouseStatement } from '../../query/index.ts';
import { type CaseSession, type GivenList, askQuery } from '../../search/index.ts';

interface Translated {
  /** A statement that ends with a semicolon and a line feed, and before it those that make tables of long lists. */
  readonly sql: string;
  /** Its columns; undefined: all of the table of events. */
  readonly columns: readonly string[] | undefined;
  /** How doubtful parts of the query were read. */
  readonly notes: readonly string[];
}

interface Translation {
  readonly text: string;
  readonly zone: string;
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  readonly list?: GivenList | undefined;
  readonly exclude?: GivenList | undefined;
  /** Undefined: the one that the connection uses. */
  readonly database?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws DaybookError usage for what has no exact translation; query-syntax, unknown-field, cancelled */
export async function translateQuery(
  session: CaseSession,
  { database, ...asked }: Translation,
): Promise<Translated> {
  const { plan } = await askQuery(session, { ...asked, operation: 'sql.translate' });
  const { before, sql, columns } = clickhouseStatement(plan, { database });
  return {
    sql: [...before, sql].map((one) => `${one};\n`).join(''),
    columns: columns?.map(({ name }) => name),
    notes: [...plan.readings],
  };
}
