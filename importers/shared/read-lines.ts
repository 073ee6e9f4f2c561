/** Gives the lines of a content to what makes events of them, for formats in which speed does not matter. */
import { isUtf8 } from 'node:buffer';
import { SourceError } from '../../engine/contract/errors.ts';
import type { ByteOffset } from '../../engine/contract/event.ts';
import type { EventSink, SourceInput } from '../../engine/evidence/importer.ts';
import { LineReader } from './lines.ts';

export const MAX_LINE = 1024 * 1024;
const MAX_RAW = 64 * 1024;
const windows1252 = new TextDecoder('windows-1252');

/** A piece of the content. */
export interface Place {
  readonly offset: ByteOffset;
  readonly end: ByteOffset;
}

export interface LineTaker {
  /** @param text a line without its end */
  line(text: string, place: Place): void;
  /** The next line continues no event: the line before it was quarantined. */
  flush?(): void;
  /** No line follows. */
  end(): void;
  /** The start of the event that waits for more lines, if any. */
  waitingFrom?(): ByteOffset | undefined;
}

/**
 * A line of more than 1 MiB is quarantined, in pieces of that size. One that is not UTF-8 is read as Windows-1252.
 * @throws SourceError where the content breaks off; all that came before it is with the sink then
 */
export async function readLines(
  input: SourceInput,
  sink: EventSink,
  taker: LineTaker,
): Promise<void> {
  const lines = new LineReader(input.blocks(), { size: input.size, maxLine: MAX_LINE });
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        const { buffer, lineStart, lineEnd, lineOffset, lineLength, lineNumber } = lines;
        const bytes = buffer.subarray(lineStart, lineEnd);
        if (lines.truncated) {
          taker.flush?.();
          const raw = bytes.subarray(0, MAX_RAW);
          sink.quarantine(lineOffset, `line longer than ${MAX_LINE} bytes`, raw, lineNumber);
        } else {
          const text = isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes);
          taker.line(text, { offset: lineOffset, end: lineOffset + lineLength });
        }
      }
      await sink.drain(taker.waitingFrom?.() ?? lines.consumed);
    }
  } catch (error) {
    if (error instanceof SourceError) taker.end();
    else await lines.close();
    throw error;
  }
  taker.end();
}
