/**
 * TCP flags as letters: `SA` for a SYN with an ACK. A letter for each bit, lowest first, except that SYN comes
 * first as people write it. https://www.rfc-editor.org/rfc/rfc9293#section-3.1
 */
const FLAGS: readonly (readonly [letter: string, name: string, bit: number])[] = [
  ['S', 'SYN', 2],
  ['F', 'FIN', 1],
  ['R', 'RST', 4],
  ['P', 'PSH', 8],
  ['A', 'ACK', 16],
  ['U', 'URG', 32],
  ['E', 'ECE', 64],
  ['C', 'CWR', 128],
  ['N', 'NS', 256],
];
/** The largest set of flags plus one. */
export const TCP_FLAG_SETS = 512;

/** `SA` for 18; the number itself if it has other bits than the nine flags, `-` for no flag. */
export function tcpFlagLetters(flags: number): string {
  if (!Number.isInteger(flags) || flags < 0 || flags >= TCP_FLAG_SETS) return String(flags);
  if (flags === 0) return '-';
  return FLAGS.flatMap(([letter, , bit]) => ((flags & bit) === 0 ? [] : letter)).join('');
}

/** The set that `SA`, `SYN`, `SYN+ACK` or `syn-ack` names, in any order; undefined if it names none. */
export function parseTcpFlags(text: string): number | undefined {
  const upper = text.toUpperCase();
  let flags = 0;
  for (const part of upper.split(/[+-]/)) {
    const named = FLAGS.find(([, name]) => name === part && name !== 'NS');
    if (named !== undefined) flags |= named[2];
    else {
      if (part === '') return undefined;
      for (const letter of part) {
        const bit = FLAGS.find(([one]) => one === letter)?.[2];
        if (bit === undefined) return undefined;
        flags |= bit;
      }
    }
  }
  return flags;
}
