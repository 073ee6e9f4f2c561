/** Plain packets that are followed many at a time have the flows they have when each is taken by itself. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectFrom, inputOf } from '../../shared/testing/collect.ts';
import {
  ACK,
  classicFile,
  ethernet,
  FIN,
  ip4,
  ip6,
  RST,
  SYN,
  tcp,
  udp,
  vlanTag,
  type ClassicRecord,
} from '../testing/build.ts';
import { readCapture } from '../index.ts';
import type { Packet } from '../packet.ts';
import { FlowTracker } from './index.ts';

const PSH = 8;
const TWO_32 = 2 ** 32;
/** Mostly those of a connection that goes on. */
const FLAGS = [
  ACK,
  ACK,
  ACK,
  ACK,
  ACK | PSH,
  ACK | PSH,
  ACK | PSH,
  ACK | FIN,
  ACK | SYN,
  SYN,
  RST,
  FIN,
  0,
];
/** Seconds until a packet comes: a flow's time is over just before some; some are before the packet that came last. */
const PAUSES = [
  ...[0, 0, 0, 0, 0, 0, 0, 0.000_001, 0.05, 1, 5.02, 5.02, 65, -0.5, -20],
  ...[60.02, 300.02],
];
/** How far a number is from the one that would be next. */
const LEAPS = [0, 0, 0, 0, 0, 1, -1, 100, -100, 70_000, -70_000, 2 ** 31, 0x1234_5678];
const LENGTHS = [0, 0, 0, 1, 100, 100, 1400, 60_000];

/** What the packets of a capture are carried by. */
const MIXES = [
  ['tcp'],
  ['tcp', 'tcp', 'udp'],
  ['udp'],
  ['udp', 'tcp6'],
  ['tcp', 'tcp', 'tcp6', 'vlan', 'udp'],
];

/** Addresses and ports of the sides, which may have the same of either. */
const SIDES = [
  { addresses: ['10.0.0.1', '200.0.0.9'], ports: [5000, 443] },
  { addresses: ['10.0.0.1', '200.0.0.9'], ports: [5001, 443] },
  { addresses: ['10.0.0.1', '200.0.0.9'], ports: [500, 500] },
  { addresses: ['10.0.0.1', '10.0.0.1'], ports: [5000, 443] },
  { addresses: ['10.0.0.1', '10.0.0.1'], ports: [500, 500] },
] as const;

const step = fc.record({
  // That of the packet before, mostly.
  flow: fc.constantFrom(...[undefined, undefined, undefined, 0, 0, 1, 2, 3, 4]),
  back: fc.boolean(),
  carrier: fc.nat({ max: 4 }),
  flags: fc.constantFrom(...FLAGS),
  pause: fc.constantFrom(...PAUSES),
  seq: fc.constantFrom(...LEAPS),
  ack: fc.constantFrom(...LEAPS),
  length: fc.constantFrom(...LENGTHS),
  window: fc.constantFrom(1, 1, 1, 65_535, 0),
  cut: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Few packets have a payload of their own: it is cut, or zeros. */
const NOTHING = new Uint8Array(60_000);

/** Packets of conversations whose numbers go on, or nearly, from just before they wrap. */
function conversations(
  steps: readonly Step[],
  opened: boolean,
  mix: readonly string[],
): ClassicRecord[] {
  const next = new Map<string, [number, number]>();
  let time = 1_700_000_000;
  let flow = 0;
  return steps.map((s, i) => {
    time += s.pause;
    flow = s.flow ?? flow;
    const carrier = mix[s.carrier % mix.length]!;
    const key = `${flow} ${carrier}`;
    const numbers = next.get(key) ?? [TWO_32 - 150, TWO_32 - 2000];
    next.set(key, numbers);
    const [side, peer] = s.back ? ([1, 0] as const) : ([0, 1] as const);
    // The first two of each open it, if there is to be a handshake.
    const flags = opened && i < 2 ? [SYN, SYN | ACK][i]! : s.flags;
    const seq = numbers[side] + s.seq;
    const bytes = s.cut
      ? NOTHING.subarray(0, s.length)
      : NOTHING.subarray(0, Math.min(s.length, 9));
    const sides = SIDES[flow]!;
    const ports = { src: sides.ports[side], dst: sides.ports[peer] };
    const segment =
      carrier === 'udp'
        ? udp(ports.src, ports.dst, bytes)
        : tcp({ ...ports, flags, seq, ack: numbers[peer] + s.ack, window: s.window }, bytes);
    const moved = s.length + ((flags & SYN) === 0 ? 0 : 1) + ((flags & FIN) === 0 ? 0 : 1);
    numbers[side] = (seq + moved) % TWO_32;
    const [src, dst] = [sides.addresses[side], sides.addresses[peer]];
    const total = 40 + s.length;
    const packet =
      carrier === 'tcp6'
        ? ip6(
            { src: s.back ? '2001::9' : '2001::1', dst: s.back ? '2001::1' : '2001::9', proto: 6 },
            segment,
          )
        : ip4(
            {
              src,
              dst,
              proto: carrier === 'udp' ? 17 : 6,
              ...(carrier === 'udp' ? {} : { total }),
            },
            segment,
          );
    const frame =
      carrier === 'tcp6'
        ? ethernet(0x86dd, packet)
        : carrier === 'vlan'
          ? ethernet(0x8100, vlanTag(7, 0x0800, packet))
          : ethernet(0x0800, packet);
    const seconds = Math.floor(time);
    return {
      seconds,
      fraction: Math.floor((time - seconds) * 1e6),
      bytes: frame,
      wire: Math.max(frame.length, 14 + total),
    };
  });
}

async function read(records: readonly ClassicRecord[], asRuns: boolean, maxOpenFlows: number) {
  return collectFrom((sink) => {
    const flows = new FlowTracker(sink.batch('flow'), { maxOpenFlows });
    const single = { packet: (p: Packet) => flows.packet(p), finish: () => flows.finish() };
    const file = inputOf(classicFile({}, records));
    return readCapture(file, sink, { packets: true }, asRuns ? flows : single);
  }, 5000);
}

it('whatever comes in them', async () => {
  let followed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 12, maxLength: 80 }),
      fc.boolean(),
      fc.constantFrom(...MIXES),
      fc.constantFrom(1, 100, 100),
      async (steps, opened, mix, most) => {
        const records = conversations(steps, opened, mix);
        const runs = await read(records, true, most);
        expect(runs.rows).toEqual((await read(records, false, most)).rows);
        followed += runs.rows.filter(({ kind }) => kind === 'flow').length;
      },
    ),
    { numRuns: 150 },
  );
  expect(followed).toBeGreaterThan(150);
});
