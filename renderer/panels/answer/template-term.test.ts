/** Templates become terms that find their messages. */
import { describe, expect, it } from 'vitest';
import { templateTerms } from './template-term.ts';

/** The pattern in JavaScript's syntax: RE2 writes characters by number, and some classes, differently. */
function patternOf(template: string): RegExp {
  const term = templateTerms(template)?.at(-1) ?? '';
  expect(term).toMatch(/^message:\/.*\/$/);
  const re2 = term.slice('message:/'.length, -1);
  const pattern = re2.replaceAll('\\x{', '\\u{').replaceAll('[:^ascii:]', '\\u{80}-\\u{10ffff}');
  return new RegExp(pattern, 'u');
}

describe('the terms of a template', () => {
  it.each([
    ['sshd[<*>]: from <*>.<*> port', 'sshd[12]: from 10.x1 port', true],
    ['sshd[<*>]: from <*>.<*> port', 'sshd[12]: from 10.x port', false],
    ['sshd[<*>]: from <*>.<*> port', 'a sshd[12]: from 10.1 port', false],
    ['sshd[<*>]: from <*>.<*> port', 'sshd[12]: from 10.1 port ', false],
    ['GET /a.b?c=<*> {x|y}', 'GET /a.b?c=naïve {x|y}', true],
    ['GET /a.b?c=<*> {x|y}', 'GET /aXb?c=1 {x|y}', false],
    ['\u0000\n\\d "<*>"', '\u0000\n\\d "7"', true],
    ['<*>', 'q'.repeat(65), true],
    ['<*>', 'q'.repeat(64), false],
    ['', '', true],
    ['', 'x', false],
  ])('%j and %j: %s', (template, message, matches) => {
    expect(patternOf(template).test(message)).toBe(matches);
  });

  it('begin with a phrase that an index can look up', () => {
    expect(templateTerms('sshd[<*>]: Failed password for root from <*>')?.[0]).toBe(
      'message:"Failed password for root from"',
    );
    expect(templateTerms('<*>: up')?.[0]).toBe('message:up');
    expect(templateTerms('say "hello world" <*>')).toHaveLength(1);
  });

  it('are none where the pattern would be too long', () => {
    expect(templateTerms('<*> '.repeat(100))).toBeUndefined();
  });
});
