/**
 * Importer of logs made of lines: syslog in all its writings, journal exports, and the text logs
 * that stand beside them. What it reads, decides and does not read: docs/importers/syslog.md.
 */
import type { Importer, ReadOptions, SourceInput } from '../../engine/contract/importer.ts';
import { resolveZone } from '../../engine/contract/zone.ts';
import { readJournald } from './journald.ts';
import { FRAMED, JOURNALD, layout, LINES } from './layout.ts';
import { logPieces } from './pieces.ts';
import { readLog, scanYears } from './read.ts';
import { sniffLog } from './sniff.ts';

/**
 * The first date without a year in a log, with the year it gets by these options: what `before` is
 * for the next older member of a rotated set. Reads the whole content once, writes nothing.
 * Undefined when no time lacks its year. The same as the metadata `first_date` of a read.
 */
export async function firstDate(
  input: SourceInput,
  options: Pick<ReadOptions, 'year' | 'before' | 'format'>,
): Promise<{ year: number; month: number; day: number } | undefined> {
  const { kind, shape } = await layout(input, options.format);
  if (kind === 'journal') return undefined;
  const scan = await scanYears(input, kind === 'frames', shape);
  return scan.plan(options, input.modifiedMs).start;
}

export const syslogImporter: Importer = {
  id: 'syslog',
  title: 'Syslog and other text logs',
  // 3: lines without a header are records of their own, but for known forms of several lines.
  version: 3,
  // But for the last event, to which lines that were appended since may belong.
  appendOnly: true,
  byLines: true,
  formats: [...LINES, FRAMED, JOURNALD],
  sniff: (head, hint) => sniffLog(head, hint),
  pieces: logPieces,
  firstDate,
  async read(input, sink, options) {
    const zone = resolveZone(options.timeZone ?? 'UTC');
    const { kind, shape } = await layout(input, options.format);
    sink.metadata('layout', kind);
    if (kind === 'journal') await readJournald(input, sink);
    else await readLog(input, sink, options, zone, kind === 'frames', shape);
  },
};
