/** TCP flags as a field holds them, by name: RFC 9293 3.1, bit 0 first. */

const NAMES = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG', 'ECE', 'CWR', 'NS'] as const;

/** `SYN ACK` for 18; `none` for 0. */
export function flagNames(flags: number): string {
  return NAMES.filter((_, bit) => (flags >> bit) & 1).join(' ') || 'none';
}
