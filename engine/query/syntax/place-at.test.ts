import { expect, it } from 'vitest';
import { type Place, placeAt } from './place-at.ts';

/** What is typed at the `^`, and for what. */
function brief(place: Place): string {
  const typed = `<${place.typed}>`;
  switch (place.at) {
    case 'stage':
      return `stage ${typed}`;
    case 'value':
      return `${place.field} ${typed}`;
    case 'name':
      return `${place.isFilter ? 'filter' : 'name'} ${place.stage} ${typed}`.replace('  ', ' ');
  }
}

it.each([
  ['^', 'filter <>'],
  ['fai^', 'filter <fai>'],
  ['a -ho^', 'filter <ho>'],
  ['host:w^', 'host <w>'],
  ['host:^', 'host <>'],
  ['host: ^', 'filter <>'],
  ['host:"a b^', 'host <a b>'],
  ['"f g":x^', 'f g <x>'],
  ['bytes:>=1^', 'bytes <1>'],
  ['bytes >= ^', 'bytes <>'],
  ['host!=^', 'host <>'],
  ['host:(a OR b^', 'host <b>'],
  ['host:(a, "b c^', 'host <b c>'],
  ['host in (^', 'host <>'],
  ['host not in (a, ^', 'host <>'],
  ['port in {80 4^', 'port <4>'],
  ['ts:[2026 TO ^', 'ts <>'],
  ['host:a (b^', 'filter <b>'],
  ['src_ip in [ ho^', 'filter <ho>'],
  ['src_ip in [ host:a | va^', 'stage <va>'],
  ['src_ip in [ a | values s^', 'name values <s>'],
  ['src_ip in [ a | values b ] c^', 'filter <c>'],
  ['a |^', 'stage <>'],
  ['a | to^', 'stage <to>'],
  ['a | to^p 5 b', 'stage <to>'],
  ['a | top 5 s^', 'name top <s>'],
  ['a | top 5 src_ip by sum(b^', 'name top <b>'],
  ['a | search host:w^', 'host <w>'],
  ['a | where b^', 'filter where <b>'],
  ['a | where len(b^', 'filter where <b>'],
  ['a | union (b^', 'filter <b>'],
  ['a | union (b | he^', 'stage <he>'],
  ['a | eval x = ho^', 'name eval <ho>'],
  ['a | sequence by u^', 'name sequence <u>'],
  ['a | sequence by u within 5m: fa^', 'filter sequence <fa>'],
  ['a | sequence by u within 5m: failed then user:r^', 'user <r>'],
  ['user: | head ^', 'name head <>'],
  ['x:/a|b/ ho^', 'filter <ho>'],
  ['"a | to^', 'filter <to>'],
])('at %s', (text, expected) => {
  const at = text.indexOf('^');
  expect(brief(placeAt(text.replace('^', ''), at))).toBe(expected);
});

it('replaces the rest of the word', () => {
  expect(placeAt('host:we-02 b', 7)).toEqual({
    ...{ at: 'value', field: 'host', others: 0, typed: 'we', start: 5, end: 10 },
  });
});

it.each([
  ['host:w^', ''],
  ['a b OR (host:w^', 'a b'],
  ['a and not host:w^', 'a'],
  ['host:a -host:(b OR c^', 'host:a'],
  ['a host not in (b, c^', 'a'],
  ['a "not" host:^', 'a "not"'],
  ['a | where host:w^', 'a'],
  ['a | where x:1 && host:^', 'a | where x:1'],
  ['a | union (host:w^', 'a'],
])('what holds beside the test at %s', (text, expected) => {
  const place = placeAt(text.replace('^', ''), text.indexOf('^'));
  expect(place.at === 'value' && text.slice(0, place.others)).toBe(expected);
});
