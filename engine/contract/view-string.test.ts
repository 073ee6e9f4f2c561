import { expect, test } from 'vitest';
import { formatView, parseView, type View } from './view-string.ts';

const views: [string, View][] = [
  ['the least', { query: '', zone: 'UTC' }],
  [
    'everything',
    {
      query: 'src_ip=10.0.0.0/8 "a & b" | top dst_port #?+%20',
      from: 1_700_000_000_000_000,
      to: 1_700_000_060_000_001,
      zone: 'Europe/Berlin',
      tab: 'talkers',
      sort: { field: 'attrs.x:y', descending: true },
      by: ['src_ip', 'attrs.a,b&c=d'],
      columns: ['ts', 'message', 'attrs.ü'],
      others: [
        ['later', '1'],
        ['later', '2'],
      ],
    },
  ],
  ['a time before 1970', { query: 'x', from: -1, zone: '+02:00' }],
  ['ascending', { query: 'x', zone: 'UTC', sort: { field: 'bytes', descending: false } }],
  ['line feeds, controls and emoji', { query: 'a\nb\t\u202e😀\0', zone: 'UTC' }],
];

test.each(views)('%s comes back as it was', (_, view) => {
  const text = formatView(view);
  expect(parseView(text)).toEqual(view);
  expect(formatView(parseView(text))).toBe(text);
  expect(text).toMatch(/^\?[\x21-\x7e]*$/);
});

test.each([
  ['', { query: '', zone: 'UTC' }],
  ['?', { query: '', zone: 'UTC' }],
  ['q=a', { query: 'a', zone: 'UTC' }],
  ['http://127.0.0.1:1234/case?q=a?b', { query: 'a?b', zone: 'UTC' }],
  ['?q=%', { query: '%', zone: 'UTC' }],
  ['?q=a&from=yesterday&to=1e3&sort=:desc&by=&tz=', { query: 'a', zone: 'UTC' }],
  ['?q=a&from=99999999999999999999', { query: 'a', zone: 'UTC' }],
  ['?q=a&sort=bytes', { query: 'a', zone: 'UTC', sort: { field: 'bytes', descending: false } }],
  ['?q=a&__proto__=x', { query: 'a', zone: 'UTC', others: [['__proto__', 'x']] }],
] as const)('%j is read as far as it goes', (text, view) => {
  expect(parseView(text)).toEqual(view);
});
