/**
 * Writes the packets of a view as a separate capture, read from the evidence in file order.
 *
 * A view has the packets that it finds, and those of the flows that it finds or of whose events it finds some. They
 * are stored as a bit for each packet and flow; their positions come from the case in file order, so that memory
 * does not grow with their size and each capture is read once.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { ROW_IDENTITY } from '../../query/index.ts';
import { type SourceRow, locationOf } from '../../catalog/index.ts';
import {
  type CaseSession,
  type GivenList,
  askQuery,
  eventKey,
  startQuery,
} from '../../search/index.ts';
import { Bits } from './bits.ts';
import {
  checkEvidence,
  type EvidenceReader,
  type RecordPlace,
  type SlicedPacket,
} from '../event/evidence-reader.ts';
import { instantOf, wholeEvent } from '../event/event.ts';
import { auditOutput, writeOutput, type OutputPlace, type Written } from './output-file.ts';

interface SliceParameters {
  query: string;
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
  list?: GivenList | undefined;
  zone: string;
  /** A packet, a flow of packets or a protocol event in one, instead of the view. */
  event?: string | undefined;
}

interface Wanted {
  packets: Bits;
  flows: Bits;
}

const TELL_MS = 100;

/**
 * @throws DaybookError usage for a view without packets; not-found, unreadable, source-damaged for missing or
 * changed evidence; query-syntax, disk-full, cancelled
 */
export async function slicePackets(
  session: CaseSession,
  evidence: EvidenceReader,
  parameters: SliceParameters,
  place: OutputPlace,
  tell: (done: number) => Promise<void>,
): Promise<Written & { packets: number }> {
  const watch = new Stopwatch('packets.slice');
  const { signal } = place;
  const wanted = await watch.spanAsync('find', () =>
    parameters.event === undefined
      ? wantedByView(session, parameters, signal)
      : wantedByEvent(session, parameters.event, signal),
  );
  if (wanted.size === 0) throw noPackets(parameters);
  const sources = session
    .snapshot()
    .sources()
    .filter(({ id }) => wanted.has(id));
  // Before the first byte is written: all that is needed must be there.
  for (const source of sources) await checkEvidence(evidence, source, signal);
  const { produced: packets, written } = await watch.spanAsync('write', () =>
    writeOutput(session.snapshot().sources, place, async (write) => {
      const slice = evidence.slice();
      await write(slice.start());
      let done = 0;
      let reportedAt = performance.now();
      for (const source of sources) {
        for await (const packet of packetsOf(
          session,
          evidence,
          source,
          wanted.get(source.id)!,
          signal,
        )) {
          await write(slice.packet(packet));
          done += 1;
          if (performance.now() - reportedAt < TELL_MS) continue;
          reportedAt = performance.now();
          await tell(done);
        }
      }
      if (done === 0) throw noPackets(parameters);
      return done;
    }),
  );
  watch.rowsReturned = packets;
  session.record(watch, 'done');
  const { query, from, to, list, zone, event } = parameters;
  auditOutput(session, 'slice', {
    ...(event === undefined ? { query, from, to, zone } : { event }),
    ...(list === undefined ? {} : { list: session.lists.describe(list) }),
    ...{ packets, ...written },
  });
  return { ...written, packets };
}

async function wantedByView(
  session: CaseSession,
  { query, from, to, list, zone }: SliceParameters,
  signal: AbortSignal | undefined,
): Promise<Map<number, Wanted>> {
  const start = (text: string) =>
    askQuery(session, { text, from, to, list, zone, signal, operation: 'packets.slice.find' });
  if ((await start(query)).plan.shape !== 'rows')
    throw new DaybookError(
      'usage',
      'this view is a table: it has no packets',
      'leave out the stages that count or group',
    );
  const packetSources = new Set(
    session
      .snapshot()
      .segments.filter(({ kind }) => kind === 'packet')
      .flatMap(({ sources }) => sources),
  );
  const wanted = new Map<number, Wanted>();
  const running = await start(`${query} | fields kind, flow_id`);
  for await (const { columns, rows } of running.rows()) {
    const at = columns[0]?.parts[0]?.at;
    const flowAt = columns[1]?.parts[0]?.at;
    for (const row of rows) {
      const sourceId = Number(row[ROW_IDENTITY.sourceId]);
      const seq = Number(row[ROW_IDENTITY.seq]);
      const kind = at === undefined ? undefined : row[at];
      if (!packetSources.has(sourceId)) continue;
      if (kind === 'packet') of(wanted, sourceId).packets.add(seq);
      else if (kind === 'flow' && seq < 0) of(wanted, sourceId).flows.add(-seq);
      else if (flowAt !== undefined && row[flowAt] !== null)
        of(wanted, sourceId).flows.add(Number(row[flowAt]));
    }
  }
  return wanted;
}

async function wantedByEvent(
  session: CaseSession,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Map<number, Wanted>> {
  const event = await wholeEvent(session, id, signal, 'packets.slice.find');
  const wanted = new Map<number, Wanted>();
  const { sourceId, seq } = eventKey(event.event);
  if (event.kind === 'packet') of(wanted, sourceId).packets.add(seq);
  else if (event.packets !== undefined)
    of(wanted, sourceId).flows.add(eventKey(event.flow ?? event.event).seq * -1);
  return wanted;
}

function of(wanted: Map<number, Wanted>, sourceId: number): Wanted {
  const known = wanted.get(sourceId);
  if (known !== undefined) return known;
  const made = { packets: new Bits(), flows: new Bits() };
  wanted.set(sourceId, made);
  return made;
}

interface Stamped extends RecordPlace {
  ts: EpochMicros | undefined;
  ts_ns: number;
}

/** The wanted packets of one capture, in file order. */
async function* packetsOf(
  session: CaseSession,
  evidence: EvidenceReader,
  source: SourceRow,
  wanted: Wanted,
  signal: AbortSignal | undefined,
): AsyncGenerator<SlicedPacket> {
  // The reader returns a packet for each position, in order: what the case knows about it waits here.
  const waiting: Stamped[] = [];
  async function* places(): AsyncGenerator<RecordPlace> {
    for await (const place of placesOf(session, source, wanted, signal)) {
      waiting.push(place);
      yield place;
    }
  }
  for await (const packet of evidence.readPackets(locationOf(source), places(), signal)) {
    if (signal?.aborted === true) throw new CancelledError();
    const stamped = waiting.shift();
    if (stamped === undefined)
      throw new DaybookError('internal', 'a packet that was not asked for');
    const { frame, linkType, wireLength } = packet;
    yield { frame, linkType, wireLength, ts: stamped.ts, ts_ns: stamped.ts_ns };
  }
}

async function* placesOf(
  session: CaseSession,
  source: SourceRow,
  wanted: Wanted,
  signal: AbortSignal | undefined,
): AsyncGenerator<Stamped> {
  const running = startQuery(session, {
    text: `kind:packet source_id:${source.id} | sort seq | fields ts, flow_id, offset, length`,
    ...{ zone: 'UTC', signal, operation: 'packets.slice.read' },
  });
  for await (const { columns, rows } of running.rows()) {
    const at = new Map(columns.map(({ name, parts }) => [name, parts[0]?.at]));
    for (const row of rows) {
      const value = (name: string): number | undefined => {
        const index = at.get(name);
        const found = index === undefined ? null : row[index];
        return found === null || found === undefined ? undefined : Number(found);
      };
      const flow = value('flow_id');
      const isWanted =
        wanted.packets.has(Number(row[ROW_IDENTITY.seq])) ||
        (flow !== undefined && wanted.flows.has(flow));
      const offset = value('offset');
      const length = value('length');
      if (!isWanted || offset === undefined || length === undefined) continue;
      const { ts, tsNs } = instantOf(columns, row);
      yield { offset, length, ts, ts_ns: tsNs };
    }
  }
}

function noPackets({ event }: SliceParameters): DaybookError {
  return event === undefined
    ? new DaybookError(
        'usage',
        'this view has no packets, and no flows that were derived from packets',
        'choose packets or flows of a capture, such as kind:packet, that was imported with its packets',
      )
    : new DaybookError(
        'usage',
        `event ${event} has no packets`,
        'choose a packet, a flow that was derived from packets, or a protocol event of one',
      );
}
