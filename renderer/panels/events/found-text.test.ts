/** Words that a row does not show are found in its other texts. */
import { describe, expect, it } from 'vitest';
import type { Searched } from '../../widgets/query/searched-words.ts';
import { wordPattern } from '../../widgets/texts/visible-text.ts';
import { foundTexts, missingWords, searchedTexts, seenPart, type SeenTexts } from './found-text.ts';

const word = (text: string): Searched => ({
  pattern: wordPattern([text])!,
  longest: Infinity,
  field: undefined,
});

const seen = (texts: Readonly<Record<string, string>>): SeenTexts => new Map(Object.entries(texts));

describe('missingWords', () => {
  it('are those that no text that is seen has', () => {
    const [zoe, failed] = [word('zoe'), word('failed')];
    expect(missingWords([zoe, failed], seen({ message: 'login failed', host: 'web-1' }))).toEqual([
      zoe,
    ]);
    // A part of a word is another word.
    expect(missingWords([zoe], seen({ message: 'zoey' }))).toEqual([zoe]);
  });

  it('are not those of a field in another column', () => {
    const user = { pattern: /^ad.*/giu, longest: Infinity, field: 'user' };
    expect(missingWords([user], seen({ host: 'admin' }))).toEqual([user]);
    expect(missingWords([user], seen({ host: 'web', user: 'admin' }))).toEqual([]);
  });
});

/** Characters of a wide column. */
const ROOMY = 200;

describe('foundTexts', () => {
  const texts = new Map([
    ['message', 'GET /index.html'],
    ['user_agent', 'Lynx/2.8 libwww-FM'],
    ['attrs.note', 'seen by lynx'],
  ]);

  it.each([
    [
      'the first field that has it',
      ['lynx'],
      '',
      [{ field: 'user_agent', excerpt: 'Lynx/2.8 lib…' }],
    ],
    [
      'no field where the message has it',
      ['get'],
      '',
      [{ field: undefined, excerpt: 'GET /index.…' }],
    ],
    [
      'the text of the row itself first',
      ['lynx'],
      'a long line about lynx',
      [{ field: undefined, excerpt: '…ine about lynx' }],
    ],
    [
      'one place for two words',
      ['lynx', 'libwww'],
      '',
      [
        { field: 'user_agent', excerpt: 'Lynx/2.8 lib…' },
        { field: 'user_agent', excerpt: 'Lynx/2.8 libwww-FM' },
      ],
    ],
    ['nothing for words that it has not', ['curl'], '', []],
  ])('%s', (_, words, rest, found) =>
    expect(foundTexts(words.map(word), rest, texts, ROOMY)).toEqual(found),
  );

  it('looks for a pattern of a field in that field', () => {
    const note = { pattern: /by .ynx/gu, longest: Infinity, field: 'note' };
    expect(foundTexts([note], 'by lynx', texts, ROOMY)).toEqual([
      { field: 'attrs.note', excerpt: 'seen by lynx' },
    ]);
  });

  it('cuts no character in two', () => {
    const [pages, lynx] = ['\u{1f4c4}'.repeat(9), word('lynx')];
    expect(foundTexts([lynx], `x${pages} lynx ${pages}`, undefined, ROOMY)).toEqual([
      { field: undefined, excerpt: `…${'\u{1f4c4}'.repeat(5)} lynx ${'\u{1f4c4}'.repeat(3)}…` },
    ]);
  });

  it('shows less around each word in a narrow column', () => {
    const line = 'pam_authenticate() failed: Authentication failure (Password mismatch?)';
    const words = ['failed', 'password'].map(word);
    const narrow = foundTexts(words, line, undefined, 36).map(({ excerpt }) => excerpt);
    expect(narrow).toEqual(['…() failed: …', '…e (Password m…']);
    expect(foundTexts(words, line, undefined, 80).map(({ excerpt }) => excerpt)).toEqual([
      '…nticate() failed: Authen…',
      '… failure (Password mismatc…',
    ]);
  });

  it('knows only the row while the other texts are not there', () => {
    expect(foundTexts([word('lynx')], '', undefined, ROOMY)).toEqual([]);
  });
});

describe('searchedTexts', () => {
  const event: Readonly<Record<string, string | number>> = {
    ...{ kind: 'log', message: 'denied', action: 'deny', category: 'network', src_port: 443 },
    'attrs.zone': 'dmz',
  };

  it('leaves out what Daybook concludes', () => {
    const searched = searchedTexts(Object.keys(event), (name) => event[name] ?? null);
    expect([...searched.keys()]).toEqual(['message', 'action', 'attrs.zone']);
    const cut = { ...event, extractor: 'fw/1' };
    const texts = searchedTexts(Object.keys(cut), (name) => (cut as typeof event)[name] ?? null);
    expect([...texts.keys()]).toEqual(['message', 'attrs.zone']);
  });
});

describe('seenPart', () => {
  it.each([
    ['summary', 'short', 10, 'short'],
    ['summary', 'a long message', 7, 'a long'],
    ['program', 'Microsoft-Windows-Sysmon', 7, 'Sysmon'],
  ])('of %s: %s', (column, text, characters, seen) =>
    expect(seenPart(column, text, characters)).toBe(seen),
  );
});
