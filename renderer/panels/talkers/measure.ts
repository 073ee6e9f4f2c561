/** Measures of top talkers, as a text in the view and as the engine takes it. */

interface Measure {
  readonly fn: 'count' | 'sum' | 'distinct';
  readonly of?: string | undefined;
}

export const MEASURES: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'count', label: 'events' },
  { value: 'sum(bytes)', label: 'bytes sent' },
  { value: 'sum(bytes_rev)', label: 'bytes received' },
  { value: 'sum(packets)', label: 'packets sent' },
  { value: 'distinct(dst_ip)', label: 'different destinations' },
  { value: 'distinct(dst_port)', label: 'different destination ports' },
  { value: 'distinct(src_ip)', label: 'different sources' },
];

/** `count` when the text is not a measure. */
export function parseMeasure(text: string): Measure {
  const match = /^(sum|distinct)\((.+)\)$/.exec(text);
  if (match === null) return { fn: 'count' };
  return { fn: match[1] === 'sum' ? 'sum' : 'distinct', of: match[2] };
}

/** Whether a value of the measure is a number of bytes. */
export function isBytes({ fn, of }: Measure): boolean {
  return fn === 'sum' && of !== undefined && /bytes/i.test(of);
}
