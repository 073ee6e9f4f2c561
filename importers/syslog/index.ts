/**
 * Importer of logs made of lines: syslog in all its forms, journal exports, and other text logs.
 * docs/importers/syslog.md describes what it reads, decides and does not read.
 */
import type {
  Importer,
  ReadLines,
  ReadOptions,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { resolveZone } from '../../engine/contract/time/zone.ts';
import { scanDates } from './dates.ts';
import { readJournald } from './journald.ts';
import { FRAMED, JOURNALD, layout, LINES, mixedLayout, XML } from './layout.ts';
import { readLog } from './read.ts';
import { sniffLog } from './sniff.ts';

/**
 * The first date without a year in a log, with the year it gets by these options: the `before` of the next older
 * member of a rotated set. Reads the whole content once, writes nothing. Undefined if every time has its year. The
 * same as the metadata `first_date` of a read.
 */
export async function firstDate(
  input: SourceInput,
  options: Pick<ReadOptions, 'year' | 'before' | 'format'>,
): Promise<{ year: number; month: number; day: number } | undefined> {
  const found = await layout(input, options.format);
  if (found.kind === 'journal') return undefined;
  const { years } = await scanDates(input, found);
  return years.plan(options, input.modifiedMs).start;
}

/** Reads lines of a log among which others are records. */
export const readMixedLines: ReadLines = async (input, sink, options, records) => {
  const zone = resolveZone(options.timeZone ?? 'UTC');
  await readLog(input, sink, options, zone, await mixedLayout(input, records));
};

export const syslogImporter: Importer = {
  id: 'syslog',
  title: 'Syslog and other text logs',
  // 3: lines without a header are records of their own, but for known forms of several lines.
  // 4: one order of dates for all of a log; years by what the log states.
  // 5: columns of W3C logs, by their headings.
  // 6: events of an XML document, one by one.
  // 7: the same in UTF-16.
  // 9: no host of a word that nothing but text follows.
  // 11: hours of the afternoon after any blank.
  // 15, 16: priorities of ESXi 8, also after a host.
  // 17: a host that is written twice.
  // 18: times of FileZilla Server and Zabbix, priorities of AIX, types of macOS' unified log, glog's severities; day
  // first in Proxmox's access log, no host in Prosody's log, no time of SQL Server's build;
  // the server that writes a tracking log of Exchange, and its mails.
  // 19: levels in the logs of virtual machines of ESXi.
  // 20: the host before a TAB after a priority, and an address there.
  // 21: doubled quotes between the commas of Exchange's logs, whose type is a heading.
  version: 21,
  // But for the last event, to which lines that were appended since may belong.
  appendOnly: true,
  byLines: true,
  readsOn: true,
  formats: [...LINES, FRAMED, XML, JOURNALD],
  sniff: (head, hint) => sniffLog(head, hint),
  firstDate,
  async read(input, sink, options) {
    const zone = resolveZone(options.timeZone ?? 'UTC');
    const found = await layout(input, options.format);
    sink.metadata('layout', found.kind);
    if (found.kind === 'journal') await readJournald(input, sink);
    else await readLog(input, sink, options, zone, found);
  },
};
