/** `daybook days`: events by day and kind, from the catalog alone. */
import { eventsByDay } from '../../../engine/operations/case/case-info.ts';
import type { CaseSession } from '../../../engine/search/index.ts';
import { fromCatalog } from '../../../engine/operations/case/latency.ts';
import type { Command } from '../command.ts';
import { table, write } from '../output.ts';
import { withCase } from '../with-case.ts';

interface Day {
  day: string;
  events: number;
  kinds: Record<string, number>;
  segments: number;
  bytes: number;
}

/** In order of time, `undated` last; deleted events are not counted. */
function daysOf(session: CaseSession): Day[] {
  const days = new Map<string, Day>();
  for (const segment of session.snapshot().segments) {
    const left = segment.rows - session.catalog.marks.of(segment.id, 0).length;
    for (const { day: name, events, bytes } of eventsByDay(session, segment, left)) {
      const day = days.get(name) ?? { day: name, events: 0, kinds: {}, segments: 0, bytes: 0 };
      day.events += events;
      day.kinds[segment.kind] = (day.kinds[segment.kind] ?? 0) + events;
      day.segments += 1;
      day.bytes += bytes;
      days.set(name, day);
    }
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

export const daysCommand: Command = {
  spec: {
    name: 'days',
    usage: 'CASE',
    summary: 'Lists the days of a case with their events by kind, segments and size.',
    positionals: { least: 1, most: 1 },
    options: { json: { type: 'boolean', help: 'one JSON document' } },
  },
  async run(parsed, { streams, settings }) {
    return withCase(parsed.positionals[0]!, settings, async (session) => {
      const list = fromCatalog(session, 'case.days', () => daysOf(session));
      if (parsed.flag('json')) {
        await write(streams.out, `${JSON.stringify(list)}\n`);
      } else if (list.length === 0) {
        streams.err.write('the case holds no events yet: daybook import CASE PATH…\n');
      } else {
        const kinds = [...new Set(list.flatMap((day) => Object.keys(day.kinds)))];
        const rows = list.map((day) => [
          day.day,
          day.events,
          ...kinds.map((kind) => day.kinds[kind] ?? 0),
          day.segments,
          day.bytes,
        ]);
        await write(
          streams.out,
          table(['day', 'events', ...kinds, 'segments', 'bytes'], rows, streams.out.columns),
        );
      }
      return 0;
    });
  },
};
