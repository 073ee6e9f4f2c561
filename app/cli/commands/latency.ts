/** `daybook latency`: costs of a case's operations. */
import {
  latencySummary,
  type LatencySummary,
  type OperationRow,
  recentOperations,
} from '../../../engine/operations/case/latency.ts';
import type { Command } from '../command.ts';
import { table, write } from '../output.ts';
import { withCase } from '../with-case.ts';

export const latencyCommand: Command = {
  spec: {
    name: 'latency',
    usage: 'CASE',
    summary:
      'Shows how long operations on this case took, which access paths they used and how many rows they examined.',
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
      if (session.catalog.readOnly)
        streams.err.write('this case is read-only: operations on it are not recorded\n');
      const recent = parsed.whole('recent', 1);
      const { columns } = streams.out;
      const shown = (rows: readonly unknown[], text: () => string): Promise<void> | void => {
        if (parsed.flag('json')) return write(streams.out, `${JSON.stringify(rows)}\n`);
        if (rows.length > 0) return write(streams.out, text());
        streams.err.write('no operation on this case was recorded yet\n');
      };
      if (recent === undefined) {
        const summary = latencySummary(session);
        await shown(summary, () => summaryTable(summary, columns));
      } else {
        const operations = recentOperations(session, recent);
        await shown(operations, () => recentTable(operations, columns));
      }
      return 0;
    });
  },
};

function recentTable(operations: readonly OperationRow[], columns: number | undefined): string {
  const rows = operations.map((one) => [
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
  return table(['at', 'operation', 'ms', 'spans', 'path', 'examined', 'text'], rows, columns);
}

const SUMMARY_HEADINGS = [
  ...['operation', 'count', 'failed', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'],
  ...['paths', 'rows examined'],
];

function summaryTable(summary: readonly LatencySummary[], columns: number | undefined): string {
  const ms = (value: number) => value.toFixed(1);
  const rows = summary.map((one) => [
    ...[one.operation, one.count, one.failed, ms(one.p50), ms(one.p95), ms(one.p99), ms(one.max)],
    Object.entries(one.paths)
      .map(([path, n]) => `${path} ${n}`)
      .join(', '),
    one.rowsExamined,
  ]);
  return table(SUMMARY_HEADINGS, rows, columns);
}
