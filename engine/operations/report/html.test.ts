import { expect, it } from 'vitest';
import { brief, markup, paragraphs, plainText, table } from './html.ts';

it.each([
  ['<script>"&\'', '&lt;script&gt;&quot;&amp;&#39;'],
  ['a\u202eb', 'a<span class="control">\\u202e</span>b'],
  [
    '\0\n\u001b',
    '<span class="control">\\x00</span><span class="control">\\x0a</span><span class="control">\\x1b</span>',
  ],
  ['\u200b\ufeff', '<span class="control">\\u200b</span><span class="control">\\ufeff</span>'],
  ['\u{e0041}', '<span class="control">\\u{e0041}</span>'],
  ['\ud800x', '<span class="control">\\ud800</span>x'],
  ['\\u202e', '\\u202e'],
  ['grüße 😀', 'grüße 😀'],
])('shows %j as text', (text, shown) => {
  expect(markup`<p>${text}</p>`.markup).toBe(`<p>${shown}</p>`);
});

it('has no markup in attributes', () => {
  expect(plainText('"><b>\u202e').markup).toBe('&quot;&gt;&lt;b&gt;\\u202e');
});

it('cuts what is long and says by how much', () => {
  expect(markup`${'x'.repeat(1_000_000)}`.markup).toMatch(
    /^x{2000}<span.* … 998,000 more characters/,
  );
  expect(brief('abcdef', 2).markup).toBe('ab<span class="cut"> … 4 more characters</span>');
});

it('keeps the line feeds of what people wrote', () => {
  expect(paragraphs('a\r\nb\n<c>').markup).toBe('a<br>\nb<br>\n&lt;c&gt;');
});

it('leaves nothing of a hostile table but text', () => {
  const { markup: text } = table('<i>', [{ name: '<b>' }], [['<u>']], ['<s>']);
  expect(text).not.toMatch(/<[ibus]>/);
  expect(text.match(/&lt;[ibus]&gt;/g)).toHaveLength(4);
});
