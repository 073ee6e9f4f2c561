/**
 * For tests: reads randomly changed conversations, divided into segments, reordered, repeated and lost. Whatever
 * the result, nothing is thrown, nothing stays buffered, and every event has the documented form.
 */
import { Packet } from '../../decode/packet.ts';
import type { ProtocolMessage } from '../messages.ts';
import { TcpStreams } from '../streams/tcp-streams.ts';
import { CONVERSATIONS, type Said } from './conversations.ts';

/** A whole number from 0 below `limit`. */
type Chance = (limit: number) => number;

/** Mulberry32: the same numbers for the same seed. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

interface Segment extends Said {
  readonly seq: number;
  readonly flags: number;
}
const [FIN, RST, ACK] = [1, 4, 16];
/** Protocols that the first bytes alone do not identify. */
const PORTS: Readonly<Record<string, number>> = { dns: 53, modbus: 502 };

/** Bytes with a few changes. */
export function changed(bytes: Uint8Array, random: Chance): Uint8Array {
  const out = [...bytes];
  for (let n = random(4); n > 0 && out.length > 0; n--) {
    const at = random(out.length);
    switch (random(5)) {
      case 0:
        out[at]! ^= 1 << random(8);
        break;
      case 1:
        out[at] = [0, 255, 10, 13, 32, 128][random(6)]!;
        break;
      case 2:
        out.splice(at, 1 + random(8));
        break;
      case 3:
        out.splice(at, 0, ...out.slice(at, at + random(64)));
        break;
      default:
        out.splice(at, 0, ...Array.from({ length: random(40) }, () => random(256)));
    }
  }
  return Uint8Array.from(out);
}

function segments(said: readonly Said[], random: Chance): Segment[] {
  const next = [0xffff_fff0, 7];
  const out = said.flatMap(({ isClient, bytes: original }) => {
    const bytes = random(3) === 0 ? changed(original, random) : original;
    const side = isClient ? 0 : 1;
    const pieces: Segment[] = [];
    const most = random(4) === 0 ? 1 + random(8) : 1 + random(2000);
    for (let at = 0; at < bytes.length; at += most) {
      const piece = bytes.subarray(at, at + most);
      pieces.push({ isClient, bytes: piece, seq: next[side]!, flags: ACK });
      next[side] = (next[side]! + piece.length) >>> 0;
    }
    return pieces;
  });
  for (let n = random(6); n > 0 && out.length > 1; n--) {
    const at = random(out.length);
    const one = out[at]!;
    const kind = random(5);
    if (kind === 0) out.splice(at, 1);
    else if (kind === 1) out.splice(random(out.length), 0, one);
    else if (kind === 2) out.splice(random(out.length), 0, ...out.splice(at, 1));
    else if (kind === 3) out[at] = { ...one, flags: ACK | [FIN, RST][random(2)]! };
    else out[at] = { ...one, seq: (one.seq + random(3000) - 1500) >>> 0 };
  }
  return out;
}

/** @returns the events; an error says which form one should have */
export function readMutated(name: string, random: Chance): number {
  const all = Object.values(CONVERSATIONS);
  let said = CONVERSATIONS[name]!;
  if (random(8) === 0) said = [...said, ...all[random(all.length)]!];
  const flows = {
    ...{ isFromStart: random(2) === 0, firstSequence: 0xffff_fff0, isFromOriginator: true },
    services: new Map<number, string>(),
  };
  const messages: ProtocolMessage[] = [];
  const streams = new TcpStreams({ message: (_, message) => messages.push(message) }, flows);
  const p = new Packet();
  const server = PORTS[name] ?? 8080;
  for (const { isClient, bytes, seq, flags } of segments(said, random)) {
    const [srcPort, dstPort] = isClient ? [40_000, server] : [server, 40_000];
    const [src4, dst4] = isClient ? [1, 2] : [2, 1];
    flows.isFromOriginator = isClient;
    flows.firstSequence = isClient ? 0xffff_fff0 : 7;
    const payload = bytes.length + (random(50) === 0 ? random(100) : 0);
    Object.assign(p, { bytes, start: 0, end: bytes.length, payload, srcPort, dstPort, src4, dst4 });
    Object.assign(p, { ipVersion: 4, proto: 6, payloadStart: 0, tcpFlags: flags, tcpSeq: seq });
    p.tcpAck = random(1000);
    streams.packet(p, 1);
  }
  streams.finish();
  if (streams.heldBytes !== 0) throw new Error(`${streams.heldBytes} bytes stay held`);
  for (const { kind, text, columns, attributes } of messages)
    for (const [field, value] of Object.entries({ text, ...columns, ...attributes })) {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!values.every((one) => one === undefined || typeof one === 'string'))
        throw new Error(`${kind}: ${field} is no text`);
    }
  return messages.length;
}
