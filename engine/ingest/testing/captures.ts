/**
 * For tests: captures in which packets of one conversation lie far apart, with tunnels, fragments, VLANs,
 * both IP versions and frames that are no IP, in all containers; whole, cut off and damaged.
 */
import {
  ACK,
  arp,
  ascii,
  type Bytes,
  cat,
  classicFile,
  type ClassicFile,
  ethernet,
  FIN,
  icmp,
  ip4,
  ip6,
  RST,
  Section,
  SYN,
  tcp,
  udp,
  vlanTag,
} from '../../../importers/pcap/testing/build.ts';

const START = 1_790_000_000;

/** The nth frame of a capture; conversations are of about seven packets, a hundred at a time. */
function frame(n: number): Bytes {
  const of = n % 101;
  const turn = Math.floor(n / 101) % 7;
  const host = `10.0.${of % 5}.${1 + of}`;
  const [src, dst] = turn % 2 === 0 ? [host, '10.9.9.9'] : ['10.9.9.9', host];
  const ports = turn % 2 === 0 ? { src: 1024 + of, dst: 443 } : { src: 443, dst: 1024 + of };
  const age = Math.floor(n / 707);
  switch (of % 11) {
    case 0:
      return ethernet(0x0806, arp(1 + (n % 2), host, '10.9.9.9'));
    case 1:
      return ethernet(
        0x0800,
        ip4({ src, dst, proto: 1 }, icmp(turn % 2 === 0 ? 8 : 0, 0, ascii(`p${n}`))),
      );
    case 2:
      return ethernet(0x0800, ip4({ src, dst, proto: 17 }, udp(ports.src, 53, ascii(`q${n}`))));
    case 3:
      // Two fragments of one datagram, a hundred packets apart.
      return ethernet(
        0x0800,
        ip4(
          {
            src: host,
            dst: '10.9.9.9',
            proto: 17,
            id: age,
            offset: turn === 0 ? 0 : 16 * turn,
            more: turn < 6,
          },
          turn === 0 ? udp(5000 + of, 99, ascii('12345678')) : ascii('0123456789abcdef'),
        ),
      );
    case 4: {
      const sides = turn % 2 === 0 ? ['fe80::1', `fe80::${of}`] : [`fe80::${of}`, 'fe80::1'];
      const packet = ip6({ src: sides[0]!, dst: sides[1]!, proto: 17 }, udp(7, 7, ascii('x')));
      return ethernet(0x8100, vlanTag(1 + (of % 9), 0x86dd, packet));
    }
    case 5: {
      const inner = ip4({ src, dst, proto: 17 }, udp(ports.src, 4000, ascii('inside')));
      const outer = { src: '172.16.0.1', dst: '172.16.0.2', proto: 47 };
      return ethernet(0x0800, ip4(outer, cat('0000 0800', inner)));
    }
    default: {
      const flags = [SYN, SYN | ACK, ACK, ACK, ACK | FIN, ACK | FIN, age % 3 === 0 ? RST : ACK][
        turn
      ]!;
      const payload = ascii(turn === 2 || turn === 3 ? `data ${n}` : '');
      const segment = tcp({ ...ports, flags, seq: 100 + turn, ack: 100 }, payload);
      return ethernet(0x0800, ip4({ src, dst, proto: 6 }, segment));
    }
  }
}

/** @param padding bytes behind each frame's packet, as an adapter adds to short ones */
export function classicCapture(packets: number, form: ClassicFile = {}, padding = 0): Buffer {
  const records = Array.from({ length: packets }, (_, n) => ({
    seconds: START + Math.floor(n / 20),
    fraction: (n % 20) * 1000 + (form.nano === true ? 7 : 0),
    bytes: cat(frame(n), new Uint8Array(padding)),
  }));
  return Buffer.from(classicFile(form, records));
}

/** Sections of both byte orders, with interfaces of other clocks, comments and blocks of no packets. */
export function pcapngCapture(packets: number): Buffer {
  const perSection = Math.ceil(packets / 3);
  const parts: Bytes[] = [];
  for (let section = 0; section < 3; section++) {
    const s = new Section(section !== 1);
    parts.push(s.header(s.option(4, `part ${section}`)));
    parts.push(s.interface(1, 0, s.option(2, 'eth0')));
    parts.push(s.interface(1, 0, s.option(9, Uint8Array.of(9))));
    for (let i = 0; i < perSection; i++) {
      const n = section * perSection + i;
      const of = n % 2;
      const ticks = BigInt(START) * 1_000_000n + BigInt(n) * 50_000n;
      const options = n % 50 === 0 ? [s.option(1, `packet ${n}`)] : [];
      if (n % 97 === 5) parts.push(s.simple(frame(n)));
      else
        parts.push(
          s.packet(of, of === 0 ? ticks : ticks * 1000n + 3n, frame(n), undefined, ...options),
        );
      if (n % 200 === 60) parts.push(s.block(0x0bad, ascii('of a vendor')));
      if (n % 300 === 70)
        parts.push(s.statistics(0, s.option(4, Uint8Array.of(n & 255, 0, 0, 0, 0, 0, 0, 0))));
    }
  }
  return Buffer.from(cat(...parts));
}

/** The same with some bytes overwritten here and there. */
export function damaged(capture: Buffer, places: readonly number[]): Buffer {
  const bytes = Buffer.from(capture);
  for (const place of places) {
    const at = 200 + Math.floor(place * (bytes.length - 400));
    bytes.fill(0xfe, at, at + 40);
  }
  return bytes;
}
