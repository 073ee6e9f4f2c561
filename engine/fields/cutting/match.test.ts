/** Captures whose ends an attacker could try to move. */
import { expect, it } from 'vitest';
import { Cutter } from './cutter.ts';
import { type Extractor, readExtractor } from './extractor.ts';
import { cutFields } from './cut-fields.ts';
import { isValid } from './found.ts';

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
  ['[x] from 192.0.2.1', { src_ip: '192.0.2.1' }],
  ['[] from 192.0.2.1', { src_ip: '192.0.2.1' }],
  ['[x] from 203.0.113.9] from 192.0.2.1', undefined],
  ['[x from 192.0.2.1', undefined],
])('reads no further than the next closing bracket: %s', (message, fields) => {
  expect(cutBy({ text: '[{:inside}] from {src_ip}' }, message)).toEqual(fields);
});

it.each([
  ['as x', {}],
  ['as x]', undefined],
])('reads no closing bracket at the end: %s', (message, fields) => {
  expect(cutBy({ text: 'as {:inside}' }, message)).toEqual(fields);
});

it.each([
  ['[root]', { user: 'root' }],
  [String.raw`[EXAMPLE\alice]`, { user: 'alice', user_domain: 'EXAMPLE' }],
  [String.raw`[EXAMPLE\4711]`, { user: '4711', user_domain: 'EXAMPLE' }],
  [String.raw`[src\main.c:7]`, undefined],
  ['[alice@example.org]', { user: 'alice@example.org' }],
  ['[information]', { user: 'information' }],
  ['[Warning]', undefined],
  ['[7]', undefined],
  ['[main.c:7]', undefined],
  [String.raw`[EXAMPLE\]`, undefined],
])('reads what can be the name of an account: %s', (message, fields) => {
  expect(cutBy({ text: '[{user:name}]' }, message)).toEqual(fields);
});

it('looks for the domain of a name in the name only', () => {
  const bytes = new TextEncoder().encode('administrator]: ls\\x');
  let last = 0;
  const watched = new Proxy(bytes, {
    get(target, name) {
      if (name === 'indexOf') return Array.prototype.indexOf;
      const at = Number(name);
      if (Number.isInteger(at)) last = Math.max(last, at);
      return Reflect.get(target, name, target) as unknown;
    },
  });
  expect(isValid('name', watched, 0, 13)).toBe(true);
  expect(last).toBeLessThan(14);
});

it.each([
  ['h,bob,192.0.2.1', { host: 'h', user: 'bob', src_ip: '192.0.2.1' }],
  ['h,,192.0.2.1', { host: 'h', src_ip: '192.0.2.1' }],
  ['h,x,203.0.113.9,192.0.2.1', undefined],
])('ends a cell at the next comma: %s', (message, fields) => {
  expect(cutBy({ text: '{host:cell},{user:cell},{src_ip}' }, message)).toEqual(fields);
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
  ['src=2001:db8:0:0:0:0:0:1:22', { src_ip: '2001:db8::1', src_port: '22' }],
  ['src=2001:db8::1:40001', { src_ip: '2001:db8::1', src_port: '40001' }],
  ['src=2001:db8::1:22', { src_ip: '2001:db8::1:22' }],
  ['src=a:22', {}],
  ['src=a:b:22', {}],
])('reads address and port of an endpoint: %s', (message, fields) => {
  expect(cutBy({ text: '{:pairs}', pairs: { src: 'src_ip:endpoint' } }, message)).toEqual(fields);
});

it.each([
  ['client=192.0.2.1', { src_ip: '192.0.2.1' }],
  ['client=192.0.2.1;x=1', { src_ip: '192.0.2.1' }],
])('reads a single pair, and several with what separates them: %s', (message, fields) => {
  const template = { text: '{:pairs}', pairs: { client: 'src_ip' }, separator: ';' };
  expect(cutBy(template, message)).toEqual(fields);
});

it.each([
  ['client=192.0.2.1:22', { src_ip: '192.0.2.1', src_port: '22' }],
  ['client=192.0.2.1:22;x=1', { src_ip: '192.0.2.1', src_port: '22' }],
  ['client=192.0.2.1:22;client=192.0.2.2:22', undefined],
  ['to client=192.0.2.1:22', undefined],
])('reads strict pairs, of which one may give several fields: %s', (message, fields) => {
  const pairs = { client: 'src_ip:endpoint', port: 'src_port' };
  const template = { text: '{:pairs}', pairs, separator: ';', strict: true };
  expect(cutBy({ ...template, needs: ['src_ip', 'src_port'] }, message)).toEqual(fields);
});

it.each([
  ['user="x src=192.0.2.9" src=192.0.2.1', { user: 'x src=192.0.2.9', src_ip: '192.0.2.1' }],
  ['user="x" src=192.0.2.9 y="" src=192.0.2.1', {}],
  ['user="x" src6=2001:db8::9 y="" src=192.0.2.1', {}],
  ['src=192.0.2.1 user="x" src=192.0.2.1', { user: 'x', src_ip: '192.0.2.1' }],
  ['user="x" user="root" src=192.0.2.1', { src_ip: '192.0.2.1' }],
  [String.raw`user="x\" src=192.0.2.1 note="y"`, { user: 'x\\', src_ip: '192.0.2.1' }],
])('reads pairs with one value for each key: %s', (message, fields) => {
  const pairs = { src: 'src_ip', src6: 'src_ip', user: 'user:text' };
  expect(cutBy({ text: '{:pairs}', pairs, once: true }, message)).toEqual(fields);
});

it.each([
  [String.raw`user="A\x" user="root"`, {}],
  ['user="x@a" user="x@a"', { user: 'x', user_domain: 'a' }],
  ['user="x@a" user="x@b"', { user: 'x' }],
  ['user="x@a" user="x@b" user="x@a"', { user: 'x' }],
  ['user="x" user="x@a" user="x"', { user: 'x', user_domain: 'a' }],
  ['src=192.0.2.1:1 src=192.0.2.1:1', { src_ip: '192.0.2.1', src_port: '1' }],
  ['src=192.0.2.1:1 src=192.0.2.1:2', { src_ip: '192.0.2.1' }],
  ['src=192.0.2.1:1 src=192.0.2.1:2 src=192.0.2.1:3', { src_ip: '192.0.2.1' }],
  ['src=192.0.2.1:1 src=192.0.2.1', { src_ip: '192.0.2.1', src_port: '1' }],
  ['src=192.0.2.1:1 src=192.0.2.9', {}],
])('reads pairs with one domain and port for each key: %s', (message, fields) => {
  const pairs = { src: 'src_ip:endpoint', user: 'user:principal' };
  expect(cutBy({ text: '{:pairs}', pairs, once: true }, message)).toEqual(fields);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:22', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]:22', '2001:db8::1'],
  ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2:3:4:c000:201'],
  ['::', '::'],
  ['1.2.3', undefined],
  ['1:2:3', undefined],
])('finds an address that pairs need, however it is written: %s', (address, src_ip) => {
  const template = { text: '{:pairs}', pairs: { src: 'src_ip:endpoint' }, needs: ['src_ip'] };
  const fields = cutBy(template, `a=b src=${address}`);
  expect(fields).toEqual(src_ip && expect.objectContaining({ src_ip }));
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

const CEF = {
  text: 'CEF:0|{:bar}|{:bar}|{:bar}|{event_code:bar}|{:bar}|{:bar}|{:cef}',
  pairs: {
    suser: 'user:account',
    duser: 'user:account',
    src: 'src_ip',
    msg: 'reason:text',
    request: 'url',
  },
  labels: { 'Rule Name': 'rule:text' },
};

it.each([
  ['src=192.0.2.1 msg=a b c', { src_ip: '192.0.2.1', reason: 'a b c' }],
  ['msg=a \\= b\\\\c\\nd src=192.0.2.1', { src_ip: '192.0.2.1', reason: 'a = b\\c\nd' }],
  [
    'request=http://example.com/?a=b&c=d src=192.0.2.1 ',
    { src_ip: '192.0.2.1', url: 'http://example.com/?a=b&c=d' },
  ],
  ['duser=bob suser=alice', { user: 'alice' }],
  ['suser=EXAMPLE\\\\alice', { user: 'alice', user_domain: 'EXAMPLE' }],
  ['cs1=web out cs1Label=Rule Name cs2=x cs2Label=Other', { rule: 'web out' }],
  ['cs2Label=Rule Name cs1=x', {}],
  ['src=a', {}],
  ['', {}],
  ['src', {}],
])('reads the extension of CEF: %s', (extension, fields) => {
  const message = `CEF:0|Example|Fire\\|wall|1.0|100|a \\| b|5|${extension}`;
  expect(cutBy(CEF, message)).toEqual({ event_code: '100', ...fields });
});

it.each([
  ['1.0|Example|Wall|1|100|src=192.0.2.1\tusrName=a b', { src_ip: '192.0.2.1', user: 'a b' }],
  ['2.0|Example|Wall|1|100|^|src=192.0.2.1^usrName=a b', { src_ip: '192.0.2.1', user: 'a b' }],
  ['2.0|Example|Wall|1|100|x5E|src=192.0.2.1^usrName=a', { src_ip: '192.0.2.1', user: 'a' }],
  ['2.0|Example|Wall|1|100||src=192.0.2.1\tusrName=a', { src_ip: '192.0.2.1', user: 'a' }],
])('reads the attributes of LEEF: %s', (rest, fields) => {
  const text = 'LEEF:{:bar}|{:bar}|{:bar}|{:bar}|{event_code:bar}|{:leef}';
  const pairs = { src: 'src_ip', usrName: 'user:text' };
  expect(cutBy({ text, pairs }, `LEEF:${rest}`)).toEqual({ event_code: '100', ...fields });
});

it.each([
  ['{"a":{"ip":"192.0.2.1"},"user":"a\\u00e9\\"b\\\\c"}', { src_ip: '192.0.2.1', user: 'aé"b\\c' }],
  [
    '{ "x" : [ {"y": 1}, {"y": 2} ] , "a" : { "b": [], "ip" : "192.0.2.1" } }',
    { src_ip: '192.0.2.1' },
  ],
  ['{"user":null,"name":"bob"}', { user: 'bob' }],
  ['{"name":"bob","user":"alice"}', { user: 'alice' }],
  ['{"user":"\\ud83d\\ude00 \\ud83d"}', { user: '😀 �' }],
  ['{"list":["a","b"]}', { reason: 'a' }],
  ['{"port":443,"a":{"ip":', { src_port: '443' }],
  ['{"a.ip":"192.0.2.1"}', { src_ip: '192.0.2.1' }],
  ['{"a":{"a":{"ip":"192.0.2.1"}}}', {}],
  ['{"a":}]}', {}],
  ['{"user":"alice","port":1,"user":"bob"}', { src_port: '1' }],
  [
    '{"user":"alice","a":{"ip":"192.0.2.1"},"user":"alice"}',
    { user: 'alice', src_ip: '192.0.2.1' },
  ],
  ['{"user":"alice","a":{"ip":"192.0.2.1"},"a":{"ip":"192.0.2.2"}}', {}],
  ['{"list":["x","y"],"user":"alice"}', { user: 'alice', reason: 'x' }],
])('reads members of a JSON object: %s', (message, fields) => {
  const pairs = {
    ...{ 'a.ip': 'src_ip', user: 'user:text', name: 'user:text', list: 'reason:text' },
    port: 'src_port',
  };
  expect(cutBy({ text: '{:json}', pairs }, message)).toEqual(fields);
});

it('takes quotes out of columns', () => {
  const template = { text: 'app {:columns}', columns: ['user:text', null, 'src_ip'] };
  expect(cutBy(template, 'app "a ""b"", c",x,192.0.2.1')).toEqual({
    user: 'a "b", c',
    src_ip: '192.0.2.1',
  });
});

it.each([
  ['u=alice', { user: 'alice' }],
  ['u=alice@example.com', { user: 'alice', user_domain: 'example.com' }],
  ['u=EXAMPLE\\alice', { user: 'alice', user_domain: 'EXAMPLE' }],
  ['u=\\alice', { user: '\\alice' }],
  ['u=alice@', { user: 'alice@' }],
])('parts accounts and their domains: %s', (message, fields) => {
  expect(cutBy({ text: '{:pairs}', pairs: { u: 'user:principal' } }, message)).toEqual(fields);
});

it.each([
  ['[2001:db8::1]:443 x', { src_ip: '2001:db8::1', src_port: '443' }],
  ['192.0.2.1:443 x', { src_ip: '192.0.2.1', src_port: '443' }],
  ['example.com:443 x', undefined],
])('reads an endpoint of a template: %s', (message, fields) => {
  expect(cutBy({ text: '{src_ip:endpoint} x' }, message)).toEqual(fields);
});

it.each([
  ['IP: 2001:db8::1. Username: alice', { src_ip: '2001:db8::1', user: 'alice' }],
  ['IP: ::ffff:192.0.2.1. Username: alice', { src_ip: '192.0.2.1', user: 'alice' }],
])('ends an address at the full stop of a sentence: %s', (message, fields) => {
  expect(cutBy({ text: 'IP: {src_ip}. Username: {user:word}' }, message)).toEqual(fields);
});

it('tries extractors whose templates begin with a text before others, and fallbacks last', () => {
  const of = (name: string, text: string, fallback = false): Extractor =>
    readExtractor(
      {
        ...{ extractor: name, version: 1, for: 'tests', leavesOut: 'nothing', fallback },
        ...{ programs: ['*'], templates: [{ text }] },
      },
      `${name}.json`,
    );
  const given = [
    of('last', 'login {user:text}', true),
    of('middle', '{:word} by {user:text}'),
    of('first', 'login by {user:word}'),
  ];
  const cutter = new Cutter(given);
  const extractorOf = (message: string): unknown => cutFields(cutter, 'app', message)['extractor'];
  expect(extractorOf('login by alice')).toBe('first/1');
  expect(extractorOf('login by alice b')).toBe('middle/1');
  expect(extractorOf('login for alice')).toBe('last/1');
});

it.each([
  ['cmd="ls -l"', 'ls -l'],
  ['cmd=6C73202D6C', 'ls -l'],
  ['cmd=6C7300612042', 'ls a B'],
  ['cmd=FF6C', '\ufffdl'],
  ['cmd=(null)', undefined],
  ['cmd=?', undefined],
  ['cmd=6C7', undefined],
  ['cmd=6c73', undefined],
])('reads a value of Linux audit, in quotes or in hexadecimal: %s', (message, command) => {
  const expected = command === undefined ? {} : { command };
  expect(cutBy({ text: 'cmd={command:audit}' }, message)).toEqual(expected);
  const pairs = { cmd: 'command:audit' };
  expect(cutBy({ text: '{:pairs}', pairs }, `a=1 ${message} b=2`)).toEqual(expected);
});

it.each([
  ['a0="ls"', 'ls'],
  ['a0="ls" a1=2D6C00 a2=""', 'ls -l  '],
  ['a0="a" a1_len=9 a1[0]="b" a1[1]=63 a1[2]="d" a2=(null)', 'a bcd (null)'],
  ['a0="a" a1="b', 'a'],
  ['a0="a" x', 'a'],
  ['a0=E4', '\ufffd'],
])('reads the arguments of a command: %s', (message, command) => {
  expect(cutBy({ text: 'argc: {command:arguments}' }, `argc: ${message}`)).toEqual({ command });
});

it.each([
  [1000, { src_ip: '192.0.2.1' }],
  [1_000_000, undefined],
])('looks for the ends of captures in a limited number of bytes: %i', (size, fields) => {
  const message = `a:${'7:'.repeat(100)}${'x'.repeat(size)}! 192.0.2.1`;
  expect(cutBy({ text: '{:word}:{:name}! {src_ip}' }, message)).toEqual(fields);
});

it.each([
  ['02-00-5e-00-53-01', true],
  ['02:00:5E:00:53:01', true],
  ['0200.5e00.5301', true],
  ['02005e-005301', true],
  ['02005e005301', true],
  ['02-00-5e-00-53', false],
  ['02-00:5e-00-53-01', false],
  ['02--00-5e-00-5301', false],
  ['-02-00-5e-00-53-01', false],
  ['02-00-5e-00-53-01-', false],
  ['+4930123456789', false],
  ['447911123456', false],
  ['pc1.example.com', false],
])('reads a hardware address: %s', (written, isOne) => {
  const fields = cutBy({ text: 'from station {src_mac:mac}' }, `from station ${written}`);
  expect(fields).toEqual(isOne ? { src_mac: written } : undefined);
});

it.each([
  ['1,bob,31,192.0.2.1', { user: 'bob', src_ip: '192.0.2.1' }],
  ['1,,31,192.0.2.1,', { src_ip: '192.0.2.1' }],
  ['1,31,31,192.0.2.1', { user: '31', src_ip: '192.0.2.1' }],
  ['1,"bob,31,192.0.2.1', { user: '"bob', src_ip: '192.0.2.1' }],
  ['7,1,31', undefined],
  ['31,192.0.2.1,1', { src_ip: '192.0.2.1' }],
  ['1,bob,1,eve,31,192.0.2.1', { src_ip: '192.0.2.1' }],
  ['31,192.0.2.1,1,bob,31,203.0.113.9', undefined],
])('reads pairs with one separator: %s', (pairs, fields) => {
  const template = {
    ...{ text: 'pairs,{:pairs}', separator: ',', assign: ',', once: true },
    ...{ pairs: { 1: 'user', 31: 'src_ip' }, needs: [['user', 'src_ip']] },
  };
  expect(cutBy(template, `pairs,${pairs}`)).toEqual(fields);
});
