/** `daybook hand-over`: the case as Parquet files and JSON lines, for others. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { isBucketAddress } from '../../../engine/contract/bucket-address.ts';
import type { HandOverReport } from '../../../engine/contract/hand-over.ts';
import { handOver } from '../../../engine/operations/hand-over/hand-over.ts';
import { VERSION } from '../../version.ts';
import { askToSend, bucketOf } from '../options/bucket-place.ts';
import type { Command } from '../command.ts';
import { count, size, visible, write } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withCase } from '../with-case.ts';

export const handOverCommand: Command = {
  spec: {
    name: 'hand-over',
    usage: 'CASE FOLDER|s3://BUCKET/PREFIX',
    summary:
      'Writes the case to a folder as Parquet files by kind and day (addresses as text, attributes as a map), with sources, ledger, tags, notes, saved views, audit log, and a manifest with the SHA-256 of each file.',
    positionals: { least: 2, most: 2 },
    options: {
      yes: { type: 'boolean', help: 'send to a bucket without asking for confirmation' },
      json: { type: 'boolean', help: 'one JSON document: what was written and kept' },
    },
    details: `The folder is new, empty, or holds an earlier hand-over of this case; then new files are written, changed ones
replaced, and obsolete ones removed. An interrupted run resumes when it is started again. A hand-over contains
neither the evidence nor deleted events. Check it anywhere with: daybook verify FOLDER
Before anything is sent to s3://BUCKET/PREFIX, you are asked to confirm the destination (--yes confirms it). Region,
credentials and endpoint are those of AWS's own tools: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL.
What a hand-over contains, and how other tools read it: docs/hand-over.md.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [path, place] = parsed.positionals;
    const { queryMemory: memoryLimit, threads } = settings;
    const line = new ProgressLine(streams);
    return withCase(path!, settings, async (session) => {
      const bucket = isBucketAddress(place!) ? await bucketOf(place!, signal) : undefined;
      try {
        if (bucket !== undefined && !parsed.flag('yes'))
          await askToSend(`the case ${visible(path!)}`, bucket, streams);
        const report = await handOver(session, {
          ...(bucket === undefined ? { folder: place! } : { bucket }),
          ...{ version: VERSION, memoryLimit, threads, signal },
          report: async ({ done, of, file }) =>
            line.update({
              ...{ bytes: done, totalBytes: of, unit: 'row', source: file },
              phase: 'handing over',
            }),
        });
        line.clear();
        const shown = parsed.flag('json') ? `${JSON.stringify(report)}\n` : linesOf(report);
        await write(streams.out, shown);
        for (const note of report.notes) streams.err.write(`${visible(note)}\n`);
        return 0;
      } finally {
        bucket?.close();
      }
    }).finally(() => line.clear());
  },
};

function linesOf(report: HandOverReport): string {
  const { written, replaced, removed, kept } = report;
  const did = [
    `${count(written)} written (${size(report.writtenBytes)}${replaced > 0 ? `, ${count(replaced)} of them replaced` : ''})`,
    ...(kept > 0 ? [`${count(kept)} unchanged`] : []),
    ...(removed > 0 ? [`${count(removed)} removed`] : []),
  ];
  return [
    `${visible(report.folder)}: ${counted(report.events, 'event')} in ${counted(report.files, 'file')}, ${size(report.bytes)}`,
    `files: ${did.join(', ')}`,
    `manifest.json: SHA-256 ${report.sha256}`,
    '',
  ].join('\n');
}
