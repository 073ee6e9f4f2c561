import { expect, it } from 'vitest';
import { draftAfter } from './note-draft.ts';

it.each([
  ['nothing was typed', { text: 'a', kept: 'a' }, 'b', 'b'],
  ['what was sent is kept', { text: 'typed', kept: 'typed' }, 'typed', 'typed'],
  ['more was typed since', { text: 'typed on', kept: 'typed' }, 'typed', 'typed on'],
  ['somebody else wrote meanwhile', { text: 'mine', kept: '' }, 'theirs', 'mine'],
])('shows the note, or what was typed since: %s', (_, draft, now, text) => {
  expect(draftAfter(draft, now)).toEqual({ text, kept: now });
});
