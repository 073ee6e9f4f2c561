/**
 * Ports that Zeek assumes to be a server's: if the first packet seen of a flow comes from one, it is probably a
 * reply, and the sides are swapped.
 * https://docs.zeek.org/en/master/scripts/base/init-bare.zeek.html#id-likely_server_ports, as filled by the
 * protocol scripts of the default installation.
 */
const TCP = [
  21, 22, 25, 43, 53, 79, 80, 81, 88, 110, 113, 139, 143, 389, 443, 445, 502, 514, 563, 585, 587,
  614, 631, 636, 989, 990, 992, 993, 995, 1080, 1434, 1883, 2811, 3128, 3268, 3306, 3389, 5222,
  5223, 5269, 5432, 6379, 6666, 6667, 6668, 6669, 8000, 8080, 8888, 20000,
];
const UDP = [
  53, 67, 69, 88, 123, 137, 161, 162, 389, 443, 514, 547, 1812, 2123, 2152, 3268, 3389, 3544, 4789,
  5060, 5072, 5353, 5355, 6081, 20000,
];

function table(ports: readonly number[]): Uint8Array {
  const set = new Uint8Array(65_536);
  for (const port of ports) set[port] = 1;
  return set;
}

/** 1 for a likely server port, by port. */
export const LIKELY_TCP = table(TCP);
export const LIKELY_UDP = table(UDP);
