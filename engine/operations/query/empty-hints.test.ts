/** What a query that found nothing is told it may have meant. */
import { expect, it } from 'vitest';
import { planScan } from '../../scan/plan-scan.ts';
import { hintsWhenEmpty } from './empty-hints.ts';

const FIELDS =
  'words are looked for in messages, hosts, programs, event types and attributes; other fields are asked by name';

const hintsOf = (text: string): string[] =>
  hintsWhenEmpty(planScan({ text, zone: 'UTC', from: undefined, to: undefined, sources: [] }).plan);

it.each<[string, string | undefined]>([
  ['host eq web1', 'eq is looked for as a word; write field=value'],
  ['dst_port between 1 and 9', 'between is looked for as a word; write field:[1 TO 9]'],
  ['user is null', 'null is looked for as a word; write NOT field:*'],
  ['exists(host)', 'exists is looked for as a word; write field:*'],
  ['host<>web1', 'host<>web1 is looked for as a word; write field!=value'],
  ['search failed', 'search is looked for as a word; write the words alone'],
  ['host:web1,web2', 'host:web1,web2 is one value; for several write host:(web1 OR web2)'],
  ['tcp', 'tcp is looked for as a word; events of that protocol are proto:tcp'],
  ['"eq"', undefined],
  ['equal', undefined],
  ['host:web1', undefined],
])('%s: %s', (text, hint) => {
  const hints = hintsOf(text);
  if (hint === undefined) expect(hints.filter((one) => !one.startsWith(FIELDS))).toEqual([]);
  else expect(hints).toContain(hint);
});

it.each<[string, string | undefined]>([
  ['zoe', 'user:*zoe* OR url:*zoe* OR user_agent:*zoe*'],
  ['kind:http (Moz* OR curl)', 'user:*Moz* OR url:*Moz* OR user_agent:*Moz*'],
  ['"a b"', 'user:"a b" OR url:"a b" OR user_agent:"a b"'],
  ['-zoe', undefined],
  ['192.0.2.1', undefined],
  ['2001:db8::/32', undefined],
  ['d41d8cd98f00b204e9800998ecf8427e', undefined],
  ['user:zoe', undefined],
])('%s: how other fields are asked', (text, asked) => {
  const found = hintsOf(text).filter((one) => one.startsWith(FIELDS));
  expect(found).toEqual(asked === undefined ? [] : [`${FIELDS}: ${asked}`]);
});
