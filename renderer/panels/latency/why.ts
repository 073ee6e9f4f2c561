/** Explains an operation's duration in words, from its measurements. */
import { counted } from '../../../engine/contract/words/counted.ts';
import type { Result } from '../../../engine/contract/operations.ts';

export type Measured = Result<'case.latency'>['recent'][number];
export type Latencies = Result<'case.latency'>['summary'];

const count = new Intl.NumberFormat('en-US');

/** Beyond this an answer is felt as slow. */
export const SLOW_MS = 250;

export function whySlow(one: Measured): string {
  const spans = Object.entries(one.spans).sort(([, a], [, b]) => b - a);
  const [largest] = spans;
  const examined = one.rowsExamined ?? 0;
  const returned = one.rowsReturned ?? 0;
  const parts: string[] = [];
  if (largest !== undefined && largest[1] >= one.totalMs * 0.4) {
    const share = Math.round((100 * largest[1]) / one.totalMs);
    parts.push(
      `${share}% of the time went to ${
        one.path === 'catalog' && largest[0] === 'execute'
          ? 'asking the catalog'
          : (SPANS[largest[0]] ?? `“${largest[0]}”`)
      }`,
    );
  }
  if (one.path === 'scan' && examined > 0) {
    parts.push(
      `it read ${counted(examined, 'row')}${
        returned > 0 && examined > returned ? ` to find ${count.format(returned)}` : ''
      } because no index covers the query`,
    );
    if (examined > 1_000_000) parts.push('a narrower time range would leave days out');
  } else if (one.path === 'catalog') {
    parts.push('the catalog alone answered it, without reading events');
  }
  if (one.status === 'cancelled') parts.push('it was cancelled before it was done');
  if (one.status === 'failed') parts.push('it failed');
  if (parts.length === 0) return 'Nothing stands out.';
  const text = parts.join('; ');
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}

const SPANS: Readonly<Record<string, string>> = {
  parse: 'reading the query',
  plan: 'choosing what to read',
  attach: 'opening segments',
  compile: 'writing the SQL',
  execute: 'reading and filtering events',
  fetch: 'handing rows over',
  run: 'reading evidence and building segments',
  list: 'looking for evidence',
};
