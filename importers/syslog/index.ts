/**
 * Importer of logs made of lines: syslog in all its writings, journal exports, and the text logs
 * that stand beside them. What it reads, decides and does not read: docs/importers/syslog.md.
 */
import type { Importer, ReadOptions, SourceInput } from '../../engine/contract/importer.ts';
import { resolveZone } from '../../engine/contract/zone.ts';
import { looksFramed } from './frames.ts';
import { looksJournald, readJournald } from './journald.ts';
import { readLog, scanYears } from './read.ts';
import { sniffLog } from './sniff.ts';

const HEAD_BYTES = 65_536;
const FRAMED = 'rfc6587';
const JOURNALD = 'journald-export';
/** Dialects of lines: told apart for people, read alike. */
const LINES = [
  'rfc5424',
  'rfc3164',
  'iso8601',
  'kernel',
  'cisco',
  'access',
  'epoch',
  'text',
] as const;

/** What `read` must know before it begins: lines, frames or journal entries. */
async function layout(input: SourceInput, format: string): Promise<'lines' | 'frames' | 'journal'> {
  if (format === FRAMED) return 'frames';
  if (format === JOURNALD) return 'journal';
  if (LINES.some((name) => name === format)) return 'lines';
  const head = new Uint8Array(HEAD_BYTES);
  let filled = 0;
  try {
    for await (const block of input.blocks()) {
      const part = block.subarray(0, HEAD_BYTES - filled);
      head.set(part, filled);
      filled += part.length;
      if (filled === HEAD_BYTES) break;
    }
  } catch {
    // The reading meets the same and says so; what came before decides.
  }
  const seen = head.subarray(0, filled);
  if (looksJournald(seen)) return 'journal';
  return looksFramed(seen, filled < HEAD_BYTES) ? 'frames' : 'lines';
}

/**
 * The first date without a year in a log, with the year it gets by these options: what `before` is
 * for the next older member of a rotated set. Reads the whole content once, writes nothing.
 * Undefined when no time lacks its year. The same as the metadata `first_date` of a read.
 */
export async function firstDate(
  input: SourceInput,
  options: Pick<ReadOptions, 'year' | 'before' | 'format'>,
): Promise<{ year: number; month: number; day: number } | undefined> {
  const kind = await layout(input, options.format);
  if (kind === 'journal') return undefined;
  const scan = await scanYears(input, kind === 'frames');
  return scan.plan(options, input.modifiedMs).start;
}

export const syslogImporter: Importer = {
  id: 'syslog',
  title: 'Syslog and other text logs',
  version: 1,
  // But for the last event, to which lines that were appended since may belong.
  appendOnly: true,
  formats: [...LINES, FRAMED, JOURNALD],
  sniff: (head, hint) => sniffLog(head, hint),
  firstDate,
  async read(input, sink, options) {
    const zone = resolveZone(options.timeZone ?? 'UTC');
    const kind = await layout(input, options.format);
    sink.metadata('layout', kind);
    if (kind === 'journal') await readJournald(input, sink);
    else await readLog(input, sink, options, zone, kind === 'frames');
  },
};
