/** `daybook retime`: changes decisions about the times of sources. */
import { counted } from '../../../engine/contract/words/counted.ts';
import { retimeSources, type RetimeReport } from '../../../engine/operations/case/retime.ts';
import { rewriteMemoryOf } from '../../../engine/operations/system/settings.ts';
import { EXIT, dateOrderOf, type Command } from '../command.ts';
import { isoMicros, visible, write } from '../output.ts';

export const retimeCommand: Command = {
  spec: {
    name: 'retime',
    usage: 'CASE SOURCE…',
    summary:
      'Changes the zone, year, date order or clock error decided for sources, without reading them again.',
    positionals: { least: 2, most: Infinity },
    options: {
      tz: {
        type: 'string',
        value: 'ZONE',
        help: 'zone for times without one, such as Europe/Berlin or +02:00',
      },
      year: { type: 'string', value: 'N', help: "year of the source's last record" },
      'date-order': {
        type: 'string',
        value: 'ORDER',
        help: 'order of numeric dates: dmy, mdy or ymd',
      },
      clock: {
        type: 'string',
        value: 'ERROR',
        help: 'error of the clock that wrote the times, such as "90s fast" or "1h2m slow"; times are corrected by it; "right" removes the correction',
      },
      json: { type: 'boolean', help: 'one JSON line per source' },
    },
    details: `SOURCE is the number or the name that \`daybook sources\` shows, or the end of its path. A zone, year or date order that a record states itself is never changed; a clock error applies to every time of the source.
All named sources are changed in one step, except those that cannot be (nothing was decided for them, or they were not read to their end): these are listed, and the exit status is 3.`,
  },
  async run(parsed, { streams, settings, signal }) {
    const [folder, ...sources] = parsed.positionals as [string, ...string[]];
    const { reports, left } = await retimeSources({
      ...{ folder, sources, signal },
      timeZone: parsed.text('tz'),
      year: parsed.whole('year', 1970),
      dateOrder: dateOrderOf(parsed),
      clock: parsed.text('clock'),
      builder: {
        memoryLimit: rewriteMemoryOf(settings.queryMemory),
        threads: settings.threads,
      },
    });
    const print = parsed.flag('json') ? jsonLine : forPeople;
    for (const report of reports) await write(streams.out, print(report));
    for (const { source, reason } of left)
      streams.err.write(`${visible(source)} stays as it is: ${visible(reason)}\n`);
    return left.length > 0 ? EXIT.notAllRight : EXIT.done;
  },
};

type Span = RetimeReport['before'];

function jsonLine({ before, after, ...rest }: RetimeReport): string {
  const times = (one: Span) => ({
    ...one,
    first: isoMicros(one.first),
    last: isoMicros(one.last),
  });
  return `${JSON.stringify({ ...rest, before: times(before), after: times(after) })}\n`;
}

function forPeople({ source, events, before, after }: RetimeReport): string {
  const span = (one: Span) =>
    `${isoMicros(one.first) ?? 'no time'} … ${isoMicros(one.last) ?? 'no time'}`;
  return `${visible(source)}: ${counted(events, 'event')}\n  before: ${span(before)}\n  now:    ${span(after)}\n`;
}
