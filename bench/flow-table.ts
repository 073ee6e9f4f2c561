/**
 * A plain table of flows with ten columns, a usual configuration of exporters: the input of the flow benchmarks.
 * Seeded; addresses follow Zipf's law (s = 1) over 200,000 sources and 50,000 targets.
 */
import { ByteFile, type WrittenFile } from '../fixtures/evidence/byte-file.ts';
import { Random } from '../fixtures/evidence/random.ts';

const START_MS = Date.UTC(2026, 9, 1);
const WEEK_MS = 7 * 86_400_000;
const SOURCES = 200_000;
const TARGETS = 50_000;
const TCP_PORTS = [443, 80, 22, 445, 3389, 25, 8080, 993];
const UDP_PORTS = [53, 443, 123, 161, 514, 1900];
const FLAGS = ['.AP.SF', '.A..SF', '....S.', '.AP.S.', '.A.RS.'];

const dotted = (ip: number): string =>
  `${(ip >>> 24) & 255}.${(ip >>> 16) & 255}.${(ip >>> 8) & 255}.${ip & 255}`;

/** Writes `rows` flows over one week, or over `spanMs` from the same start, in the order of their start. */
export function writeFlowTable(
  path: string,
  rows: number,
  seed: number,
  spanMs = WEEK_MS,
): WrittenFile & { records: number } {
  const random = new Random(seed);
  const rank = (n: number): number => Math.floor(n ** random.next());
  const file = new ByteFile(path);
  file.text('ts_start,duration,proto,src_ip,src_port,dst_ip,dst_port,packets,bytes,flags\n');
  for (let i = 0; i < rows; i++) {
    const start = new Date(START_MS + Math.floor((i * spanMs) / rows)).toISOString();
    const choice = random.next();
    const proto = choice < 0.62 ? 'TCP' : choice < 0.95 ? 'UDP' : choice < 0.99 ? 'ICMP' : 'GRE';
    const ports = proto === 'TCP' ? TCP_PORTS : proto === 'UDP' ? UDP_PORTS : undefined;
    const packets = 1 + Math.floor(Math.exp(random.next() ** 2 * 9));
    const target = rank(TARGETS);
    const inside = random.next() < 0.4;
    const dst = inside
      ? 167_772_160 + ((target * 104_729) % 1_048_576)
      : 16_777_216 + ((target * 2_654_435_761) % 3_500_000_000);
    file.text(
      `${start.slice(0, 10)} ${start.slice(11, 23)},${(random.next() ** 3 * 300).toFixed(3)},${proto},` +
        `${dotted(167_772_160 + ((rank(SOURCES) * 7919) % 1_048_576))},${ports === undefined ? 0 : random.between(1024, 65_000)},` +
        `${dotted(dst)},${ports === undefined ? 0 : random.oneOf(ports)},${packets},${packets * random.between(40, 1440)},` +
        `${proto === 'TCP' ? random.oneOf(FLAGS) : '......'}\n`,
    );
  }
  return { ...file.close(), records: rows };
}
