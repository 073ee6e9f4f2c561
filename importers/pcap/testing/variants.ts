/** One small capture of every container variant, three packets each: for truncation and damage. */
import {
  ascii,
  cat,
  classicFile,
  ethernet,
  ip4,
  ip6,
  n32,
  Section,
  SYN,
  tcp,
  udp,
  vlanTag,
  type Bytes,
  type ClassicFile,
} from './build.ts';

const FRAMES = [
  ethernet(
    0x0800,
    ip4({ src: '10.0.0.1', dst: '10.0.0.2', proto: 6 }, tcp({ src: 1, dst: 80, flags: SYN })),
  ),
  ethernet(
    0x8100,
    vlanTag(
      5,
      0x86dd,
      ip6({ src: 'fe80::1', dst: 'fe80::2', proto: 17 }, udp(2, 53, ascii('dns'))),
    ),
  ),
  ethernet(
    0x0800,
    ip4(
      { src: '10.0.0.1', dst: '10.0.0.2', proto: 47 },
      cat('0000 0800', ip4({ src: '10.1.0.1', dst: '10.1.0.2', proto: 17 }, udp(3, 4, n32(5)))),
    ),
  ),
];

function classic(form: ClassicFile): Bytes {
  return classicFile(
    form,
    FRAMES.map((bytes, i) => ({ seconds: 1_700_000_000 + i, fraction: i, bytes })),
  );
}

function pcapng(little: boolean): Bytes {
  const s = new Section(little);
  const at = 1_700_000_000_000_000n;
  return cat(
    s.header(s.option(4, 'sniffer')),
    s.interface(1, 0, s.option(2, 'eth0')),
    s.packet(0, at, FRAMES[0]!, undefined, s.option(1, 'comment')),
    s.obsolete(0, at + 1n, FRAMES[1]!),
    s.simple(FRAMES[2]!),
    s.statistics(0),
  );
}

export const TRUNCATION_FILES: [string, Bytes][] = [
  ['pcap little-endian', classic({})],
  ['pcap big-endian', classic({ little: false })],
  ['pcap nanoseconds', classic({ nano: true })],
  ['pcap modified', classic({ modified: true })],
  ['pcapng little-endian', pcapng(true)],
  ['pcapng big-endian', pcapng(false)],
];
