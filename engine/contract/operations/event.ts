/** Operations on single events: everything about one, read from the case and from its evidence. */
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
  /** Bytes from the frame's start. */
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
  /** As Wireshark calls it. */
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
      /** Digits of the fraction of a second that the source had. */
      tsDigits: count,
      /** How the event came by its time, for people: a zone or year that was decided, a time inherited. */
      timeNotes: z.array(z.string()),
      fields: z.array(z.object({ name: z.string(), value, attribute: z.boolean() })),
      /** Fields that an extractor cut out of the message, with its name and version. */
      cut: z
        .object({ extractor: z.string(), version: z.string(), fields: z.array(z.string()) })
        .optional(),
      tags: z.array(z.string()),
      note: z.string().optional(),
      /** Of a case that several people have: what others say of it, the last first. */
      otherNotes: z
        .array(z.object({ user: z.string(), at: z.string(), text: z.string() }))
        .optional(),
      /** `exists`: whether its evidence is still where it was; undefined when not looked for. */
      source: z.object({
        ...{ id: count, name: z.string(), path: z.string(), exists: z.boolean().optional() },
      }),
      /** Where the record is in the source's content. */
      offset: count.optional(),
      length: count.optional(),
      /** The flow that a packet, or what a protocol said, belongs to. */
      flow: eventId.optional(),
      /** A query for the events of the same five-tuple, either way; and for the packets of a flow. */
      fiveTuple: z.string().optional(),
      packets: z.string().optional(),
    }),
  ),
  /** The record's bytes, read from the evidence itself: at most 1 MiB. */
  'event.raw': operation(
    one,
    z.object({ bytes, offset: count, length: count, truncated: z.boolean(), source: z.string() }),
  ),
  /** A packet's frame, read from the capture itself, with its decoded layers. */
  'event.packet': operation(
    one,
    z.object({
      frame: bytes,
      /** Of the frame in the source's content. */
      offset: count,
      linkType: count,
      wireLength: count,
      layers: z.array(layer),
      notes: z.array(z.string()),
    }),
  ),
  /** Events around one, in order of time; `index` is its own place among them. */
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
  /** Payload of both sides of an event's connection, out of the capture: the first `limit` bytes. */
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
          /** Of HTTP: without chunks and compression of bodies, and what could not be undone. */
          decoded: z.object({ bytes, problems: z.array(z.string()) }).optional(),
          /** Bytes that were not captured. */
          missing: count,
          ts: micros.optional(),
        }),
      ),
      fromClient: count,
      fromServer: count,
    }),
    z.object({ done: count, of: count.optional() }),
  ),
  /** A file that a connection carried, out of the capture. Without `path` it comes in parts. */
  'event.file': operation(
    one.extend({ path: filePath.optional() }),
    z.object({
      bytes: count,
      /** Bytes that were not captured: they are zeros. */
      missing: count,
      sha256: z.string(),
      path: filePath.optional(),
    }),
    z.union([z.object({ bytes }), z.object({ done: count, of: count.optional() })]),
  ),
  /**
   * Matches of a text, `/RE/` or `hex:BYTES` in what connections of captures carried, out of the captures: of those that events
   * of the view belong to.
   */
  'payload.search': operation(
    z.object({
      ...viewShape,
      pattern: z.string().min(1).max(4096),
      /** Matches, at most. */
      limit: count.min(1).max(10_000).default(1000),
    }),
    z.object({
      matches: z.array(
        z.object({
          /** The flow that it is in. */
          event: eventId,
          source: z.string(),
          ts: micros.optional(),
          proto: z.enum(['tcp', 'udp']),
          ...{ client: z.string(), clientPort: count, server: z.string(), serverPort: count },
          isFromClient: z.boolean(),
          /** In what that side sent; for UDP, in the datagram; for a body, in its decoded bytes. */
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
   * Writes the packets of a view, or of a flow or packet, to a pcapng file, from the evidence. Without
   * `path` the file comes in parts.
   */
  'packets.slice': operation(
    z.object({ ...viewShape, event: eventId.optional(), path: filePath.optional() }),
    z.object({ packets: count, bytes: count, sha256: z.string(), path: filePath.optional() }),
    z.union([z.object({ bytes }), z.object({ done: count })]),
  ),
};
