/** Elements of XML in messages. */
import { expect, it } from 'vitest';
import { Cutter } from '../cutting/cutter.ts';
import { readExtractor } from '../cutting/extractor.ts';
import { cutFields } from '../cutting/cut-fields.ts';

const cutter = new Cutter([
  readExtractor(
    {
      ...{ extractor: 'x', version: 1, for: 'x', leavesOut: 'x', programs: ['*'] },
      templates: [
        {
          text: '<Event>{:xml}',
          pairs: { Computer: 'host:text', User: 'user:text', 'Provider.Guid': 'rule:text' },
          needs: ['host'],
        },
      ],
    },
    'x.json',
  ),
]);

it.each<[string, string, Record<string, string>]>([
  ['a text', '<Event><Computer>a</Computer></Event>', { host: 'a' }],
  [
    'a name of its own',
    '<Event><Computer>a</Computer><D Name="User">b</D>',
    { host: 'a', user: 'b' },
  ],
  ['an attribute', "<Event><Computer>a</Computer><Provider Guid='g'/>", { host: 'a', rule: 'g' }],
  ['a name space', '<Event><s:Computer>a</s:Computer>', { host: 'a' }],
  [
    'entities',
    '<Event><Computer>a</Computer><User>b &amp; &#x63;&#100; &lt;&other;&#xD800;</User>',
    { host: 'a', user: 'b & cd <&other;&#xD800;' },
  ],
  ['the first of two', '<Event><Computer>a</Computer><Computer>b</Computer>', { host: 'a' }],
  ['an empty element', '<Event><Computer></Computer><Computer> a </Computer>', { host: 'a' }],
  ['one that is cut off', '<Event><Computer>a', {}],
  ['an attribute that is cut off', '<Event><Computer Name="a', {}],
  ['an attribute without quotes', '<Event><x a=b><Computer>a</Computer>', {}],
])('%s', (_, message, fields) => {
  const { extractor, ...found } = cutFields(cutter, '', message);
  expect(found).toEqual(fields);
  expect(extractor).toBe(Object.keys(fields).length === 0 ? undefined : 'x/1');
});

it.each<[string, string, Record<string, string>]>([
  [
    'the same twice',
    '<R><User>b</User><Ip>192.0.2.1</Ip><User>b</User></R>',
    { user: 'b', src_ip: '192.0.2.1' },
  ],
  ['two names', '<R><User>b</User><Ip>192.0.2.1</Ip><User>c</User></R>', { src_ip: '192.0.2.1' }],
  ['two addresses', '<R><User>b</User><Ip>192.0.2.1</Ip><Ip>203.0.113.9</Ip></R>', {}],
])('believes an element once, if so told: %s', (_, message, fields) => {
  const once = new Cutter([
    readExtractor(
      {
        ...{ extractor: 'y', version: 1, for: 'y', leavesOut: 'y', programs: ['*'] },
        templates: [
          {
            ...{ text: '<R>{:xml}', once: true, pairs: { User: 'user:text', Ip: 'src_ip' } },
            needs: [['user', 'src_ip']],
          },
        ],
      },
      'y.json',
    ),
  ]);
  const { extractor, ...found } = cutFields(once, '', message);
  expect(found).toEqual(fields);
  expect(extractor).toBe(Object.keys(fields).length === 0 ? undefined : 'y/1');
});
