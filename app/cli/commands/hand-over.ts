/** `daybook hand-over`: the case as Parquet files and JSON lines, for others. */
import { counted } from '../../../engine/contract/counted.ts';
import { handOver } from '../../../engine/operations/hand-over/hand-over.ts';
import { VERSION } from '../../version.ts';
import type { Command } from '../command.ts';
import { count, size, visible, write } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withCase } from '../with-case.ts';

export const handOverCommand: Command = {
  spec: {
    name: 'hand-over',
    usage: 'CASE FOLDER',
    summary:
      'Writes the case to a folder as Parquet files by kind and day (addresses as text, attributes as a map), with sources, ledger, tags, notes, saved views, audit log, and a manifest with the SHA-256 of each file.',
    positionals: { least: 2, most: 2 },
    options: { json: { type: 'boolean', help: 'one JSON document: what was written and kept' } },
    details: `The folder is new, empty, or one to which the case was handed over before: then what is new is written, what
changed is replaced, and what is gone is removed. An interrupted run goes on. The evidence is not in it, nor are
deleted events. Check it anywhere with: daybook verify FOLDER
What is in it, and how others read it: docs/hand-over.md.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [path, folder] = parsed.positionals;
    const { queryMemory: memoryLimit, threads } = settings;
    const line = new ProgressLine(streams);
    return withCase(path!, settings, async (session) => {
      const report = await handOver(session, {
        ...{ folder: folder!, version: VERSION, memoryLimit, threads, signal },
        report: async ({ done, of, file }) =>
          line.update({
            ...{ bytes: done, totalBytes: of, unit: 'row', source: file },
            phase: 'handing over',
          }),
      });
      line.clear();
      if (parsed.flag('json')) await write(streams.out, `${JSON.stringify(report)}\n`);
      else {
        const { written, replaced, removed, kept } = report;
        const did = [
          `${count(written)} written (${size(report.writtenBytes)}${replaced > 0 ? `, ${count(replaced)} of them replaced` : ''})`,
          ...(kept > 0 ? [`${count(kept)} were there already`] : []),
          ...(removed > 0 ? [`${count(removed)} removed`] : []),
        ];
        await write(
          streams.out,
          [
            `${visible(report.folder)}: ${counted(report.events, 'event')} in ${counted(report.files, 'file')}, ${size(report.bytes)}`,
            `files: ${did.join(', ')}`,
            `manifest.json: SHA-256 ${report.sha256}`,
            '',
          ].join('\n'),
        );
      }
      for (const note of report.notes) streams.err.write(`${visible(note)}\n`);
      return 0;
    }).finally(() => line.clear());
  },
};
