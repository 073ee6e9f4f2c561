/** `daybook latency`: costs of a case's operations. */
import { latencySummary, recentOperations } from '../../../engine/operations/case/latency.ts';
import type { Command } from '../command.ts';
import { table, write } from '../output.ts';
import { withCase } from '../with-case.ts';

export const latencyCommand: Command = {
  spec: {
    name: 'latency',
    usage: 'CASE',
    summary:
      'Shows how long operations on this case took, which path they went and how much they looked at.',
    positionals: { least: 1, most: 1 },
    options: {
      recent: {
        type: 'string',
        value: 'N',
        help: 'list the last N operations instead of the summary',
      },
      json: { type: 'boolean', help: 'one JSON document' },
    },
  },
  async run(parsed, { streams, settings }) {
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      const recent = parsed.whole('recent', 1);
      if (recent !== undefined) {
        const list = recentOperations(session, recent);
        const rows = list.map((one) => [
          one.at,
          one.operation,
          Math.round(one.totalMs * 10) / 10,
          Object.entries(one.spans)
            .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
            .join(', '),
          one.path ?? '',
          one.rowsExamined ?? null,
          one.text ?? '',
        ]);
        await write(
          streams.out,
          parsed.flag('json')
            ? `${JSON.stringify(list)}\n`
            : table(
                ['at', 'operation', 'ms', 'spans', 'path', 'examined', 'text'],
                rows,
                streams.out.columns,
              ),
        );
        return 0;
      }
      const summary = latencySummary(session);
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify(summary)}\n`);
      } else if (summary.length === 0) {
        streams.err.write('nothing was measured on this case yet\n');
      } else {
        const ms = (value: number) => value.toFixed(1);
        const rows = summary.map((one) => [
          one.operation,
          one.count,
          one.failed,
          ms(one.p50),
          ms(one.p95),
          ms(one.p99),
          ms(one.max),
          Object.entries(one.paths)
            .map(([path, n]) => `${path} ${n}`)
            .join(', '),
          one.rowsExamined,
        ]);
        await write(
          streams.out,
          table(
            [
              'operation',
              'count',
              'failed',
              'p50 ms',
              'p95 ms',
              'p99 ms',
              'max ms',
              'paths',
              'rows examined',
            ],
            rows,
            streams.out.columns,
          ),
        );
      }
      return 0;
    });
  },
};
