/** `daybook sql`: the case as DuckDB sees it, by one script or one statement. */
import { DaybookError } from '../../../engine/contract/errors.ts';
import { runStatement } from '../../../engine/operations/sql/run-statement.ts';
import { auditScript, writeScript } from '../../../engine/operations/sql/write-script.ts';
import { CaseSession } from '../../../engine/search/index.ts';
import { VERSION } from '../../version.ts';
import type { Parsed } from '../arguments.ts';
import { FORCE_OPTION, type Command, type CommandContext } from '../command.ts';
import { size, TableLayout, visible } from '../output.ts';
import { csvLines, type Output, printTo, widthOf } from '../print-result.ts';

const FORMATS = ['table', 'ndjson', 'csv', 'json'] as const;
type Format = (typeof FORMATS)[number];

export const sqlCommand: Command = {
  spec: {
    name: 'sql',
    usage: 'CASE',
    summary:
      'Prints one SQL script that shows the whole case to DuckDB: views events (addresses as text, attributes as a map), sources, tags and notes. With --run it runs one statement on them.',
    positionals: { least: 1, most: 1 },
    options: {
      run: {
        type: 'string',
        value: 'STATEMENT',
        help: 'run one statement that reads, and print its rows',
      },
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
        help: 'of a script one JSON document: segments, bytes, sha256, script or path; rows as NDJSON',
      },
    },
    details: `Examples:
  daybook sql CASE --out case.sql
  daybook sql CASE --run "SELECT kind, count(*) FROM events GROUP BY kind"
  daybook sql CASE --run "DESCRIBE events"
Python, the duckdb shell and its window: docs/notebooks.md. Times are UTC. The script changes nothing; it names the files that the case has now.`,
  },
  async run(parsed, context) {
    const format = formatOf(parsed);
    const asked = parsed.text('out');
    const { streams, settings } = context;
    const session = CaseSession.open(parsed.positionals[0]!, {
      memoryLimit: settings.queryMemory,
      threads: settings.threads,
    });
    try {
      const place = {
        ...{ out: asked === '-' ? undefined : asked, streams },
        guard: { overwrite: parsed.flag('force'), evidence: session.snapshot().sources },
      };
      const statement = parsed.text('run');
      if (statement === undefined) await printScript(session, parsed.flag('json'), place);
      else
        await printTo(place, (output) =>
          printRows(session, statement, format, { ...place, output, context }),
        );
      return 0;
    } finally {
      await session.close();
    }
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

/** What has no place in one cell, as JSON. */
function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return value === null ? null : JSON.stringify(value);
}
