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
      'Loads a hand-over into ClickHouse: creates the tables, sends the days that are new or changed, compares counts and sums of each file with the manifest, and only then replaces the previous state.',
    positionals: { least: 2, most: 2 },
    options: { json: { type: 'boolean', help: 'one JSON document: what was sent, what differed' } },
    details: `These commands then take clickhouse://HOST/DATABASE in place of a case: query, count, top, timeline, fields,
sources, hosts, tag, event, findings, searches and serve.
Events are sent to that server and nowhere else; ?secure=true uses HTTPS. The credentials are CLICKHOUSE_USER and
CLICKHOUSE_PASSWORD. From s3://… or https://… the server reads the hand-over itself, with its own credentials.
An interrupted run resumes when it is started again. Until a run ends, queries see the previous hand-over. What people
added on the cluster (tags, notes, searches, severities) is kept.
The tables, and which queries are translated: docs/team.md.`,
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
        ...differing.map(({ path, message }) => `differed from the hand-over: ${path}: ${message}`),
        ...(differing.length > 0 ? ['the days of these files were loaded again, or removed'] : []),
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
