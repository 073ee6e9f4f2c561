/**
 * An extractor that cuts differently has a higher version, so that `daybook refield` extracts again what the older
 * one cut.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DOCUMENTS } from './cutting/extractors.ts';
import { type Digests, digestsOf, unraised } from './testing/extractor-digest.ts';

const file = path.join(import.meta.dirname, 'extractor-digests.json');
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Digests;

it.each(Object.entries(DOCUMENTS))(
  '%s has a higher version if it cuts otherwise',
  (name, document) => {
    expect(unraised(name, document, recorded)).toBeUndefined();
  },
);

it('extractor-digests.json is current: npm run extractor-digests writes it', () => {
  expect(recorded).toEqual(digestsOf(DOCUMENTS));
});

const gate = {
  extractor: 'gate',
  version: 2,
  for: 'doors',
  programs: ['gate'],
  templates: [{ text: 'opened by {user}', samples: [['opened by bob', { user: 'bob' }]] }],
};
const known = digestsOf({ gate });

it.each([
  ['another text', { templates: [{ text: 'opened for {user}' }] }],
  ['another program', { programs: ['gate', 'door'] }],
  ['a lower version', { version: 1 }],
])('says what to do about %s', (_, change) => {
  expect(unraised('gate', { ...gate, ...change }, known)).toBe(
    'gate cuts otherwise than version 2 did: raise "version" in engine/fields/extractors/gate.json to 3, then run npm run extractor-digests',
  );
});

it.each([
  ['a higher version', { version: 3, programs: ['door'] }],
  ['other samples', { uncut: ['x'], templates: [{ text: 'opened by {user}' }] }],
  ['other words for people', { for: 'doors and gates' }],
])('has nothing against %s', (_, change) => {
  expect(unraised('gate', { ...gate, ...change }, known)).toBeUndefined();
});
