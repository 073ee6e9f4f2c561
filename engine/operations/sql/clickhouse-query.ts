/**
 * Translates a Daybook query to SQL for the ClickHouse that has the events of a handed-over case (docs/team.md).
 */
import { clickhouseStatement } from '../../query/index.ts';
import { type CaseSession, type QueryParameters, askQuery } from '../../search/index.ts';

interface Translated {
  /** A statement that ends with a semicolon and a line feed, and before it those that make tables of long lists. */
  readonly sql: string;
  /** Its columns; undefined: all columns of the table of events. */
  readonly columns: readonly string[] | undefined;
  /** How ambiguous parts of the query were read. */
  readonly notes: readonly string[];
}

interface Translation extends Pick<
  QueryParameters,
  'text' | 'zone' | 'from' | 'to' | 'list' | 'exclude' | 'lookups' | 'signal'
> {
  /** Undefined: the one that the connection uses. */
  readonly database?: string | undefined;
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
