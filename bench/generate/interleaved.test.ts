import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeCapture } from '../../fixtures/evidence/capture.ts';
import { writeInterleaved } from './interleaved.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-interleaved-'));
afterAll(() => rmSync(folder, { recursive: true }));

const from = Date.UTC(2026, 9, 12) * 1000;
const base = join(folder, 'base.pcap');
const { records } = writeCapture(base, {
  ...{ from, to: from + 10e6, format: 'pcap', snapLength: 1600, conversations: 12 },
  ...{ incident: undefined, seed: 5 },
});

function packetsOf(path: string): { ts: number; frame: Buffer }[] {
  const bytes = readFileSync(path);
  const packets: { ts: number; frame: Buffer }[] = [];
  for (let at = 24; at < bytes.length;) {
    const ts = bytes.readUInt32LE(at) * 1e6 + bytes.readUInt32LE(at + 4);
    const captured = bytes.readUInt32LE(at + 8);
    packets.push({ ts, frame: bytes.subarray(at + 16, at + 16 + captured) });
    at += 16 + captured;
  }
  return packets;
}

function write(copies: number, degree: number, firstCopy = 0) {
  const path = join(folder, `${copies}-${degree}-${firstCopy}.pcap`);
  expect(writeInterleaved(base, path, copies, degree, firstCopy).packets).toBe(records * copies);
  return packetsOf(path);
}

const sorted = (packets: readonly { frame: Buffer }[]) =>
  packets.map(({ frame }) => frame.toString('hex')).sort();

/** The one's complement sum of 16-bit words; 0xffff if it includes a correct checksum. */
function sumOf(...parts: Buffer[]): number {
  let sum = 0;
  for (const part of parts)
    for (let i = 0; i < part.length; i += 2)
      sum += i + 1 < part.length ? part.readUInt16BE(i) : part[i]! << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}

test('every degree has the same frames, in the order of time', () => {
  const one = write(12, 1);
  expect(records).toBeGreaterThan(20);
  for (const degree of [3, 5, 12, 100]) {
    const packets = write(12, degree);
    expect(sorted(packets)).toEqual(sorted(one));
    expect(packets.every(({ ts }, i) => i === 0 || ts >= packets[i - 1]!.ts)).toBe(true);
  }
});

test('a higher degree lasts shorter', () => {
  const span = (degree: number) => {
    const packets = write(12, degree);
    return packets.at(-1)!.ts - packets[0]!.ts;
  };
  expect(span(12)).toBeLessThan(span(6) / 1.5);
});

test('checksums of IPv4, TCP and UDP stay right', () => {
  const checked = { 6: 0, 17: 0 };
  for (const { frame } of write(3, 2)) {
    if (frame.readUInt16BE(12) !== 0x0800) continue;
    const ip = frame.subarray(14, 34);
    expect(sumOf(ip)).toBe(0xffff);
    const protocol = ip[9]!;
    if (protocol !== 6 && protocol !== 17) continue;
    const length = ip.readUInt16BE(2) - 20;
    const rest = Buffer.from([0, protocol, length >> 8, length & 255]);
    expect(sumOf(ip.subarray(12, 20), rest, frame.subarray(34, 34 + length))).toBe(0xffff);
    checked[protocol] += 1;
  }
  expect(checked[6]).toBeGreaterThan(10);
  expect(checked[17]).toBeGreaterThan(3);
});

test('copies share no local address, also over several files', () => {
  const locals = (packets: readonly { frame: Buffer }[]) =>
    new Set(
      packets
        .filter(({ frame }) => frame.readUInt16BE(12) === 0x0800)
        .flatMap(({ frame }) => [frame.readUInt32BE(26), frame.readUInt32BE(30)])
        .filter((address) => address >>> 24 === 10),
    );
  const [first, second] = [locals(write(4, 2)), locals(write(4, 2, 4))];
  expect(first.size).toBe(4 * locals(write(1, 1)).size);
  expect([...first].filter((address) => second.has(address))).toEqual([]);
});

test('copies share no conversation, whether an end of it is local or none', () => {
  const pairs = (packets: readonly { frame: Buffer }[]) =>
    packets
      .filter(({ frame }) => frame.readUInt16BE(12) === 0x0800)
      .map(({ frame }) => [frame.readUInt32BE(26), frame.readUInt32BE(30)].sort());
  const distinct = (all: readonly number[][]) => new Set(all.map(String)).size;
  const basePairs = pairs(packetsOf(base));
  expect(basePairs.some((pair) => pair.every((address) => address >>> 24 !== 10))).toBe(true);
  expect(distinct(pairs(write(4, 2)))).toBe(4 * distinct(basePairs));
});
