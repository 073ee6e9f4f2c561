/** `daybook retime`: changes the decided zone, year or date order of a source. */
import { counted } from '../../../engine/contract/counted.ts';
import { retimeSource } from '../../../engine/operations/case/retime.ts';
import { dateOrderOf, type Command } from '../command.ts';
import { isoMicros, visible, write } from '../output.ts';

export const retimeCommand: Command = {
  spec: {
    name: 'retime',
    usage: 'CASE SOURCE',
    summary:
      'Changes the zone, the year or the date order that was decided for a source, without reading the source again.',
    positionals: { least: 2, most: 2 },
    options: {
      tz: {
        type: 'string',
        value: 'ZONE',
        help: 'zone of the times that state none, such as Europe/Berlin or +02:00',
      },
      year: { type: 'string', value: 'N', help: "year of the source's last record" },
      'date-order': {
        type: 'string',
        value: 'ORDER',
        help: 'order of dates that are three numbers: dmy, mdy or ymd',
      },
      json: { type: 'boolean', help: 'one JSON document' },
    },
    details:
      'SOURCE is the number or the name that `daybook sources` shows, or the end of its path. What a record states itself is never changed.',
  },
  async run(parsed, { streams, settings }) {
    const report = await retimeSource({
      folder: parsed.positionals[0]!,
      source: parsed.positionals[1]!,
      timeZone: parsed.text('tz'),
      year: parsed.whole('year', 1970),
      dateOrder: dateOrderOf(parsed),
      builder: { memoryLimit: settings.importMemory, threads: settings.threads },
    });
    if (parsed.flag('json')) {
      const { before, after, ...rest } = report;
      const times = (one: typeof before) => ({
        ...one,
        first: isoMicros(one.first),
        last: isoMicros(one.last),
      });
      await write(
        streams.out,
        `${JSON.stringify({ ...rest, before: times(before), after: times(after) })}\n`,
      );
    } else {
      const span = (one: { first: number | undefined; last: number | undefined }) =>
        `${isoMicros(one.first) ?? 'no time'} … ${isoMicros(one.last) ?? 'no time'}`;
      await write(
        streams.out,
        `${visible(report.source)}: ${counted(report.events, 'event')}\n  before: ${span(report.before)}\n  now:    ${span(report.after)}\n`,
      );
    }
    return 0;
  },
};
