/**
 * IPFIX over TCP (RFC 7011, 10.4): consecutive messages, each of which states its length. Templates are those of
 * the connection. NetFlow v9 states no length, and no exporter sends it so.
 *
 * Invariant: up to 64 KiB of a message are buffered; records waiting for a template are bounded by
 * `NetFlowExports`.
 */
import { u16 } from '../../bytes.ts';
import { ip4Text, ip6Text } from '../../decode/tunnel-notes.ts';
import { FramedStream } from '../streams/framed.ts';
import type { Endpoints, MessageSink, StreamProtocol } from '../messages.ts';
import { isExport, NetFlowExports } from './index.ts';

const PORT = 4739;
const VERSION = 10;
const HEADER_BYTES = 16;
const [TEMPLATES, OPTIONS, FIRST_DATA] = [2, 3, 256];

class IpfixStream extends FramedStream {
  readonly service = 'netflow';
  private readonly ends: Endpoints;
  private readonly exports: NetFlowExports;
  private readonly exporter: string;

  constructor(ends: Endpoints, sink: MessageSink) {
    super();
    this.ends = ends;
    this.exports = new NetFlowExports(sink);
    const { client } = ends;
    const number = client.reduce((sum, byte) => sum * 256 + byte, 0);
    this.exporter = client.length === 4 ? ip4Text(number) : ip6Text(client, 0);
  }

  protected override waitingBytes(): number {
    return this.exports.waitingBytes;
  }

  protected begins(bytes: Uint8Array, start: number, end: number): boolean {
    return beginsMessage(bytes, start, end) === true;
  }

  protected read(bytes: Uint8Array, isClient: boolean): number | undefined {
    // A collector sends nothing.
    if (!isClient) return bytes.length;
    if (bytes.length < HEADER_BYTES) return 0;
    const size = u16(bytes, 2);
    if (u16(bytes, 0) !== VERSION || size < HEADER_BYTES) return undefined;
    if (bytes.length < size) return 0;
    const { flow, vlan } = this.ends;
    const message = { bytes, start: 0, end: size, exporter: this.exporter, flow, vlan };
    return size === HEADER_BYTES || this.exports.take(message) ? size : undefined;
  }

  finish(): void {
    this.exports.finish();
  }
}

/** Undefined: too few bytes to decide. */
function beginsMessage(bytes: Uint8Array, start: number, end: number): boolean | undefined {
  if (end - start < 2) return undefined;
  if (u16(bytes, start) !== VERSION) return false;
  if (end - start < HEADER_BYTES + 4) return undefined;
  const size = u16(bytes, start + 2);
  const set = u16(bytes, start + HEADER_BYTES);
  const setSize = u16(bytes, start + HEADER_BYTES + 2);
  if (setSize < 4 || HEADER_BYTES + setSize > size) return false;
  return set === TEMPLATES || set === OPTIONS || set >= FIRST_DATA;
}

export const IPFIX: StreamProtocol = {
  /** On any port if a whole message is there that begins with templates, as those of a connection do. */
  recognise(bytes, start, end, { clientPort, serverPort }, isClient) {
    const isKnown = clientPort === PORT || serverPort === PORT;
    const begins = beginsMessage(bytes, start, end);
    if (begins === undefined) return isKnown ? 'more' : undefined;
    if (!begins) return undefined;
    if (isKnown) return (serverPort === PORT) === isClient ? 'client' : 'server';
    const stop = start + u16(bytes, start + 2);
    const isTemplate = u16(bytes, start + HEADER_BYTES) < FIRST_DATA;
    if (!isTemplate || stop > end || !isExport(bytes, start, stop, VERSION)) return undefined;
    return isClient ? 'client' : 'server';
  },
  parser: (ends, sink) => new IpfixStream(ends, sink),
};
