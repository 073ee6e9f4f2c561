/**
 * Logs of remote-access tools, one event of kind `log` a record: who connected, from where, and whether the connection
 * was accepted. See docs/importers/remote-access.md.
 *
 * Held always: every line is part of one event, blank, a separator, or in quarantine.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import { SourceError } from '../../engine/contract/errors.ts';
import type { ByteOffset, CutText } from '../../engine/contract/event.ts';
import { GIVEN, ZONE_ASSUMED } from '../../engine/contract/time/decisions.ts';
import { resolveZone } from '../../engine/contract/time/zone.ts';
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffHint,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { CONTINUATION, headLines, LineReader } from '../shared/lines.ts';
import { type LineTaker, MAX_LINE, type Place, readLines } from '../shared/read-lines.ts';
import { LocalTimes } from '../shared/time/local-times.ts';
import { ANYDESK } from './anydesk.ts';
import type { LogFormat, RemoteRecord } from './record.ts';
import { statedOffset, TEAMVIEWER } from './teamviewer.ts';

const FORMATS: readonly LogFormat[] = [...ANYDESK, ...TEAMVIEWER];
/** Of one record; lines beyond these are events of their own, without a time. */
const MAX_RECORD_LINES = 2000;
const MAX_RECORD_CHARACTERS = 1 << 20;
/** Lines of the head that decide. */
const FIRST_LINES = 60;

function sniff(bytes: Uint8Array, { complete }: SniffHint): SniffResult | undefined {
  const lines = headLines(bytes, complete);
  const first = lines.filter((line) => line.trim() !== '').slice(0, FIRST_LINES);
  const found = FORMATS.find(({ record, hasContinuations, separator, sign }) => {
    if (sign !== undefined && !sign.test(first.join('\n'))) return false;
    const records = first.filter((line) => record(line) !== undefined).length;
    // A record may have many lines, and a heading of TeamViewer has some twenty.
    const others = first.filter((line) => separator?.test(line) !== true).length;
    return records > 0 && records * (hasContinuations ? 4 : 2) >= others;
  });
  const isBegun = statedOffset(first[0] ?? '') !== undefined;
  const format = found?.id ?? (isBegun ? 'teamviewer-log' : undefined);
  return format === undefined ? undefined : { score: 0.95, format };
}

interface Begun {
  readonly record: RemoteRecord;
  readonly lines: string[];
  characters: number;
  readonly offset: ByteOffset;
  end: ByteOffset;
}

class RemoteLogReader implements LineTaker {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly format: LogFormat;
  private readonly times: LocalTimes;
  private seq = 0;
  private begun: Begun | undefined;

  constructor(sink: EventSink, format: LogFormat, timeZone: string | undefined, basis: string) {
    this.sink = sink;
    this.batch = sink.batch('log');
    this.format = format;
    this.times = new LocalTimes(sink, this.batch, resolveZone(timeZone ?? 'UTC'), basis);
  }

  waitingFrom(): ByteOffset | undefined {
    return this.begun?.offset;
  }

  line(text: string, { offset, end }: Place): void {
    const { begun, format } = this;
    if (text.trim() === '') {
      this.sink.skip('blank line', 1);
      return;
    }
    if (format.separator?.test(text) === true) {
      this.flush();
      this.sink.skip('line of stars between two runs', 1);
      return;
    }
    const record = format.record(text);
    const hasRoom =
      begun !== undefined &&
      begun.lines.length < MAX_RECORD_LINES &&
      begun.characters + text.length < MAX_RECORD_CHARACTERS;
    if (record === undefined && hasRoom) {
      begun.lines.push(text.trimEnd());
      begun.characters += text.length;
      begun.end = end;
      return;
    }
    this.flush();
    const next: Begun = {
      record: record ?? { time: undefined, program: '', message: text.trimEnd() },
      ...{ lines: [], characters: text.length, offset, end },
    };
    if (record !== undefined && format.hasContinuations) this.begun = next;
    else this.emit(next);
  }

  /** No line of a waiting record follows. */
  flush(): void {
    if (this.begun === undefined) return;
    this.emit(this.begun);
    this.begun = undefined;
  }

  end(): void {
    this.flush();
  }

  private emit({ record, lines, offset, end }: Begun): void {
    const { batch } = this;
    const { time, program, severity, pid, eventType, fields = {}, attributes = {} } = record;
    const row = batch.length;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, end - offset);
    if (time !== undefined) this.times.set(row, time, this.format.isUtc);
    if (program !== '') batch.program.setString(row, program);
    if (severity !== undefined) batch.severity.set(row, severity);
    if (pid !== undefined) batch.pid.set(row, pid);
    if (eventType !== undefined) batch.event_type.setString(row, eventType);
    for (const [name, value] of Object.entries(fields))
      batch.cutText(name as CutText).setString(row, value);
    for (const [name, value] of Object.entries(attributes)) batch.setAttribute(name, value);
    const message = [record.message, ...lines].join('\n');
    if (message !== '') batch.message.setString(row, message);
    batch.endRow();
    this.sink.record(1);
    if (lines.length > 0) this.sink.skip(CONTINUATION, lines.length);
  }
}

/** The offset that the first heading of TeamViewer in the content states, and whether another one states another. */
async function offsetIn(
  input: SourceInput,
): Promise<{ readonly offset: string | undefined; readonly isOne: boolean }> {
  const lines = new LineReader(input.blocks(), { size: input.size, maxLine: MAX_LINE });
  let first: string | undefined;
  let isOne = true;
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        const { buffer, lineStart, lineEnd } = lines;
        // `S` of `Start:`.
        if (buffer[lineStart] !== 83) continue;
        const offset = statedOffset(
          Buffer.from(buffer.subarray(lineStart, lineEnd)).toString('latin1'),
        );
        first ??= offset;
        if (offset !== undefined && offset !== first) isOne = false;
      }
    }
  } catch (error) {
    // The reading of records reports it.
    if (!(error instanceof SourceError)) throw error;
  }
  return { offset: first, isOne };
}

async function read(input: SourceInput, sink: EventSink, options: ReadOptions): Promise<void> {
  const format = FORMATS.find(({ id }) => id === options.format) ?? FORMATS[0]!;
  const { timeZone } = options;
  const isAsked = format.isUtc || timeZone !== undefined;
  const { offset, isOne } = isAsked ? { offset: undefined, isOne: true } : await offsetIn(input);
  if (!isOne)
    sink.note(
      `its headings state several offsets from UTC: all times were read with the first, ${offset!} (change it with --tz)`,
    );
  const stated = offset === undefined ? ZONE_ASSUMED : 'stated by the heading of the log';
  const basis = timeZone === undefined ? stated : GIVEN;
  await readLines(input, sink, new RemoteLogReader(sink, format, timeZone ?? offset, basis));
}

export const remoteAccessImporter: Importer = {
  id: 'remote-access',
  title: 'Logs of remote-access tools: AnyDesk, TeamViewer',
  // 2: lines of stars divide AnyDesk's traces only.
  version: 2,
  appendOnly: false,
  byLines: true,
  formats: FORMATS.map(({ id }) => id),
  sniff,
  read,
};
