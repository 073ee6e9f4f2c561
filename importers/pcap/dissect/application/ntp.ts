/** NTP and SNTP (RFC 5905). */
import { ip4Text } from '../../decode/tunnel-notes.ts';
import { u32 } from '../../bytes.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, named, visible } from '../text.ts';

const MODES: Readonly<Record<number, string>> = {
  0: 'reserved',
  1: 'symmetric active',
  2: 'symmetric passive',
  3: 'client',
  4: 'server',
  5: 'broadcast',
  6: 'control',
  7: 'private',
};
const LEAPS = named({
  0: 'no warning',
  1: 'last minute has 61 seconds',
  2: 'last minute has 59 seconds',
  3: 'clock unsynchronized',
});
/** Seconds from 1900 to 1970. */
const EPOCH = 2_208_988_800n;

export function ntp(r: LayerReader): undefined {
  const first = r.bits(
    'Flags',
    1,
    [
      [0xc0, 'Leap Indicator', LEAPS],
      [0x38, 'Version number'],
      [0x07, 'Mode', named(MODES)],
    ],
    hex8,
  );
  const mode = first & 7;
  r.layer.summary = `NTP Version ${(first >>> 3) & 7}, ${MODES[mode]!}`;
  if (mode > 5) {
    r.raw('Data', r.left);
    return undefined;
  }
  const stratum = r.u8('Peer Clock Stratum');
  r.u8('Peer Polling Interval', (value) => `${value} (${2 ** Math.min(value, 30)} s)`);
  r.u8('Peer Clock Precision', (value) => `2^${value > 127 ? value - 256 : value} s`);
  r.u32('Root Delay', fixed);
  r.u32('Root Dispersion', fixed);
  r.raw('Reference ID', 4, (bytes) =>
    stratum < 2 ? visible(bytes.filter((byte) => byte !== 0)) : ip4Text(u32(bytes, 0)),
  );
  for (const name of ['Reference', 'Origin', 'Receive', 'Transmit']) {
    r.u64(`${name} Timestamp`, timestamp);
  }
  if (r.left > 0) r.raw('Extensions and authentication', r.left);
  return undefined;
}

function fixed(value: number): string {
  return `${(value / 65_536).toFixed(6)} s`;
}

/** UTC; times with the highest bit clear are of the era that starts in 2036. */
function timestamp(value: bigint): string {
  if (value === 0n) return 'not set';
  const stated = value >> 32n;
  const seconds = (stated & 0x80000000n) !== 0n ? stated : stated + 0x1_0000_0000n;
  const nanos = ((value & 0xffffffffn) * 1_000_000_000n) >> 32n;
  const date = new Date(Number(seconds - EPOCH) * 1000).toISOString().slice(0, 19);
  return `${date.replace('T', ' ')}.${String(nanos).padStart(9, '0')} UTC`;
}
