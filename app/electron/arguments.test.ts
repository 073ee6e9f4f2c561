import { describe, expect, it } from 'vitest';
import { caseArgument, filtersOf, oneOf, textOf, titleOf } from './arguments.ts';

const ENTRY = '/opt/daybook/dist/main.cjs';

describe('the case that a command line names', () => {
  it.each<[string, string[], string | undefined, string | undefined]>([
    ['none', ['electron', ENTRY], ENTRY, undefined],
    ['after the entry', ['electron', '--no-sandbox', ENTRY, 'a.daybook'], ENTRY, '/w/a.daybook'],
    ['before the entry', ['electron', 'a.daybook', ENTRY], ENTRY, undefined],
    ['packaged', ['daybook-window', '/x/a.daybook'], undefined, '/x/a.daybook'],
    ['switches between', ['daybook-window', '--flag', 'a.daybook'], undefined, '/w/a.daybook'],
    ['the last of two', ['daybook-window', 'a.daybook', 'b.daybook'], undefined, '/w/b.daybook'],
    ['what is no case', ['daybook-window', '/etc/passwd'], undefined, undefined],
  ])('%s', (_what, argv, entry, expected) => {
    expect(caseArgument(argv, '/w', entry)).toBe(expected);
  });
});

it.each<[string, () => unknown]>([
  ['no text', () => textOf(7)],
  ['a text with a zero', () => textOf('a\0b')],
  ['a text that is too long', () => textOf('a'.repeat(40_000))],
  ['what is not among the choices', () => oneOf('toString', ['files', 'folder'])],
  ['filters that are none', () => filtersOf('csv')],
  ['a filter that is null', () => filtersOf([null])],
  ['extensions that are no texts', () => filtersOf([{ name: 'a', extensions: [1] }])],
  [
    'more filters than a dialog has',
    () => filtersOf(Array(21).fill({ name: 'a', extensions: [] })),
  ],
])('refuses %s', (_what, call) => {
  expect(call).toThrow(TypeError);
});

it('makes what a title hides visible', () => {
  expect(titleOf('a\u202eb\nc\u2028')).toBe('a\ufffdb\ufffdc\ufffd');
});
