/**
 * Windows' logs of device installation (`setupapi.dev.log`): every section is an event of kind `log` with the time of its
 * start. See docs/importers/setupapi.md.
 *
 * Held always: every line is part of one event, blank, or in quarantine.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import { type ByteOffset, type CutText, TS_BASIS } from '../../engine/contract/event.ts';
import { GIVEN, ZONE_ASSUMED } from '../../engine/contract/time/decisions.ts';
import { resolveZone } from '../../engine/contract/time/zone.ts';
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffHint,
  SniffResult,
} from '../../engine/evidence/importer.ts';
import { CONTINUATION, headLines } from '../shared/lines.ts';
import { type LineTaker, type Place, readLines } from '../shared/read-lines.ts';
import { type LocalTime, LocalTimes } from '../shared/time/local-times.ts';
import { bootTime, isEnd, isExit, isStart, isTitle, type Section, sectionOf } from './section.ts';

const PROGRAM = 'setupapi';
/** Of one event; a longer section is several events with the same time. */
const MAX_LINES = 2000;
const MAX_CHARACTERS = 1 << 20;
const HEADING = '[Device Install Log]';

function sniff(bytes: Uint8Array, { complete }: SniffHint): SniffResult | undefined {
  const lines = headLines(bytes, complete);
  const first = lines.find((line) => line.trim() !== '');
  // A log that was cut at its beginning has no heading, but sections.
  const isSection = lines.some((line, i) => isTitle(line) && isStart(lines[i + 1] ?? ''));
  if (first?.trim() !== HEADING && !isSection) return undefined;
  return { score: isSection ? 0.97 : 0.95, format: 'setupapi' };
}

interface Begun {
  readonly isSection: boolean;
  readonly lines: string[];
  characters: number;
  readonly offset: ByteOffset;
  end: ByteOffset;
  /** What the part of the section before this one says. */
  readonly before: Section | undefined;
}

class SetupApiReader implements LineTaker {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly times: LocalTimes;
  private seq = 0;
  private unended = 0;
  private begun: Begun | undefined;

  constructor(sink: EventSink, { timeZone }: Pick<ReadOptions, 'timeZone'>) {
    this.sink = sink;
    this.batch = sink.batch('log');
    const basis = timeZone === undefined ? ZONE_ASSUMED : GIVEN;
    this.times = new LocalTimes(sink, this.batch, resolveZone(timeZone ?? 'UTC'), basis);
  }

  waitingFrom(): ByteOffset | undefined {
    return this.begun?.offset;
  }

  line(text: string, place: Place): void {
    if (text.trim() === '') {
      this.sink.skip('blank line', 1);
      return;
    }
    const isSection = isTitle(text);
    const boot = bootTime(text);
    // A section that ends nowhere: Windows was stopped.
    if (isSection || boot !== undefined) this.flush();
    const isIndented = text.startsWith(' ');
    if (this.begun?.isSection === false && !isIndented) this.flush();
    if (this.begun !== undefined && this.isFull(this.begun, text)) this.divide(this.begun, place);
    this.begun ??= this.begin(isSection, place, undefined);
    const { begun } = this;
    begun.lines.push(text.trimEnd());
    begun.characters += text.length;
    begun.end = place.end;
    if (boot === undefined && !isExit(text)) return;
    this.emit(begun, boot);
    this.begun = undefined;
  }

  /** No line of a waiting event follows. */
  flush(): void {
    const { begun } = this;
    if (begun === undefined) return;
    // The status is missing where the log was cut, or a version of Windows writes none.
    if (begun.isSection && !isEnd(begun.lines.at(-1)!)) this.unended += 1;
    this.emit(begun, undefined);
    this.begun = undefined;
  }

  end(): void {
    this.flush();
    if (this.unended > 0)
      this.sink.note(
        `${this.unended} of its sections ${this.unended === 1 ? 'has' : 'have'} no end`,
      );
  }

  private begin(isSection: boolean, { offset, end }: Place, before: Section | undefined): Begun {
    return { isSection, lines: [], characters: 0, offset, end, before };
  }

  private isFull({ lines, characters }: Begun, text: string): boolean {
    return lines.length >= MAX_LINES || characters + text.length >= MAX_CHARACTERS;
  }

  /** The rest of a section is another event with its time. */
  private divide(begun: Begun, place: Place): void {
    const section = this.emit(begun, undefined);
    this.begun = this.begin(begun.isSection, place, begun.isSection ? section : undefined);
  }

  private emit(
    { lines, offset, end, isSection, before }: Begun,
    boot: LocalTime | undefined,
  ): Section {
    const { batch } = this;
    const own = sectionOf(lines);
    const section = before === undefined ? own : continued(before, own);
    const row = batch.length;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, end - offset);
    const time = boot ?? (isSection ? section.time : undefined);
    if (time !== undefined) this.times.set(row, time, false);
    if (time !== undefined && before !== undefined)
      batch.ts_basis.set(row, TS_BASIS.zoneDecided | TS_BASIS.inherited);
    batch.program.setString(row, PROGRAM);
    if (isSection) {
      if (section.type !== undefined) batch.event_type.setString(row, section.type);
      for (const [name, value] of Object.entries(section.fields))
        batch.cutText(name as CutText).setString(row, value);
      for (const [name, value] of Object.entries(section.attributes))
        batch.setAttribute(name, value);
    } else if (boot !== undefined) {
      batch.cutText('category').setString(row, 'host');
      batch.cutText('action').setString(row, 'boot');
    }
    batch.message.setString(row, lines.join('\n'));
    batch.endRow();
    this.sink.record(1);
    if (lines.length > 1) this.sink.skip(CONTINUATION, lines.length - 1);
    return section;
  }
}

/** What a further part of a section says, together with the parts before it. */
function continued(before: Section, own: Section): Section {
  return {
    ...{ time: before.time, type: before.type },
    // Only the last part has the status.
    fields: { ...before.fields, ...own.fields },
    attributes: { ...own.attributes, ...before.attributes },
  };
}

export const setupApiImporter: Importer = {
  id: 'setupapi',
  title: 'Windows logs of device installation (setupapi.dev.log)',
  version: 1,
  appendOnly: false,
  byLines: true,
  formats: ['setupapi'],
  sniff,
  read: (input, sink, options) => readLines(input, sink, new SetupApiReader(sink, options)),
};
