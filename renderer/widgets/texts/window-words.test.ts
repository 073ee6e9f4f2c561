/** Errors are sentences, and refer to the window's features instead of commands. */
import { expect, it } from 'vitest';
import { errorWords, inWindow } from './window-words.ts';

it.each([
  ['the disk is full', 'The disk is full.'],
  ['dst_port has no value "abc" at column 1', 'dst_port has no value "abc" at column 1.'],
  ['bytes has no value "many" at column 1', 'bytes has no value "many" at column 1.'],
  ['/cases/a.daybook is not a Daybook case', '/cases/a.daybook is not a Daybook case.'],
  ['is it that?', 'Is it that?'],
])('%s', (message, sentence) => {
  expect(errorWords({ message })).toEqual({ message: sentence, hint: undefined });
});

it.each([
  [
    'create one with: daybook import /cases/a b.daybook EVIDENCE',
    'choose another folder, or make a new case',
  ],
  ['run: daybook verify CASE', 'verify the case (in its menu)'],
  [
    'to rebuild it, run: daybook verify CASE --repair',
    'to rebuild it, on the command line, run: daybook verify CASE --repair',
  ],
  [
    'put the file back there, or if it was moved say where (daybook sources CASE --locate FOLDER); verifying says more',
    'put the file back there, or if it was moved locate it with Verify in the menu of the case; verifying says more',
  ],
  [
    'put the file back there, unchanged, or if it was moved say where: daybook sources CASE --locate FOLDER',
    'put the file back there, unchanged, or if it was moved say where below',
  ],
  [
    'import it again with a higher --max-bytes',
    'import it again with a higher “Largest file, unpacked”',
  ],
  [
    'write last:24h, ts:>=2026-11-21 or --from',
    'write last:24h, ts:>=2026-11-21, or choose a time range',
  ],
])('%s, in the window', (hint, words) => {
  expect(inWindow(hint)).toBe(words);
});
