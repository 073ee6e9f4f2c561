/** `daybook preview`: what an import of files would yield, without storing anything. */
import { type CellValue, cell } from '../../../engine/contract/wire/column-batch.ts';
import { counted } from '../../../engine/contract/words/counted.ts';
import { decisionText, describeDecisions } from '../../../engine/contract/time/decisions.ts';
import { type Preview, previewEvidence } from '../../../engine/operations/evidence/preview.ts';
import { evidence } from '../../compose.ts';
import type { Parsed } from '../arguments.ts';
import { EXIT, type Command, type CommandContext } from '../command.ts';
import { isoMicros, size, table, visible, write } from '../output.ts';
import { PASSWORD_OPTION, takePasswords } from '../options/password-option.ts';
import { READ_OPTIONS, readOptionsOf } from '../options/read-options.ts';
import { withCase } from '../with-case.ts';

const MOST_RECORDS = 20;

export const previewCommand: Command = {
  spec: {
    name: 'preview',
    usage: 'PATH…',
    summary:
      'Shows how an import would read files: formats, decisions about times and columns, first records.',
    positionals: { least: 1, most: Infinity },
    options: {
      ...READ_OPTIONS,
      case: { type: 'string', value: 'CASE', help: 'say which sources this case already has' },
      records: {
        type: 'string',
        value: 'N',
        help: `the first N records of each, at most ${MOST_RECORDS} (default 3)`,
      },
      recursive: { type: 'boolean', help: 'also read the subfolders of folders' },
      ...PASSWORD_OPTION,
      json: { type: 'boolean', help: 'one JSON line per source, and one with the totals' },
    },
    details: `Nothing is stored, and no case is needed. Only the beginning of each file is read; at most 200 sources are shown.
With the same options, daybook import makes the same decisions. Exit status 3: a source cannot be read.`,
  },
  async run(parsed, context) {
    await takePasswords(parsed);
    const folder = parsed.text('case');
    if (folder === undefined) return preview(parsed, context, {});
    return withCase(folder, context.settings, async (session) =>
      preview(parsed, context, {
        sources: session.snapshot().sources(),
        lineHashes: (id) => session.catalog.overlaps.lineHashes(id),
      }),
    );
  },
};

type Known = Partial<Pick<Parameters<typeof previewEvidence>[1], 'sources' | 'lineHashes'>>;

async function preview(
  parsed: Parsed,
  { streams, signal }: CommandContext,
  known: Known,
): Promise<number> {
  const records = Math.min(parsed.whole('records', 0) ?? 3, MOST_RECORDS);
  const asJson = parsed.flag('json');
  let unreadable = 0;
  const { sources, bytes, ignored, left } = await previewEvidence(evidence, {
    ...{ paths: parsed.positionals, recursive: parsed.flag('recursive'), signal },
    options: readOptionsOf(parsed),
    ...{ sources: [], ...known },
    onPreview: async (one) => {
      if (one.problem !== undefined) unreadable += 1;
      const { records: batch, ...rest } = one;
      await write(
        streams.out,
        asJson
          ? `${JSON.stringify({ ...rest, records: recordsOf(batch, records) })}\n`
          : textOf(one, records, streams.out.columns),
      );
    },
  });
  if (asJson)
    await write(streams.out, `${JSON.stringify({ total: { sources, bytes, ignored, left } })}\n`);
  else {
    for (const { name, reason } of ignored)
      await write(streams.out, `${visible(name)}: ignored: ${visible(reason)}\n`);
    await write(
      streams.out,
      `${counted(sources, 'source')}, ${size(bytes)}; nothing was stored${left > 0 ? `; ${counted(left, 'further file')} not examined` : ''}\n`,
    );
  }
  return unreadable > 0 ? EXIT.notAllRight : EXIT.done;
}

function recordsOf({ rows, columns }: Preview['records'], most: number): unknown[] {
  return Array.from({ length: Math.min(rows, most) }, (_, row) =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const value = shownCell(column, row);
        return value === null ? [] : [[column.name, value]];
      }),
    ),
  );
}

function textOf(one: Preview, most: number, width: number | undefined): string {
  const { source, problem, dialect = '', bytes, decisions, already, notes, records } = one;
  if (problem !== undefined) return `${visible(source)}: cannot be read: ${visible(problem)}\n`;
  const lines = [`${visible(source)}: ${dialect}${bytes === undefined ? '' : `, ${size(bytes)}`}`];
  if (already !== undefined)
    lines.push(`  already in the case: source ${already.sourceId} (${visible(already.name)})`);
  const decided = describeDecisions(decisions);
  if (decided.length > 0) lines.push(`  decided: ${visible(decided.map(decisionText).join(', '))}`);
  if (one.table !== undefined) {
    const mapped = Object.entries(one.table.mapping).map(([field, column]) => `${field}=${column}`);
    lines.push(`  columns: ${visible(one.table.columns.map(({ name }) => name).join(', '))}`);
    // A column whose name has a comma can be named in a file only.
    const isPlain = !mapped.some((one) => one.includes(','));
    if (mapped.length > 0)
      lines.push(
        `  read as: ${isPlain ? '--map ' : ''}${visible(mapped.join(isPlain ? ',' : ' · '))}`,
      );
  }
  for (const note of notes) lines.push(`  note: ${visible(note)}`);
  if (one.quarantined.length > 0)
    lines.push(`  quarantined: ${counted(one.quarantined.length, 'record')} of those examined`);
  for (const { offset, reason } of one.quarantined.slice(0, most))
    lines.push(`  quarantined at byte ${offset}: ${visible(reason)}`);
  for (const [reason, n] of Object.entries(one.skippedReasons))
    lines.push(`  skipped: ${n} ${visible(reason)}`);
  const names = records.columns.map(({ name }) => name);
  const rows = Array.from({ length: Math.min(records.rows, most) }, (_, row) =>
    records.columns.map((column) => shownCell(column, row)),
  );
  const shown = rows.length === 0 ? '' : indented(table(names, rows, width));
  return `${lines.join('\n')}\n${shown}`;
}

/** Times of a preview are microseconds since 1970. */
function shownCell(column: Preview['records']['columns'][number], row: number): CellValue {
  const value = cell(column, row);
  return column.name === 'ts' && typeof value === 'number' ? isoMicros(value) : value;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
