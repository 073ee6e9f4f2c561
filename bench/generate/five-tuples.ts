/**
 * Flows by their five-tuple, one a line, ordered by time over one day. Seeded.
 *
 * Skew: sources follow Zipf's law (s = 1) over 60,000 clients, servers over 5,000; half of the flows are to one of
 * six services. A client counts its ports upwards, as systems do, so that tuples repeat only after 64,000 flows.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { Random } from '../../fixtures/evidence/random.ts';
import { dotted } from './dotted.ts';

export interface Flow {
  readonly src: string;
  readonly srcPort: number;
  readonly dst: string;
  readonly dstPort: number;
  readonly proto: 'TCP' | 'UDP';
}

const CLIENTS = 60_000;
const SERVERS = 5_000;
const TCP_PORTS = [443, 80, 22, 445, 3389, 8080];
const UDP_PORTS = [53, 443, 123, 161, 514, 1900];
export const DAY_MS = 86_400_000;
/** The day that the flows fill; milliseconds since 1970. */
export const FLOW_DAY = Date.UTC(2026, 10, 2);
const HEADING = 'ts_start,duration,proto,src_ip,src_port,dst_ip,dst_port,packets,bytes\n';

/** An endless series of flows. */
export class FlowSeries {
  private readonly random: Random;
  private readonly ports = new Uint16Array(CLIENTS + 1);

  constructor(seed = 3) {
    this.random = new Random(seed);
  }

  next(): Flow {
    const { random, ports } = this;
    const client = Math.floor(CLIENTS ** random.next());
    const server = Math.floor(SERVERS ** random.next());
    const proto = random.next() < 0.7 ? 'TCP' : 'UDP';
    const port = ports[client]!;
    ports[client] = (port + 1) % 64_000;
    return {
      src: dotted(0x0a00_0000 + ((client * 7919) % 1_048_576)),
      srcPort: 1024 + port,
      dst: dotted(0xac10_0000 + ((server * 104_729) % 1_048_576)),
      dstPort:
        random.next() < 0.5
          ? random.oneOf(proto === 'TCP' ? TCP_PORTS : UDP_PORTS)
          : random.between(1024, 65_535),
      proto,
    };
  }
}

/** Writes flows to a file; `from` and `span` are shares of the day. */
export function writeFlows(path: string, flows: readonly Flow[], from = 0, span = 1): WrittenFile {
  const file = new ByteFile(path);
  file.text(HEADING);
  for (let i = 0; i < flows.length; i++) {
    const { proto, src, srcPort, dst, dstPort } = flows[i]!;
    const at = FLOW_DAY + Math.floor((from + (span * i) / flows.length) * DAY_MS);
    const start = new Date(at).toISOString().replace('T', ' ').slice(0, 23);
    const packets = 1 + (i % 40);
    file.text(
      `${start},${(i % 300) / 10},${proto},${src},${srcPort},${dst},${dstPort},${packets},${packets * (60 + (i % 1400))}\n`,
    );
  }
  return file.close();
}

/** Writes the keys of flows alone, as a list to look them up by. */
export function writeKeys(path: string, flows: readonly Flow[]): WrittenFile {
  const file = new ByteFile(path);
  for (const { proto, src, srcPort, dst, dstPort } of flows)
    file.text(`${proto},${src},${srcPort},${dst},${dstPort}\n`);
  return file.close();
}

/** A flow in the query language. */
export function flowText({ src, srcPort, dst, dstPort, proto }: Flow): string {
  return `flow:${src}:${srcPort}-${dst}:${dstPort}/${proto.toLowerCase()}`;
}
