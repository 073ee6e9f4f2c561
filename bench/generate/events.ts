/**
 * NitroEDB's event table as a file: source, destination, time, type, device and protocol of one event a line, over
 * December 2005, ordered by time. Seeded: the same number of rows and seed give the same bytes.
 *
 * Skew: sources and destinations follow Zipf's law (s = 1) over 60,000 and 5,000 addresses, types are uniform,
 * protocols mostly TCP. The number of an event is its line: each store counts by itself.
 */
import { ByteFile, type WrittenFile } from '../../fixtures/evidence/byte-file.ts';
import { Random } from '../../fixtures/evidence/random.ts';
import { dotted } from './dotted.ts';

const EVENT_HEADING = 'src_ip,dst_ip,time,event_type,device_id,protocol';
export const EVENT_TYPES = ['IPS_Drop', 'IPS_Alert', 'FW_Accept', 'FW_Deny', 'Flow'] as const;
/** The month that the events fill, `to` exclusive; milliseconds since 1970. */
export const EVENT_MONTH = { from: Date.UTC(2005, 11, 1), to: Date.UTC(2006, 0, 1) } as const;
/** The source that the second query asks for: the tenth most frequent. */
export const ASKED_SOURCE = dotted(sourceOf(10));

const PROTOCOLS = ['TCP', 'UDP', 'ICMP', 'GRE', 'ESP', 'IGMP'];
const SOURCES = 60_000;
const TARGETS = 5_000;
const DEVICES = 50;

function sourceOf(rank: number): number {
  return 0x0a00_0000 + ((rank * 7919) % 1_048_576);
}

/** Writes `rows` events, with a heading. About a million a second. */
export function writeEvents(path: string, rows: number, seed = 1): WrittenFile {
  const random = new Random(seed);
  const sources = Array.from({ length: SOURCES + 1 }, (_, rank) => dotted(sourceOf(rank)));
  const targets = Array.from({ length: TARGETS + 1 }, (_, rank) =>
    dotted(0xc0a8_0000 + ((rank * 31) % 65_536)),
  );
  const seconds = (EVENT_MONTH.to - EVENT_MONTH.from) / 1000;
  const file = new ByteFile(path);
  file.text(`${EVENT_HEADING}\n`);
  let second = -1;
  let time = '';
  for (let i = 0; i < rows; i++) {
    const now = Math.floor((i * seconds) / rows);
    if (now !== second) {
      second = now;
      time = new Date(EVENT_MONTH.from + now * 1000).toISOString().slice(0, 19).replace('T', ' ');
    }
    const source = sources[Math.floor(SOURCES ** random.next())]!;
    const target = targets[Math.floor(TARGETS ** random.next())]!;
    const type = EVENT_TYPES[random.below(EVENT_TYPES.length)]!;
    const protocol = PROTOCOLS[Math.floor(random.next() * random.next() * PROTOCOLS.length)]!;
    file.text(`${source},${target},${time},${type},${random.below(DEVICES)},${protocol}\n`);
  }
  return file.close();
}
