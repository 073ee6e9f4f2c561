/** The bytes of an event's record, and the layers of a packet, from the evidence. */
import { clockErrorOf } from '../../contract/time/clock.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { StreamContent } from '../../evidence/stream.ts';
import { type CaseSession, eventKey } from '../../search/index.ts';
import { checkEvidence, type DissectedLayer, type EvidenceReader } from './evidence-reader.ts';
import { locationOf } from '../../catalog/index.ts';
import { wholeEvent, type WholeEvent } from './event.ts';

/** Maximum number of bytes shown of a record. */
const MAX_RAW = 1024 * 1024;

interface RawRecord {
  bytes: Uint8Array<ArrayBuffer>;
  /** Position of the record in the source's content. */
  offset: number;
  /** Length of the whole record. */
  length: number;
  truncated: boolean;
  source: string;
}

/** @throws DaybookError usage, not-found, unreadable, source-damaged, cancelled */
export async function rawRecord(
  session: CaseSession,
  evidence: EvidenceReader,
  id: string,
  signal?: AbortSignal,
): Promise<RawRecord> {
  const { source, offset, length } = await recordOf(session, id, signal, 'event.raw');
  await checkEvidence(evidence, source, signal);
  const shown = Math.min(length, MAX_RAW);
  const bytes = await evidence.readRecord(locationOf(source), offset, shown, signal);
  return {
    bytes: new Uint8Array(bytes),
    ...{ offset, length },
    truncated: shown < length,
    source: source.name,
  };
}

interface ShownPacket {
  frame: Uint8Array<ArrayBuffer>;
  offset: number;
  linkType: number;
  wireLength: number;
  layers: readonly DissectedLayer[];
  notes: readonly string[];
}

/** @throws DaybookError usage, not-found, unreadable, source-damaged, cancelled */
export async function shownPacket(
  session: CaseSession,
  evidence: EvidenceReader,
  id: string,
  signal?: AbortSignal,
): Promise<ShownPacket> {
  const { event, kind, source, offset, length } = await recordOf(
    session,
    id,
    signal,
    'event.packet',
  );
  if (kind !== 'packet')
    throw new DaybookError(
      'usage',
      `event ${event} is not a packet (kind ${kind})`,
      'show its raw bytes instead',
    );
  await checkEvidence(evidence, source, signal);
  const packet = await evidence.readPacket(locationOf(source), offset, length, signal);
  const { frame, frameOffset, linkType, wireLength } = packet;
  return {
    frame: new Uint8Array(frame),
    ...{ linkType, wireLength, offset: frameOffset },
    ...evidence.dissect(frame, linkType, wireLength),
  };
}

/**
 * What both sides of an event's connection sent.
 * @throws DaybookError not-found for an event without a connection; unreadable, source-damaged, cancelled
 */
export async function eventStream(
  session: CaseSession,
  evidence: EvidenceReader,
  { event: id, limit }: { event: string; limit: number },
  tell: (progress: { done: number; of?: number | undefined }) => Promise<void>,
  signal?: AbortSignal,
): Promise<StreamContent> {
  const event = await wholeEvent(session, id, signal, 'event.stream');
  const { source } = event;
  const flow = -eventKey(event.flow ?? event.event).seq;
  if (
    source.importer !== 'pcap' ||
    (event.flow === undefined && event.kind !== 'flow') ||
    flow <= 0
  )
    throw new DaybookError(
      'not-found',
      `event ${event.event} belongs to no connection whose bytes were captured`,
      'choose a flow of a capture, one of its packets, or a protocol event in it',
    );
  await checkEvidence(evidence, source, signal);
  const content = await evidence.readStream({
    ...{ location: locationOf(source), flow, limit, signal },
    progress: (bytes) => tell({ done: bytes, of: source.contentSize }),
  });
  const clockError = clockErrorOf(source.decisions.clock);
  if (clockError === 0) return content;
  const corrected = content.parts.map((part) =>
    part.ts === undefined ? part : { ...part, ts: part.ts - clockError },
  );
  return { ...content, parts: corrected };
}

/** @throws DaybookError not-found, for events that are derived from others */
async function recordOf(
  session: CaseSession,
  id: string,
  signal: AbortSignal | undefined,
  operation: string,
): Promise<WholeEvent & { offset: number; length: number }> {
  const event = await wholeEvent(session, id, signal, operation);
  const { offset, length } = event;
  if (offset === undefined || length === undefined)
    throw new DaybookError(
      'not-found',
      `event ${event.event} has no record of its own in the evidence`,
      event.packets === undefined
        ? 'it was derived from other records'
        : `it was derived from packets: ${event.packets}`,
    );
  return { ...event, offset, length };
}
