/** Operations on single events: all about an event, from the case and from its evidence. */
import { z } from 'zod';
import {
  batch,
  bytes,
  casePath,
  count,
  eventId,
  filePath,
  fieldName,
  kind,
  micros,
  operation,
  value,
  viewShape,
} from './schema.ts';

export interface LayerField {
  readonly name: string;
  readonly value: string;
  /** Bytes from the start of the frame. */
  readonly offset: number;
  readonly length: number;
  readonly fields?: readonly LayerField[] | undefined;
}
const layerField: z.ZodType<LayerField> = z.object({
  name: z.string(),
  value: z.string(),
  offset: count,
  length: count,
  get fields() {
    return z.array(layerField).optional();
  },
});
const layer = z.object({
  /** Its name in Wireshark. */
  name: z.string(),
  summary: z.string(),
  offset: count,
  length: count,
  fields: z.array(layerField),
});

const one = z.object({ case: casePath, event: eventId });

export const eventOperations = {
  /** All fields of an event, in their usual order. */
  'event.get': operation(
    one,
    z.object({
      event: eventId,
      kind,
      ts: micros.optional(),
      /** Nanoseconds beyond `ts`. */
      tsNs: count,
      /** Number of digits in the fraction of a second that the source stated. */
      tsDigits: count,
      /** How the event got its time, for people: a zone or year that was decided, a time inherited. */
      timeNotes: z.array(z.string()),
      fields: z.array(z.object({ name: z.string(), value, attribute: z.boolean() })),
      /** Fields that an extractor cut out of the message, with the extractor's name and version. */
      cut: z
        .object({ extractor: z.string(), version: z.string(), fields: z.array(z.string()) })
        .optional(),
      tags: z.array(z.string()),
      note: z.string().optional(),
      /** For a case that several people share: the notes of the others, latest first. */
      otherNotes: z
        .array(z.object({ user: z.string(), at: z.string(), text: z.string() }))
        .optional(),
      /** `exists`: whether its evidence is still at its path; undefined if not checked. */
      source: z.object({
        ...{ id: count, name: z.string(), path: z.string(), exists: z.boolean().optional() },
      }),
      /** Position of the record in the source's content. */
      offset: count.optional(),
      length: count.optional(),
      /** The flow that a packet or a protocol event belongs to. */
      flow: eventId.optional(),
      /** Queries for the events of the same five-tuple in both directions, and for the packets of a flow. */
      fiveTuple: z.string().optional(),
      packets: z.string().optional(),
    }),
  ),
  /** The record's bytes, read from the evidence: at most 1 MiB. */
  'event.raw': operation(
    one,
    z.object({ bytes, offset: count, length: count, truncated: z.boolean(), source: z.string() }),
  ),
  /** A packet's frame, read from the capture, with its decoded layers. */
  'event.packet': operation(
    one,
    z.object({
      frame: bytes,
      /** Position of the frame in the source's content. */
      offset: count,
      linkType: count,
      wireLength: count,
      layers: z.array(layer),
      notes: z.array(z.string()),
    }),
  ),
  /** Events around an event, in order of time; `index` is its position among them. */
  'event.context': operation(
    z.object({
      case: casePath,
      event: eventId,
      /** On the same host, in the same source, or anywhere. */
      of: z.enum(['host', 'source', 'all']).default('host'),
      before: count.max(500).default(5),
      after: count.max(500).default(5),
      fields: z.array(fieldName).max(100).optional(),
    }),
    z.object({ batch, index: count, of: z.enum(['host', 'source', 'all']), query: z.string() }),
  ),
  /** Payload of both sides of an event's connection, from the capture: the first `limit` bytes. */
  'event.stream': operation(
    one.extend({
      limit: count
        .min(1)
        .max(4 << 20)
        .default(256 << 10),
    }),
    z.object({
      parts: z.array(
        z.object({
          isFromClient: z.boolean(),
          bytes,
          /** For HTTP: the bytes with bodies dechunked and decompressed, and the problems met. */
          decoded: z.object({ bytes, problems: z.array(z.string()) }).optional(),
          /** Number of bytes that were not captured. */
          missing: count,
          ts: micros.optional(),
        }),
      ),
      fromClient: count,
      fromServer: count,
    }),
    z.object({ done: count, of: count.optional() }),
  ),
  /** A file that a connection carried, from the capture. Without `path` it is sent in parts. */
  'event.file': operation(
    one.extend({ path: filePath.optional() }),
    z.object({
      bytes: count,
      /** Number of bytes that were not captured; they read as zeros. */
      missing: count,
      sha256: z.string(),
      path: filePath.optional(),
    }),
    z.union([z.object({ bytes }), z.object({ done: count, of: count.optional() })]),
  ),
  /**
   * Matches of a text, `/RE/` or `hex:BYTES` in the payloads of captured connections to which events of the view
   * belong.
   */
  'payload.search': operation(
    z.object({
      ...viewShape,
      pattern: z.string().min(1).max(4096),
      /** Maximum number of matches. */
      limit: count.min(1).max(10_000).default(1000),
    }),
    z.object({
      matches: z.array(
        z.object({
          /** The flow that contains it. */
          event: eventId,
          source: z.string(),
          ts: micros.optional(),
          proto: z.enum(['tcp', 'udp']),
          ...{ client: z.string(), clientPort: count, server: z.string(), serverPort: count },
          isFromClient: z.boolean(),
          /** Position in what that side sent; for UDP, in the datagram; for a body, in its decoded bytes. */
          offset: count,
          length: count,
          /** The decoded HTTP body that contains it. */
          body: z.object({ message: z.string(), start: count, encoding: z.string() }).optional(),
          ...{ before: bytes, match: bytes, after: bytes },
        }),
      ),
      isStopped: z.boolean(),
      ...{ sources: count, streams: count, datagrams: count, bytes: count },
      ...{ gaps: count, missing: count, evicted: count },
      left: z.array(z.object({ source: z.string(), reason: z.string() })),
      ...{ bodies: count, decodedBytes: count },
      undecoded: z.array(z.object({ reason: z.string(), bodies: count })),
    }),
    z.object({ done: count, of: count.optional(), source: z.string(), matches: count }),
  ),
  /**
   * Writes the packets of a view, a flow or a packet from the evidence to a pcapng file. Without `path` the file is
   * sent in parts.
   */
  'packets.slice': operation(
    z.object({ ...viewShape, event: eventId.optional(), path: filePath.optional() }),
    z.object({ packets: count, bytes: count, sha256: z.string(), path: filePath.optional() }),
    z.union([z.object({ bytes }), z.object({ done: count })]),
  ),
};
