/**
 * Audit logs of ModSecurity, serial form: every transaction is an event of kind `log`. See docs/importers/modsecurity.md.
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
} from '../../engine/evidence/importer.ts';
import { parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import { CONTINUATION, headAsText } from '../shared/lines.ts';
import { type LineTaker, type Place, readLines } from '../shared/read-lines.ts';
import { boundaryOf, isHead, type Transaction, transactionOf } from './transaction.ts';

/** Of one event; what a transaction has beyond these are events of their own. */
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
  readonly lines: Line[];
  characters: number;
  /** What the part before this one said, where the transaction is longer than an event. */
  readonly before: Transaction | undefined;
}

class AuditReader implements LineTaker {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly address = new Uint8Array(16);
  private seq = 0;
  private begun: Begun | undefined;

  constructor(sink: EventSink) {
    this.sink = sink;
    this.batch = sink.batch('log');
  }

  waitingFrom(): ByteOffset | undefined {
    return this.begun?.lines[0]?.offset;
  }

  line(bytes: Buffer, { offset, end }: Place): void {
    this.take({ text: bytes.toString('utf8'), offset, end });
  }

  flush(): void {
    const { begun } = this;
    if (begun === undefined) return;
    this.begun = undefined;
    const next = nextBegin(begun);
    this.write(next < 0 ? begun : { ...begun, lines: begun.lines.slice(0, next) });
    if (next < 0) return;
    for (const line of begun.lines.slice(next)) this.take(line);
    this.flush();
  }

  end(): void {
    this.flush();
  }

  private take(line: Line): void {
    const boundary = boundaryOf(line.text);
    const { begun } = this;
    if (begun === undefined && line.text.trim() === '') this.sink.skip('blank line', 1);
    else if (begun === undefined && boundary === undefined) this.emit([line], {});
    else {
      const { id, lines, characters, before } = begun ?? {
        ...{ id: boundary!.id, lines: [], characters: 0, before: undefined },
      };
      lines.push(line);
      this.begun = { id, lines, characters: characters + line.text.length, before };
      if (boundary?.section === 'Z' && boundary.id === id) this.finish(this.begun);
      else if (lines.length >= MAX_LINES || characters >= MAX_CHARACTERS) this.split(this.begun);
    }
  }

  private finish(begun: Begun): void {
    this.write(begun);
    this.begun = undefined;
  }

  /** Of a transaction that is longer than an event: the rest is another event of its time. */
  private split(begun: Begun): void {
    const next = nextBegin(begun);
    const lines = next < 0 ? begun.lines : begun.lines.slice(0, next);
    const before = this.write({ ...begun, lines });
    this.begun = next < 0 ? { ...begun, lines: [], characters: 0, before } : undefined;
    if (next >= 0) for (const line of begun.lines.slice(next)) this.take(line);
  }

  private write({ lines, before }: Begun): Transaction {
    if (lines.length === 0) return before ?? {};
    const { time, session } = before ?? {};
    const found =
      before === undefined ? transactionOf(lines.map(({ text }) => text)) : { time, session };
    this.emit(lines, found, before !== undefined);
    return found;
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

/**
 * Where in a transaction that has no end the next one begins; -1: nowhere. A client can write such lines, too, which is
 * why they count only where the end is missing: the server was stopped.
 */
function nextBegin({ id, lines }: Begun): number {
  return lines.findIndex(({ text }, at) => {
    const boundary = boundaryOf(text);
    if (boundary?.section !== 'A' || (boundary.id === id && at === 0)) return false;
    return isHead(lines[at + 1]?.text ?? '');
  });
}

export const modsecurityImporter: Importer = {
  id: 'modsecurity',
  title: 'Audit logs of ModSecurity',
  version: 1,
  appendOnly: false,
  byLines: true,
  formats: ['modsecurity-audit'],
  sniff,
  read: (input, sink) => readLines(input, sink, new AuditReader(sink)),
};
