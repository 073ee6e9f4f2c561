/** `daybook carve`: extracts files that connections carried from the captures. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { CARVED_LIST, carveFiles } from '../../../engine/operations/output/carve.ts';
import { DaybookError } from '../../../engine/contract/errors.ts';
import { TIME_OPTIONS, type Command } from '../command.ts';
import { size, table, visible, write } from '../output.ts';
import { PASSWORD_OPTION, takePasswords } from '../options/password-option.ts';
import { ProgressLine } from '../progress.ts';
import { withCase } from '../with-case.ts';
import { givenRange } from '../options/time-range.ts';

const PARTIAL = 3;

export const carveCommand: Command = {
  spec: {
    name: 'carve',
    usage: "CASE 'QUERY' --out FOLDER",
    summary:
      'Writes the files that a query finds to a folder: files that connections carried, taken from the captures.',
    positionals: { least: 2, most: 2 },
    options: {
      ...TIME_OPTIONS,
      out: { type: 'string', value: 'FOLDER', help: 'a new or empty folder' },
      ...PASSWORD_OPTION,
      json: {
        type: 'boolean',
        help: 'one JSON document: which files were written, and which were not',
      },
    },
    details: `Examples:
  daybook carve CASE 'kind:file mime_type:application/x-dosexec' --out files
  daybook carve CASE 'kind:file service:smtp src_ip:10.0.0.7' --out mails
Each file is named after its event and its own name, and is written as it was sent: it may be malware. Nothing opens or runs it.
Its size and hash are compared with those of its event. Bytes that were not captured are zeros; ${CARVED_LIST} lists them
and the SHA-256 of each file. Exit status 3: some files could not be written.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [path, query] = parsed.positionals as [string, string];
    const folder = parsed.text('out');
    if (folder === undefined)
      throw new DaybookError(
        'usage',
        'no folder to write to was given',
        'name a new or empty one with --out FOLDER',
      );
    await takePasswords(parsed);
    const { evidence } = await import('../../compose.ts');
    const line = new ProgressLine(streams);
    return withCase(path, settings, async (session) => {
      const report = await carveFiles(session, evidence, {
        ...{ query, folder, signal },
        ...givenRange(parsed),
        report: async ({ done, of, source }) =>
          line.update({ bytes: done, totalBytes: of ?? 0, source, phase: 'reading' }),
      });
      line.clear();
      const { files, left, others } = report;
      if (parsed.flag('json')) await write(streams.out, `${JSON.stringify(report)}\n`);
      else {
        const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
        const rows = files.map((one) => [
          ...[one.file, one.mediaType, one.bytes, one.sha256, one.problem],
        ]);
        const names = ['file', 'type', 'bytes', 'sha256', 'problem'];
        if (rows.length > 0) await write(streams.out, table(names, rows, streams.out.columns));
        await write(
          streams.out,
          `${visible(report.folder)}: ${counted(files.length, 'file')}, ${size(total)}; ${CARVED_LIST} lists them\n`,
        );
        for (const { event, reason } of left)
          streams.err.write(`event ${event} was not written: ${visible(reason)}\n`);
        if (others > 0)
          streams.err.write(
            `${counted(others, 'event')} left out: only files that captures carried can be written\n`,
          );
      }
      return left.length > 0 ? PARTIAL : 0;
    }).finally(() => line.clear());
  },
};
