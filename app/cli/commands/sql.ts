/** `daybook sql`: the case as DuckDB sees it, by one script or one statement; a query as ClickHouse takes it. */
import { DaybookError } from '../../../engine/contract/errors.ts';
import { translateQuery } from '../../../engine/operations/sql/clickhouse-query.ts';
import { runStatement } from '../../../engine/operations/sql/run-statement.ts';
import { auditScript, writeScript } from '../../../engine/operations/sql/write-script.ts';
import type { CaseSession } from '../../../engine/search/index.ts';
import { VERSION } from '../../version.ts';
import type { Parsed } from '../arguments.ts';
import { FORCE_OPTION, TIME_OPTIONS, type Command, type CommandContext } from '../command.ts';
import { LIST_OPTIONS, givenLists, listFiles } from '../options/list-option.ts';
import { lookupFilesOf } from '../options/lookup-files.ts';
import { size, TableLayout, visible } from '../output.ts';
import { csvLines, type Output, printTo, widthOf } from '../print-result.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

const { 'list-unmatched': _, ...LISTS } = LIST_OPTIONS;

const FORMATS = ['table', 'ndjson', 'csv', 'json'] as const;
/** Options that require a query, besides lists. */
const QUERY_OPTIONS = ['database', ...Object.keys(TIME_OPTIONS)];
type Format = (typeof FORMATS)[number];

export const sqlCommand: Command = {
  spec: {
    name: 'sql',
    usage: "CASE ['QUERY' --dialect clickhouse]",
    summary:
      'Prints an SQL script that opens the whole case in DuckDB: views events (addresses as text, attributes as a map), sources, tags and notes. With --run it runs one statement on them. With a query and --dialect clickhouse it prints that query as SQL for a case that was attached to ClickHouse.',
    positionals: { least: 1, most: 2 },
    options: {
      run: {
        type: 'string',
        value: 'STATEMENT',
        help: 'run one read-only statement and print its rows',
      },
      dialect: {
        type: 'string',
        value: 'clickhouse',
        help: 'print a query of Daybook as SQL of this dialect; a query that it cannot answer exactly is refused',
      },
      database: {
        type: 'string',
        value: 'NAME',
        help: 'with --dialect: the database with the tables of the hand-over (default: that of the connection)',
      },
      ...TIME_OPTIONS,
      ...LISTS,
      format: {
        type: 'string',
        value: 'F',
        help: `how to print rows: ${FORMATS.join(', ')} (default table)`,
      },
      out: {
        type: 'string',
        value: 'FILE',
        help: 'write to a file, whole or not at all; - is standard output',
      },
      ...FORCE_OPTION,
      json: {
        type: 'boolean',
        help: 'one JSON document (a script: segments, bytes, sha256, script or path; a query: sql, columns, notes); rows as NDJSON',
      },
    },
    details: `Examples:
  daybook sql CASE --out case.sql
  daybook sql CASE --run "SELECT kind, count(*) FROM events GROUP BY kind"
  daybook sql CASE --run "DESCRIBE events"
  daybook sql CASE 'kind:flow dst_port:443 | top 10 src_ip by sum(bytes)' --dialect clickhouse --database acme
Python, the duckdb shell and its window: docs/notebooks.md. Times are UTC. The script changes nothing; it names the files that the case has now.\nThe tables in ClickHouse, and which queries are translated: docs/team.md.`,
  },
  async run(parsed, context) {
    const query = queryOf(parsed);
    const format = formatOf(parsed);
    const asked = parsed.text('out');
    const { streams, settings } = context;
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      const place = {
        ...{ out: asked === '-' ? undefined : asked, streams },
        guard: {
          ...{ overwrite: parsed.flag('force'), inputs: listFiles(parsed) },
          evidence: session.snapshot().sources,
        },
      };
      const statement = parsed.text('run');
      if (query !== undefined) await printQuery(session, query, parsed, { ...place, context });
      else if (statement === undefined) await printScript(session, parsed.flag('json'), place);
      else
        await printTo(place, (output) =>
          printRows(session, statement, format, { ...place, output, context }),
        );
      return 0;
    });
  },
};

function formatOf(parsed: Parsed): Format {
  const asked = parsed.text('format');
  if (asked !== undefined && parsed.text('run') === undefined)
    throw new DaybookError(
      'usage',
      '--format is for the rows of a statement',
      'add --run STATEMENT, or leave it out',
    );
  const format = asked ?? (parsed.flag('json') ? 'ndjson' : 'table');
  const known = FORMATS.find((one) => one === format);
  if (known !== undefined) return known;
  throw new DaybookError(
    'usage',
    `there is no format ${JSON.stringify(format)}`,
    `formats: ${FORMATS.join(', ')}`,
  );
}

type Place = Parameters<typeof printTo>[0];

/** The query to translate; undefined: none. */
function queryOf(parsed: Parsed): string | undefined {
  const query = parsed.positionals[1];
  const dialect = parsed.text('dialect');
  if (dialect !== undefined && dialect !== 'clickhouse')
    throw new DaybookError(
      'usage',
      `unknown dialect: ${JSON.stringify(dialect)}`,
      'give --dialect clickhouse; for DuckDB run: daybook sql CASE',
    );
  if (query !== undefined && dialect === undefined)
    throw new DaybookError(
      'usage',
      'a QUERY needs --dialect: this command translates a query, it does not run it',
      "run an SQL statement with --run 'STATEMENT', a query of Daybook with: daybook query CASE 'QUERY'",
    );
  if (dialect !== undefined && (query === undefined || parsed.text('run') !== undefined))
    throw new DaybookError(
      'usage',
      '--dialect needs a query of Daybook',
      "daybook sql CASE 'QUERY' --dialect clickhouse",
    );
  const beside = [...QUERY_OPTIONS, ...Object.keys(LISTS)].find(
    (name) => name !== 'force' && (parsed.text(name) !== undefined || parsed.flag(name)),
  );
  if (query === undefined && beside !== undefined)
    throw new DaybookError(
      'usage',
      `--${beside} needs a query and --dialect`,
      `daybook sql CASE 'QUERY' --dialect clickhouse --${beside} …`,
    );
  if (parsed.text('database')?.trim() === '')
    throw new DaybookError('usage', '--database is empty', 'leave it out, or name one');
  return query;
}

async function printQuery(
  session: CaseSession,
  text: string,
  parsed: Parsed,
  { context, ...place }: Place & { context: CommandContext },
): Promise<void> {
  const made = await translateQuery(session, {
    ...{ text, database: parsed.text('database'), signal: context.signal },
    ...givenRange(parsed),
    ...(await givenLists(parsed, context.signal)),
    lookups: await lookupFilesOf(text, context.signal),
  });
  const { sql, columns, notes } = made;
  await printTo(place, (output) =>
    output.write(parsed.flag('json') ? `${JSON.stringify({ sql, columns, notes })}\n` : sql),
  );
  for (const note of notes) place.streams.err.write(`${visible(note)}\n`);
}

async function printScript(session: CaseSession, asJson: boolean, place: Place): Promise<void> {
  const { out, streams } = place;
  if (asJson && out === undefined) {
    const parts: string[] = [];
    const written = await writeScript(session, VERSION, async (text) => void parts.push(text));
    const script = parts.join('');
    await printTo(place, (output) => output.write(`${JSON.stringify({ ...written, script })}\n`));
    auditScript(session, written, undefined);
    return;
  }
  const written = await printTo(place, (output) =>
    writeScript(session, VERSION, (text) => output.write(text)),
  );
  auditScript(session, written, out);
  if (out === undefined) return;
  const line = asJson
    ? `${JSON.stringify({ ...written, path: out })}\n`
    : `${visible(out)}: ${size(written.bytes)}, SHA-256 ${written.sha256}\n`;
  await printTo({ ...place, out: undefined }, (output) => output.write(line));
  if (!asJson) streams.err.write(`open it with: duckdb -init ${visible(out)}\n`);
}

async function printRows(
  session: CaseSession,
  statement: string,
  format: Format,
  { out, streams, output, context }: Place & { output: Output; context: CommandContext },
): Promise<void> {
  const { settings, signal } = context;
  const limits = { memoryLimit: settings.queryMemory, threads: settings.threads, signal };
  const layoutOf = (names: readonly string[]): TableLayout =>
    new TableLayout(names, out === undefined ? widthOf(streams) : undefined);
  let layout: TableLayout | undefined;
  let found = 0;
  for await (const { names, rows } of runStatement(session, statement, limits)) {
    const isFirst = layout === undefined;
    layout ??= layoutOf(names);
    const records = () =>
      rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
    const cells = () => rows.map((row) => row.map(cellOf));
    if (format === 'csv')
      await output.write(csvLines(isFirst ? [names, ...cells()] : cells(), { out, streams }));
    else if (format === 'ndjson')
      await output.write(
        records()
          .map((one) => `${JSON.stringify(one)}\n`)
          .join(''),
      );
    else if (format === 'json') {
      const texts = records().map(
        (one, i) => `${found + i === 0 ? '' : ','}${JSON.stringify(one)}`,
      );
      const head = isFirst ? `{"columns":${JSON.stringify(names)},"rows":[` : '';
      await output.write(head + texts.join(''));
    } else if (rows.length > 0) await output.write(layout.add(cells()));
    found += rows.length;
  }
  if (format === 'json') await output.write(']}\n');
  if (format === 'table' && found === 0) streams.err.write('no rows\n');
}

/** Values that do not fit in a cell, as JSON. */
function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return value === null ? null : JSON.stringify(value);
}
