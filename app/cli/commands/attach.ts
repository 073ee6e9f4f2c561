/** `daybook attach`: loads a handed-over case into a ClickHouse. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { attach } from '../../../engine/operations/cluster/attach/attach.ts';
import type { Command } from '../command.ts';
import { withCluster } from '../on-cluster.ts';
import { size, visible, write } from '../output.ts';
import { ProgressLine } from '../progress.ts';

export const attachCommand: Command = {
  spec: {
    name: 'attach',
    usage: 'clickhouse://HOST[:PORT]/DATABASE FOLDER|s3://…',
    summary:
      'Loads a hand-over into ClickHouse: makes the tables, sends the days that are new or changed, compares counts and sums of each file with the manifest, and only then replaces what was there.',
    positionals: { least: 2, most: 2 },
    options: { json: { type: 'boolean', help: 'one JSON document: what was sent, what differed' } },
    details: `Then ask it as a case: daybook query clickhouse://HOST/DATABASE 'QUERY', count, top, timeline, fields,
sources, hosts; tag, event, findings and searches for what people add; serve for the window.
Events are sent to that server and nowhere else; ?secure=true uses HTTPS. The credentials are CLICKHOUSE_USER and
CLICKHOUSE_PASSWORD. From s3://… or https://… the server reads the hand-over itself, with its own credentials.
An interrupted run resumes when it is started again. Until a run ends, queries see the hand-over before. What people
added there (tags, notes, searches, ratings) is kept.
Tables and what is translated: docs/team.md.`,
  },
  async run(parsed, { streams, signal }) {
    const [address, from] = parsed.positionals;
    const line = new ProgressLine(streams);
    return withCluster(address!, signal, async (cluster) => {
      const report = await attach(cluster, {
        from: from!,
        report: ({ done, of, file }) =>
          line.update({
            ...{ bytes: done, totalBytes: of, unit: 'row', source: file },
            phase: 'attaching',
          }),
      });
      line.clear();
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify(report)}\n`);
        return 0;
      }
      const { files, sent, differing, addedTags } = report;
      const lines = [
        ...differing.map(({ path, message }) => `was not as handed over: ${path}: ${message}`),
        ...(differing.length > 0 ? ['the days of these were loaded again, or removed'] : []),
        ...(addedTags > 0
          ? [`${counted(addedTags, 'tag')} added there ${addedTags === 1 ? 'was' : 'were'} kept`]
          : []),
        `${report.cluster}: ${counted(report.events, 'event')} in ${counted(files, 'file')}, as the manifest says`,
        `files: ${sent} loaded (${size(report.sentBytes)}), ${files - sent} were there already`,
      ];
      await write(streams.out, lines.map((one) => `${visible(one)}\n`).join(''));
      return 0;
    }).finally(() => line.clear());
  },
};
