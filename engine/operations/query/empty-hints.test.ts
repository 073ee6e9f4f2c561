/** Hints for a query without results on what it may have meant. */
import { expect, it } from 'vitest';
import { planScan } from '../../scan/plan-scan.ts';
import { hintsWhenEmpty } from './empty-hints.ts';

const hintsOf = (text: string): string[] =>
  hintsWhenEmpty(planScan({ text, zone: 'UTC', from: undefined, to: undefined, sources: [] }).plan);

it.each<[string, string | undefined]>([
  ['host eq web1', 'eq was searched for as a word; write field=value'],
  ['dst_port between 1 and 9', 'between was searched for as a word; write field:[1 TO 9]'],
  ['user is null', 'null was searched for as a word; write NOT field:*'],
  ['exists(host)', 'exists was searched for as a word; write field:*'],
  ['host<>web1', 'host<>web1 was searched for as a word; write field!=value'],
  ['search failed', 'search was searched for as a word; write the words alone'],
  ['host:web1,web2', 'host:web1,web2 is one value; for several write host:(web1 OR web2)'],
  ['tcp', 'tcp was searched for as a word; for events of that protocol write proto:tcp'],
  ['"eq"', undefined],
  ['equal', undefined],
  ['host:web1', undefined],
])('%s: %s', (text, hint) => {
  const hints = hintsOf(text);
  if (hint === undefined) expect(hints).toEqual([]);
  else expect(hints).toContain(hint);
});
