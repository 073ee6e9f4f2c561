/**
 * ModSecurity audit logs, serial form: every transaction is an event of kind `log`. See docs/importers/modsecurity.md.
 *
 * Held always: every line is part of one event, blank, or in quarantine.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import { type ByteOffset, type CutText, TS_BASIS } from '../../engine/contract/event.ts';
import type {
  EventSink,
  Importer,
  SniffHint,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import { CONTINUATION, headAsText } from '../shared/lines.ts';
import { type LineTaker, type Place, readLines } from '../shared/read-lines.ts';
import { beginsWithin } from './begins.ts';
import { boundaryOf, isHead, type Transaction, transactionOf } from './transaction.ts';

/** Of one event. */
const MAX_LINES = 2000;
const MAX_CHARACTERS = 1 << 20;

function sniff(bytes: Uint8Array, { complete }: SniffHint): SniffResult | undefined {
  const lines = Buffer.from(headAsText(bytes)).toString('latin1').split('\n');
  if (!complete) lines.pop();
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0 || boundaryOf(lines[first]!)?.section !== 'A' || !isHead(lines[first + 1] ?? ''))
    return undefined;
  return { score: 0.95, format: 'modsecurity-audit' };
}

interface Line extends Place {
  readonly text: string;
}

interface Begun {
  readonly id: string;
  readonly isWhole: boolean;
  lines: Line[];
  characters: number;
  /** The text of the events before this one, where the transaction is longer than an event. */
  before: Transaction | undefined;
}

class AuditReader implements LineTaker {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly begins: ReadonlySet<ByteOffset>;
  private readonly address = new Uint8Array(16);
  private seq = 0;
  private unended = 0;
  private begun: Begun | undefined;

  /** @param begins of transactions within others that have no end */
  constructor(sink: EventSink, begins: ReadonlySet<ByteOffset>) {
    this.sink = sink;
    this.batch = sink.batch('log');
    this.begins = begins;
  }

  waitingFrom(): ByteOffset | undefined {
    return this.begun?.lines[0]?.offset;
  }

  line(text: string, { offset, end }: Place): void {
    const boundary = boundaryOf(text);
    const isWhole = boundary?.section === 'A';
    if (isWhole && (this.begun?.isWhole === false || this.begins.has(offset))) this.giveUp();
    if (this.begun === undefined) {
      if (boundary === undefined) {
        if (text.trim() === '') this.sink.skip('blank line', 1);
        else this.emit([{ text, offset, end }], {});
        return;
      }
      const { id } = boundary;
      this.begun = { id, isWhole, lines: [], characters: 0, before: undefined };
    }
    const { begun } = this;
    begun.lines.push({ text, offset, end });
    begun.characters += text.length;
    if (boundary?.section === 'Z' && boundary.id === begun.id) {
      this.flush();
      this.begun = undefined;
    } else if (begun.lines.length >= MAX_LINES || begun.characters >= MAX_CHARACTERS) {
      this.flush();
    }
  }

  /** The rest of the transaction after these lines is another event with its time. */
  flush(): void {
    const { begun } = this;
    if (begun === undefined || begun.lines.length === 0) return;
    const { id, lines, before } = begun;
    const texts = lines.map(({ text }) => text);
    const found = { ...transactionOf(texts, id, before?.section), ...startOf(before) };
    this.emit(lines, found, before !== undefined);
    this.begun = { ...begun, lines: [], characters: 0, before: found };
  }

  end(): void {
    this.giveUp();
    const { unended } = this;
    if (unended > 0)
      this.sink.note(`${unended} of its transactions ${unended === 1 ? 'has' : 'have'} no end`);
  }

  /** The transaction has no end. */
  private giveUp(): void {
    if (this.begun === undefined) return;
    this.flush();
    this.begun = undefined;
    this.unended += 1;
  }

  private emit(lines: readonly Line[], found: Transaction, isInherited = false): void {
    const { batch } = this;
    const row = batch.length;
    const { offset } = lines[0]!;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, lines.at(-1)!.end - offset);
    const { time, source, sourcePort, target, targetPort } = found;
    if (time !== undefined) {
      batch.ts.set(row, time.seconds * 1e6 + time.micros);
      batch.ts_digits.set(row, time.digits);
      batch.tz_offset.set(row, time.offset);
      batch.ts_basis.set(row, isInherited ? TS_BASIS.inherited : 0);
    }
    if (source !== undefined) this.setEnd('src', row, source);
    if (target !== undefined) this.setEnd('dst', row, target);
    if (sourcePort !== undefined) batch.src_port.set(row, sourcePort);
    if (targetPort !== undefined) batch.dst_port.set(row, targetPort);
    const texts: Partial<Record<CutText, string | undefined>> = {
      ...{ category: 'web', session: found.session, url: found.url, http_method: found.method },
      ...{ http_status: found.status, user_agent: found.userAgent, referrer: found.referrer },
      ...{ dst_domain: found.host, reason: found.reason, event_code: found.rule },
    };
    for (const [name, value] of Object.entries(texts))
      if (value !== undefined) batch.cutText(name as CutText).setString(row, value);
    batch.message.setString(row, lines.map(({ text }) => text).join('\n'));
    batch.endRow();
    this.sink.record(1);
    if (lines.length > 1) this.sink.skip(CONTINUATION, lines.length - 1);
  }

  private setEnd(side: 'src' | 'dst', row: number, text: string): void {
    const { batch, address } = this;
    const bytes = Buffer.from(text);
    const four = parseIpv4(bytes, 0, bytes.length);
    if (four >= 0) batch[`${side}_ip4`].set(row, four);
    else if (!parseIpv6(bytes, 0, bytes.length, address, 0)) return;
    else if (side === 'src') batch.setSource6(row, address, 0);
    else batch.setTarget6(row, address, 0);
  }
}

/** Fields that all events of a transaction share. */
function startOf(before: Transaction | undefined): Partial<Transaction> {
  return before === undefined ? {} : { time: before.time, session: before.session };
}

async function read(input: SourceInput, sink: EventSink): Promise<void> {
  await readLines(input, sink, new AuditReader(sink, await beginsWithin(input)));
}

export const modsecurityImporter: Importer = {
  id: 'modsecurity',
  title: 'ModSecurity audit logs',
  version: 1,
  appendOnly: false,
  byLines: true,
  formats: ['modsecurity-audit'],
  sniff,
  read,
};
