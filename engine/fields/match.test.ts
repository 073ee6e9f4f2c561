/** Captures whose ends an attacker could try to move. */
import { expect, it } from 'vitest';
import { Cutter } from './cutter.ts';
import { readExtractor } from './extractor.ts';
import { cutFields } from './testing/cut-fields.ts';

function cutBy(template: Readonly<Record<string, unknown>>, message: string): unknown {
  const given = { extractor: 'test', version: 1, for: 'tests', leavesOut: 'nothing' };
  const one = readExtractor({ ...given, programs: ['app'], templates: [template] }, 'test.json');
  const { extractor, ...fields } = cutFields(new Cutter([one]), 'app', message);
  return extractor === undefined ? undefined : fields;
}

it.each([
  ['x, client: 192.0.2.1', { src_ip: '192.0.2.1' }],
  ['x, client: 203.0.113.9, y, client: 192.0.2.1', undefined],
  ['x', undefined],
])('takes what is before a text that occurs once: %s', (message, fields) => {
  expect(cutBy({ text: '{:sole}, client: {src_ip}{:rest}' }, message)).toEqual(fields);
});

it.each([
  ['"a" 200', { user_agent: 'a', http_status: '200' }],
  [String.raw`"a\" 404 \"b" 200`, { user_agent: String.raw`a\" 404 \"b`, http_status: '200' }],
  [String.raw`"a\" 404`, undefined],
])('ends a quoted value at a quote that is not escaped: %s', (message, fields) => {
  expect(cutBy({ text: '"{user_agent:quoted}" {http_status:number}' }, message)).toEqual(fields);
});

it.each([
  ['src=192.0.2.1:22:X0', { src_ip: '192.0.2.1', src_port: '22' }],
  ['src=192.0.2.1::X0', { src_ip: '192.0.2.1' }],
  ['src=192.0.2.1', { src_ip: '192.0.2.1' }],
  ['src=192.0.2.1:70000', { src_ip: '192.0.2.1' }],
  ['src=2001:db8::1', { src_ip: '2001:db8::1' }],
  ['src=a:22', {}],
])('reads address and port of an endpoint: %s', (message, fields) => {
  expect(cutBy({ text: '{:pairs}', pairs: { src: 'src_ip:endpoint' } }, message)).toEqual(fields);
});

it('leaves out spaces before a value where another text separates pairs', () => {
  const pairs = { SrcIP: 'src_ip', User: 'user:text' };
  const template = { text: '{:pairs}', pairs, separator: ',', assign: ':' };
  expect(cutBy(template, 'SrcIP: 192.0.2.1, User: a b')).toEqual({
    src_ip: '192.0.2.1',
    user: 'a b',
  });
});

it.each([
  ['GET /a?b=c HTTP/1.1', { http_method: 'GET', url: '/a?b=c' }],
  ['GET /a b HTTP/1.1', { http_method: 'GET', url: '/a b' }],
  ['GET /old', { http_method: 'GET', url: '/old' }],
  ['POST https://www.example.com/', { http_method: 'POST', url: 'https://www.example.com/' }],
  [String.raw`\x16\x03 \x01`, { url: String.raw`\x16\x03 \x01` }],
  [String.raw`GET /x HTTP/1.1\" 200 5 \"-`, { url: String.raw`GET /x HTTP/1.1\" 200 5 \"-` }],
  ['hello', { url: 'hello' }],
  ['-', {}],
  ['', {}],
])('takes a request line apart: %s', (request, fields) => {
  expect(cutBy({ text: '"{:request}" 200' }, `"${request}" 200`)).toEqual(fields);
});
