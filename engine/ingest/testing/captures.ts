/**
 * For tests: a capture in which packets of one conversation are far apart, with tunnels, fragments, VLANs, both IP
 * versions and non-IP frames.
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
  SYN,
  tcp,
  udp,
  vlanTag,
} from '../../../importers/pcap/testing/build.ts';

const START = 1_790_000_000;

/** The nth frame of a capture; conversations have about seven packets, with a hundred at a time. */
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

/** @param padding bytes after each frame's packet, as an adapter adds to short ones */
export function classicCapture(packets: number, form: ClassicFile = {}, padding = 0): Buffer {
  const records = Array.from({ length: packets }, (_, n) => ({
    seconds: START + Math.floor(n / 20),
    fraction: (n % 20) * 1000 + (form.nano === true ? 7 : 0),
    bytes: cat(frame(n), new Uint8Array(padding)),
  }));
  return Buffer.from(classicFile(form, records));
}
