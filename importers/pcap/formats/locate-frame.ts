/**
 * Finds the frame of one packet in a damaged pcapng file by reading the file as the importer does, from its start
 * to the packet: nothing else tells which interface it was assigned to.
 */
import type { EventSink } from '../../../engine/evidence/importer.ts';
import type { ByteOffset } from '../../../engine/contract/event.ts';
import type { ContentReader } from '../../shared/files/read-record.ts';
import { MAX_RECORD } from './capture-reader.ts';
import { PacketEvents } from '../packets/packet-events.ts';
import type { Packet } from '../decode/packet.ts';
import { PcapngReader } from './pcapng.ts';

const WINDOW = 1024 * 1024;

const NOWHERE: EventSink = {
  batch() {
    throw new Error('no packets are kept');
  },
  record() {},
  quarantine() {},
  skip() {},
  note() {},
  metadata() {},
  decide() {},
  drain: () => undefined,
};

interface FoundFrame {
  readonly captured: number;
  readonly wire: number;
  readonly linkType: number;
}

/** Takes note of one packet instead of decoding them all. */
class Finder extends PacketEvents {
  found: FoundFrame | undefined;
  private readonly wanted: ByteOffset;

  constructor(wanted: ByteOffset) {
    super(NOWHERE, false, undefined);
    this.wanted = wanted;
  }

  override take(p: Packet, offset: ByteOffset): void {
    this.comment = '';
    this.rawTime = '';
    if (offset !== this.wanted) return;
    this.found = { captured: p.end - p.start, wire: p.wire, linkType: p.linkType };
  }
}

/**
 * The packet whose block is at `offset`; undefined if the importer takes none from there.
 * @throws whatever `content` throws
 */
export async function frameByReading(
  content: ContentReader,
  offset: ByteOffset,
  signal: AbortSignal | undefined,
): Promise<FoundFrame | undefined> {
  const finder = new Finder(offset);
  const reader = new PcapngReader(NOWHERE, finder);
  let at = 0;
  let size = WINDOW;
  while (finder.found === undefined && at <= offset) {
    const bytes = await content.readUpTo(at, size, signal);
    const last = bytes.length < size || size > 2 * MAX_RECORD;
    const left = reader.feed(bytes, 0, bytes.length, at, last);
    // A block that is larger than the window needs a larger one.
    size = left === 0 ? size * 2 : WINDOW;
    at += left;
    if (last) break;
  }
  return finder.found;
}
