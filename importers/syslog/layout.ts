/** How a log is written: lines, frames or journal entries. */
import type { SourceInput } from '../../engine/contract/importer.ts';
import { looksFramed } from './frames.ts';
import { looksJournald } from './journald.ts';

const HEAD_BYTES = 65_536;
export const FRAMED = 'rfc6587';
export const JOURNALD = 'journald-export';
/** Dialects of lines: told apart for people, read alike. */
export const LINES = [
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
export async function layout(
  input: SourceInput,
  format: string,
): Promise<'lines' | 'frames' | 'journal'> {
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
