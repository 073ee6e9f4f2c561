/** For tests: connections as frames, and their protocol events. */
import {
  collect,
  inputOf,
  type Collected,
  type CollectedRow,
} from '../../../shared/testing/collect.ts';
import { ACK, ascii, classicFile, ethernet, ip4, tcp, udp } from '../../testing/build.ts';
import { pcapImporter } from '../../index.ts';

export const CLIENT = '192.0.2.17';
export const SERVER = '198.51.100.7';

export type Frame = Uint8Array;
/** TCP from the client's port 40000 to `port`, and back. */
export function stream(port: number) {
  const sender =
    (isClient: boolean) =>
    (seq: number, payload: Uint8Array | string, flags = ACK, ack = 0): Frame => {
      const [src, dst] = isClient ? [40_000, port] : [port, 40_000];
      const [from, to] = isClient ? [CLIENT, SERVER] : [SERVER, CLIENT];
      const segment = tcp({ src, dst, flags, seq, ack }, bytesOf(payload));
      return ethernet(0x0800, ip4({ src: from, dst: to, proto: 6 }, segment));
    };
  return { client: sender(true), server: sender(false) };
}

function bytesOf(payload: Uint8Array | string): Uint8Array {
  return typeof payload === 'string' ? ascii(payload) : payload;
}

/** A dialogue, each line a segment: `>` the client's, `<` the server's. Its line ends are added. */
export function dialogue(port: number, lines: readonly string[], cut = Infinity): Frame[] {
  const { client, server } = stream(port);
  const next = { '>': 1, '<': 1 };
  return lines.flatMap((line) => {
    const side = line[0] as '>' | '<';
    const text = `${line.slice(2)}\r\n`;
    const pieces: Frame[] = [];
    for (let at = 0; at < text.length; at += cut) {
      const piece = text.slice(at, at + cut);
      pieces.push((side === '>' ? client : server)(next[side], piece));
      next[side] += piece.length;
    }
    return pieces;
  });
}

/** Alternating messages, the client's first, divided into pieces. */
export function exchange(port: number, messages: readonly Uint8Array[], cut = Infinity): Frame[] {
  const { client, server } = stream(port);
  const next = [1, 1];
  return messages.flatMap((message, i) => {
    const pieces: Frame[] = [];
    for (let at = 0; at < message.length; at += cut) {
      const piece = message.subarray(at, at + cut);
      const [side, other] = [i % 2, 1 - (i % 2)];
      pieces.push((side === 0 ? client : server)(next[side]!, piece, ACK, next[other]));
      next[side]! += piece.length;
    }
    return pieces;
  });
}
export function datagram(fromClient: boolean, port: number, payload: Uint8Array): Frame {
  const [src, dst] = fromClient ? [40_000, port] : [port, 40_000];
  const [from, to] = fromClient ? [CLIENT, SERVER] : [SERVER, CLIENT];
  return ethernet(0x0800, ip4({ src: from, dst: to, proto: 17 }, udp(src, dst, payload)));
}

/** The protocol events of a capture, with a frame each millisecond. */
export async function events(frames: readonly Frame[], snaplen = 65_535): Promise<CollectedRow[]> {
  return (await read(frames, { snaplen })).rows;
}

/** @param blockSize bytes of the file that are read at a time, all into the same memory */
export function read(
  frames: readonly Frame[],
  { snaplen = 65_535, blockSize = 1 << 20 } = {},
): Promise<Collected> {
  const file = classicFile(
    {},
    frames.map((bytes, i) => ({
      ...{ seconds: 1_700_000_000, fraction: i * 1000 },
      ...{ bytes: bytes.subarray(0, snaplen), wire: bytes.length },
    })),
  );
  const input = inputOf(file, 'evidence', blockSize);
  return collect(pcapImporter, input, { protocols: true, packets: false });
}

export async function of(
  kind: string,
  frames: readonly Frame[],
  snaplen?: number,
): Promise<CollectedRow[]> {
  return (await events(frames, snaplen)).filter((row) => row.kind === kind);
}
