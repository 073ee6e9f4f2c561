/** `daybook watch`: a line per change of a case; with a query, the events that arrive. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { resolveZone } from '../../../engine/contract/time/zone.ts';
import {
  isSame,
  reachedBy,
  shownRows,
  type ShownRecord,
  type ShownValue,
  askQuery,
} from '../../../engine/search/index.ts';
import { watchCase } from '../../../engine/operations/case/watch.ts';
import type { Command } from '../command.ts';
import { visible, write } from '../output.ts';
import { withCase } from '../with-case.ts';

/** A change in a few words; `--json` has all details. */
function changeText(operation: string, detail: Readonly<Record<string, unknown>>): string {
  const words = [operation];
  for (const key of ['name', 'reason']) {
    if (typeof detail[key] === 'string') words.push(detail[key]);
  }
  if (typeof detail['rows'] === 'number') words.push(counted(detail['rows'], 'event', 'events'));
  if (Array.isArray(detail['kinds'])) words.push(`(${detail['kinds'].join(', ')})`);
  if (Array.isArray(detail['sources']))
    words.push('of', counted(detail['sources'].length, 'source', 'sources'));
  if (Array.isArray(detail['days']))
    words.push('on', counted(detail['days'].length, 'day', 'days'));
  return words.join(' ');
}

/** Fields about the location of an event rather than its content. */
const WHERE_IT_LIES: ReadonlySet<string> = new Set(['event_id', 'offset', 'length', 'captured']);

/** An event on one line: its time, then `name=value`, the message last. */
function eventText(record: ShownRecord): string {
  const { ts, message, ...rest } = record;
  const words = [ts === undefined || ts === null ? 'no time' : plain(ts)];
  for (const [name, value] of Object.entries(rest)) {
    if (value !== null && !WHERE_IT_LIES.has(name)) words.push(`${name}=${plain(value)}`);
  }
  if (message !== undefined && message !== null) words.push(plain(message));
  return words.join(' ');
}

function plain(value: ShownValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export const watchCommand: Command = {
  spec: {
    name: 'watch',
    usage: "CASE ['QUERY']",
    summary:
      'Prints a line for every change of a case as it is committed, by any process; with a query, the events that arrive.',
    positionals: { least: 1, most: 2 },
    options: {
      tz: { type: 'string', value: 'ZONE', help: 'zone of times shown (default UTC)' },
      json: { type: 'boolean', help: 'one JSON line per change or event' },
    },
    details:
      'It runs until ctrl-C. With a query, the flows of a capture arrive once the whole capture is imported.',
  },
  async run(parsed, { streams, settings, signal }) {
    const text = parsed.positionals[1];
    const zone = resolveZone(parsed.text('tz') ?? 'UTC').name;
    const asJson = parsed.flag('json');
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      // Errors in the query are reported now, not when the first event arrives.
      if (text !== undefined) await askQuery(session, { text, zone, operation: 'case.watch' });
      const changes = watchCase(session, signal);
      let reached = text === undefined ? undefined : await reachedBy(session);
      streams.err.write('watching; ctrl-C ends it\n');
      for await (const change of changes) {
        if (text === undefined || reached === undefined) {
          const line = asJson
            ? JSON.stringify({ at: change.at, operation: change.operation, ...change.detail })
            : `${change.at} ${visible(changeText(change.operation, change.detail))}`;
          await write(streams.out, `${line}\n`);
          continue;
        }
        if (change.operation !== 'import') continue;
        const now = await reachedBy(session);
        // Reported already, with another change of the same commit.
        if (isSame(reached, now)) continue;
        const running = await askQuery(session, {
          text,
          zone,
          signal,
          operation: 'case.watch',
          arrived: { after: reached, until: now },
        });
        reached = now;
        if (running.plan.shape !== 'rows') {
          await write(streams.out, `${JSON.stringify(await running.answer())}\n`);
          continue;
        }
        for await (const records of shownRows(running, zone)) {
          for (const record of records) {
            const shown = asJson ? JSON.stringify(record) : visible(eventText(record));
            await write(streams.out, `${shown}\n`);
          }
        }
      }
      return 0;
    });
  },
};
