/** Handlers of single events. */
import type { eventOperations } from '../../contract/operations/event.ts';
import { sourceExists, wholeEvent } from './event.ts';
import { eventStream, rawRecord, shownPacket } from './event-bytes.ts';
import { eventContext } from './event-context.ts';
import { fromEvidence } from '../case/latency.ts';
import { writeFile } from '../output/carve.ts';
import { payloadMatches } from '../payload/payload-matches.ts';
import { slicePackets } from '../output/packet-slice.ts';
import { withList } from '../query/kept-lists.ts';
import { atIntervals } from '../at-intervals.ts';
import type { HandlersOf, Services } from '../handler.ts';

export function eventHandlers({
  cases,
  evidence,
}: Pick<Services, 'cases' | 'evidence'>): HandlersOf<keyof typeof eventOperations> {
  return {
    'event.get': (request, { signal }) =>
      cases.use(request.case, async (session) => {
        const { source, ...event } = await wholeEvent(session, request.event, signal);
        const { id, name, path } = source;
        return {
          ...event,
          source: { id, name, path, exists: sourceExists(source) },
        };
      }),
    'event.raw': (request, { signal }) =>
      cases.use(request.case, (session) =>
        fromEvidence(session, 'event.raw', () =>
          rawRecord(session, evidence, request.event, signal),
        ),
      ),
    'event.packet': (request, { signal }) =>
      cases.use(request.case, async (session) => {
        const { layers, notes, ...packet } = await fromEvidence(session, 'event.packet', () =>
          shownPacket(session, evidence, request.event, signal),
        );
        return {
          ...packet,
          layers: layers.map((layer) => ({ ...layer, fields: [...layer.fields] })),
          notes: [...notes],
        };
      }),
    'event.context': (request, { signal }) =>
      cases.use(request.case, (session) => eventContext(session, { ...request, signal })),
    'event.stream': (request, { signal, part }) =>
      cases.use(request.case, (session) =>
        fromEvidence(session, 'event.stream', async () => {
          const content = await eventStream(session, evidence, request, atIntervals(part), signal);
          return { ...content, parts: [...content.parts] };
        }),
      ),
    'event.file': (request, { signal, part }) =>
      cases.use(request.case, (session) =>
        fromEvidence(session, 'event.file', () =>
          writeFile(
            session,
            evidence,
            request.event,
            // The dialog in which the path was chosen asked before replacing a file.
            { path: request.path, overwrite: true, send: (bytes) => part({ bytes }), signal },
            atIntervals(part),
          ),
        ),
      ),
    'payload.search': (request, { client, signal, part }) =>
      cases.use(request.case, (session) =>
        fromEvidence(session, 'payload.search', () =>
          payloadMatches(session, evidence, withList(client, request), atIntervals(part), signal),
        ),
      ),
    'packets.slice': (request, { client, signal, part }) =>
      cases.use(request.case, (session) =>
        slicePackets(
          session,
          evidence,
          withList(client, request),
          // The dialog in which the path was chosen asked before replacing a file.
          { path: request.path, overwrite: true, send: (bytes) => part({ bytes }), signal },
          (done) => part({ done }),
        ),
      ),
  };
}
