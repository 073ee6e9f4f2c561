/** However candidates are looked up, the first matching template is the one that trying all templates finds. */
import { expect, it } from 'vitest';
import { Random } from '../../../fixtures/evidence/random.ts';
import { Candidates } from './candidates.ts';
import { shippedExtractors } from './extractors.ts';
import { matches } from './match.ts';
import { type Template, draftTemplates } from './template.ts';

const utf8 = new TextEncoder();
const SPACE = 32;
const extractors = shippedExtractors();
/**
 * Among strict pairs with a separator, some are skipped that are separated by blanks alone: the same pairs with
 * blanks come before them.
 */
const drafts = extractors
  .flatMap((extractor) => extractor.drafts())
  .filter(({ make }) => {
    const { pairs } = make();
    return pairs?.isStrict !== true || pairs.separator === SPACE;
  });
const messages = extractors.flatMap(({ samples, uncut }) => [
  ...samples.map(({ message }) => message),
  ...uncut,
]);

function shuffled<T>(all: readonly T[], random: Random): T[] {
  return all
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** Including parts of messages: texts at both ends, and messages that are nearly empty. */
function varied(message: string, random: Random): string {
  const other = random.oneOf(messages);
  switch (random.below(5)) {
    case 0:
      return message.slice(0, random.below(message.length + 1));
    case 1:
      return message.slice(random.below(message.length));
    case 2:
      return (
        message.slice(0, random.below(message.length)) + other.slice(random.below(other.length))
      );
    default:
      return message;
  }
}

it.each([
  [300, 240],
  [drafts.length, 80],
])('is the first of %i templates that matches each of %i messages', (count, most) => {
  const random = new Random(count);
  let found = 0;
  for (let round = 0; round < 3; round++) {
    const some = shuffled(drafts, random).slice(0, count);
    const all = some.map(({ start, make }, order) => ({
      start,
      make: () => ({ template: make(), order }),
    }));
    const candidates = new Candidates<{ template: Template; order: number }>(all);
    for (const message of shuffled(messages, random).slice(0, most)) {
      const text = varied(message, random);
      const bytes = utf8.encode(`<${text}>`);
      const [start, end] = [1, bytes.length - 1];
      if (start === end) continue;
      const wanted = some.findIndex(({ make }) => matches(make(), bytes, start, end));
      const first = candidates.firstMatch(bytes, start, end);
      expect([text, first?.order ?? -1]).toEqual([text, wanted]);
      if (wanted >= 0) found += 1;
    }
  }
  expect(found).toBeGreaterThan(3);
});

it('needs no pair where the template needs none', () => {
  const given = [
    ...['x', 'y'].map((end) => ({ text: `Failed {:word} ${end}`, set: {} })),
    { text: 'Failed {:word} {:pairs}', set: {}, pairs: { user: 'user' } },
  ];
  const candidates = new Candidates(
    given.flatMap(draftTemplates).map(({ start, make }) => ({
      start,
      make: () => ({ template: make() }),
    })),
  );
  const bytes = utf8.encode('Failed again z');
  expect(candidates.firstMatch(bytes, 0, bytes.length)?.template.text).toBe(given[2]?.text);
});

it('makes only those that may begin as a message does', () => {
  const drafts = ['Failed {user}', 'Started {user}', '{user} failed', '{:number} failed'].map(
    (text) => draftTemplates({ text, set: {} })[0]!,
  );
  const made: string[] = [];
  const candidates = new Candidates(
    drafts.map(({ start, make }) => ({
      start,
      make: () => {
        const template = make();
        made.push(template.text);
        return { template };
      },
    })),
  );
  const bytes = utf8.encode('Failed alice');
  expect(candidates.firstMatch(bytes, 0, bytes.length)?.template.text).toBe('Failed {user}');
  expect(made).toEqual(['Failed {user}', '{user} failed']);
});

it.each(['user=alice ip=10.0.0.1', ' user=alice ip=10.0.0.1', 'gate7:  user=alice ip=10.0.0.1'])(
  'finds pairs behind blanks, as in %o',
  (text) => {
    const bytes = utf8.encode(text);
    const matching = drafts.filter(({ make }) => matches(make(), bytes, 0, bytes.length));
    expect(matching).not.toEqual([]);
    for (const { start, make } of matching) {
      const candidates = new Candidates([{ start, make: () => ({ template: make() }) }]);
      expect(candidates.firstMatch(bytes, 0, bytes.length)?.template.text).toBe(make().text);
    }
  },
);
