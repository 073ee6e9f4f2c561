/**
 * nfdump's printed lines (`-o line`, `long`, `extended`, `biline`, `-o fmt:…`): the titles of the heading identify
 * the columns, and cells are separated by blanks or commas.
 * https://github.com/phaag/nfdump/blob/master/man/nfdump.1
 */
import type { Setter } from '../fields.ts';
import type { Dialect } from './dialect.ts';

/** A title of the heading: the meaning of its column, and the number of words in its cells. */
interface Title {
  readonly title: string;
  readonly setter: Setter;
  readonly words: number;
}

/** Longest first where one begins another. */
const TITLES: readonly Title[] = [
  { title: 'Date first seen', setter: 'ts', words: 2 },
  { title: 'Date flow start', setter: 'ts', words: 2 },
  { title: 'Date last seen', setter: 'ts_end', words: 2 },
  { title: 'Date flow end', setter: 'ts_end', words: 2 },
  { title: 'Date received', setter: 'attr', words: 2 },
  { title: 'Duration', setter: 'duration', words: 1 },
  { title: 'Proto', setter: 'proto', words: 1 },
  { title: 'Src IP Addr:Port', setter: 'src_endpoint', words: 1 },
  { title: 'Dst IP Addr:Port', setter: 'dst_endpoint', words: 1 },
  { title: 'X-Src IP Addr:Port', setter: 'attr', words: 1 },
  { title: 'X-Dst IP Addr:Port', setter: 'attr', words: 1 },
  { title: 'Src IP Addr', setter: 'src_ip', words: 1 },
  { title: 'Dst IP Addr', setter: 'dst_ip', words: 1 },
  { title: 'Src Pt', setter: 'src_port', words: 1 },
  { title: 'Dst Pt', setter: 'dst_port', words: 1 },
  { title: 'Src AS', setter: 'attr', words: 1 },
  { title: 'Dst AS', setter: 'attr', words: 1 },
  { title: 'Flags', setter: 'tcp_flags', words: 1 },
  { title: 'Packets', setter: 'packets', words: 1 },
  { title: 'Bytes', setter: 'bytes', words: 1 },
  // Incoming traffic is what the originator sent.
  { title: 'Out Pkt', setter: 'packets_rev', words: 1 },
  { title: 'In Pkt', setter: 'packets', words: 1 },
  { title: 'Out Byte', setter: 'bytes_rev', words: 1 },
  { title: 'In Byte', setter: 'bytes', words: 1 },
];

interface TextColumns {
  readonly names: string[];
  readonly setters: Setter[];
  readonly words: number[];
}

/** The columns of a heading; undefined if it is not one. */
export function readHeading(line: string): TextColumns | undefined {
  if (!/^\s*Date (first seen|flow start|last seen|received|flow end)\b/.test(line)) {
    return undefined;
  }
  const columns: TextColumns = { names: [], setters: [], words: [] };
  let rest = line.trim();
  while (rest !== '') {
    const known = TITLES.find(({ title }) => rest.startsWith(title));
    const name = known?.title ?? rest.split(/[\s,]+/, 1)[0]!;
    columns.names.push(name);
    columns.setters.push(known?.setter ?? 'attr');
    columns.words.push(known?.words ?? 1);
    rest = rest.slice(Math.max(1, name.length)).replace(/^[\s,]+/, '');
  }
  return columns.names.length >= 3 ? columns : undefined;
}

/** Lines that nfdump prints after the flows. */
export const TRAILERS: readonly string[] = [
  'Summary:',
  'Time window:',
  'Total flows processed:',
  'Sys:',
  'No matching flow',
  'Blocks skipped:',
];

export const nfdumpText: Dialect = {
  id: 'nfdump-text',
  kind: 'flow',
  icmp: 'plain',
  unquoted: true,
  signatures: [],
  columns: {},
};
