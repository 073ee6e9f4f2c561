/** `daybook watch`: a line per change of a case; with a query, the events that arrive. */
import { resolveZone } from '../../../engine/contract/zone.ts';
import { CaseSession } from '../../../engine/operations/case-session.ts';
import { shownRows, startQuery } from '../../../engine/operations/query.ts';
import { watchCase } from '../../../engine/operations/watch.ts';
import type { Command } from '../command.ts';
import { table, visible, write } from '../output.ts';

export const watchCommand: Command = {
  spec: {
    name: 'watch',
    usage: "CASE ['QUERY']",
    summary:
      'Prints a line for every change of a case as it is committed, by whichever process; with a query, the events that arrive.',
    positionals: { least: 1, most: 2 },
    options: {
      tz: { type: 'string', value: 'ZONE', help: 'zone of times shown (default UTC)' },
      json: { type: 'boolean', help: 'one JSON line per change or event' },
    },
    details: 'It runs until ctrl-C.',
  },
  async run(parsed, { streams, settings, signal }) {
    const text = parsed.positionals[1];
    const zone = resolveZone(parsed.text('tz') ?? 'UTC').name;
    const asJson = parsed.flag('json');
    const session = CaseSession.open(parsed.positionals[0]!, {
      memoryLimit: settings.queryMemory,
      threads: settings.threads,
    });
    try {
      // What is wrong with the query is said now, not when the first event comes.
      if (text !== undefined) startQuery(session, { text, zone, operation: 'case.watch' });
      streams.err.write('watching; ctrl-C ends it\n');
      for await (const change of watchCase(session, signal)) {
        if (text === undefined) {
          const line = asJson
            ? JSON.stringify({ at: change.at, operation: change.operation, ...change.detail })
            : `${change.at} ${change.operation} ${visible(JSON.stringify(change.detail))}`;
          await write(streams.out, `${line}\n`);
          continue;
        }
        const segments = change.detail['segments'];
        if (change.operation !== 'import' || !Array.isArray(segments)) continue;
        const running = startQuery(session, {
          text,
          zone,
          signal,
          operation: 'case.watch',
          only: new Set(segments.map(Number)),
        });
        if (running.plan.shape !== 'rows') {
          await write(streams.out, `${JSON.stringify(await running.answer())}\n`);
          continue;
        }
        for await (const records of shownRows(running, zone)) {
          for (const record of records) {
            const shown = asJson
              ? JSON.stringify(record)
              : table(
                  Object.keys(record),
                  [
                    Object.values(record).map((value) =>
                      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
                    ),
                  ],
                  streams.out.columns,
                ).split('\n')[1]!;
            await write(streams.out, `${shown}\n`);
          }
        }
      }
      return 0;
    } finally {
      await session.close();
    }
  },
};
