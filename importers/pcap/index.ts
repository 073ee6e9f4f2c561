/**
 * Packet captures: every packet is an event, and the flows they belong to are events too.
 * See docs/importers/pcap.md.
 */
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { SourceError } from '../../engine/contract/errors.ts';
import { u32 } from './bytes.ts';
import { CaptureStream } from './formats/capture-stream.ts';
import { classicVariant } from './formats/classic.ts';
import { flowTracker, noteEvicted, protocolTracker } from './packets/flow-tracker.ts';
import { PacketEvents } from './packets/packet-events.ts';
import type { PacketTracker } from './packets/packet-tracker.ts';
import { isSnoop } from './formats/snoop.ts';

function sniff(head: Uint8Array): SniffResult | undefined {
  const classic = classicVariant(head);
  if (classic !== undefined) return { score: 1, format: classic.format };
  if (head.length >= 4 && u32(head, 0) === 0x0a0d0d0a) {
    // Line ends alone could be a text file; the byte order magic settles it.
    if (head.length < 12) return { score: 0.5, format: 'pcapng' };
    const magic = u32(head, 8);
    if (magic === 0x1a2b3c4d || magic === 0x4d3c2b1a) return { score: 1, format: 'pcapng' };
    return undefined;
  }
  return isSnoop(head) ? { score: 1, format: 'snoop' } : undefined;
}

/**
 * Reads a capture to its end.
 * @param tracker tracks packets into flows; undefined for none
 */
export async function readCapture(
  input: SourceInput,
  sink: EventSink,
  options: Pick<ReadOptions, 'packets' | 'columns'>,
  tracker: PacketTracker | undefined,
): Promise<void> {
  const events = new PacketEvents(sink, options.packets, tracker, options.columns);
  const stream = new CaptureStream(sink, events);
  const finish = (): void => {
    stream.finish();
    tracker?.finish();
  };
  try {
    for await (const block of input.blocks()) {
      stream.take(block);
      const wait = sink.drain(stream.offset);
      if (wait !== undefined) await wait;
    }
  } catch (error) {
    // The packets before it are good, and their flows are reported.
    if (error instanceof SourceError) finish();
    throw error;
  }
  finish();
}

export const pcapImporter: Importer = {
  id: 'pcap',
  title: 'Packet capture (pcap, pcapng, snoop)',
  // 5: IPv4-mapped addresses are IPv4. 6: DNS, HTTP and TLS. 7: segments in another order, more protocols.
  // 8: files. 9: their parts and gaps, protocols after gaps. 10: SMB 1, tickets of Kerberos.
  // 11: numbers of SMB 1 that are reused, links, domains of tickets.
  // 12: responses to requests of HTTP that were given up, DTLS, HTTP/2 and sFlow, content with a wrong checksum.
  // 13: promises, resets, lengths and long heads of HTTP/2, later handshakes of DTLS, all samples of sFlow.
  // 14: all questions of DNS, limits of HTTP/2 that say so, encrypted records of DTLS 1.3 before a hello,
  // attachments without a plain name, responses and chunks that cannot be read, resets of HTTP/2 without an error, or
  // of more than 256 streams, VLANs of sampled frames that are not IP.
  // 15: IPFIX over TCP. 16: connections that have begun only do not push out others, FTP from its middle on.
  version: 17,
  appendOnly: false,
  formats: ['pcap', 'pcap-nano', 'pcap-modified', 'pcapng', 'snoop'],
  sniff,
  async read(input, sink, options) {
    const flows = options.flows ? await flowTracker(sink) : undefined;
    const tracker =
      flows !== undefined && options.protocols ? await protocolTracker(flows, sink) : flows;
    await readCapture(input, sink, options, tracker);
    if (flows !== undefined) noteEvicted(flows, sink);
  },
};
