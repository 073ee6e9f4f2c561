/** Fields of records as JSON in messages. */
import { expect, it } from 'vitest';
import { EventBatch } from '../../../columns/event-batch.ts';
import { Cutter } from '../../cutting/cutter.ts';
import { shippedExtractors } from '../../cutting/extractors.ts';
import { cutFields } from '../../cutting/cut-fields.ts';

const all = new Cutter(shippedExtractors());

it.each<[string, string, Record<string, string>]>([
  [
    'after a text, by general names',
    'app[7]: @cee: {"client_ip":"192.0.2.1","user_name":"alice","n":1}',
    { src_ip: '192.0.2.1', user: 'alice', extractor: 'json/8' },
  ],
  [
    'by the names of its dialect',
    'audit {"eventTime":"2026-11-21T00:00:01Z","eventSource":"iam.amazonaws.com","eventName":"ListUsers",' +
      '"eventVersion":"1.08","userIdentity":{"type":"IAMUser","userName":"bob"},"sourceIPAddress":"192.0.2.9"}',
    {
      ...{ src_ip: '192.0.2.9', user: 'bob', action: 'ListUsers', outcome: 'success' },
      ...{ service_name: 'iam.amazonaws.com', extractor: 'json/8' },
    },
  ],
  [
    'whether something worked, by the name of its dialect',
    'TNAUDIT_SMB: @cee:{"TNAUDIT": {"aid": "a1", "addr": "192.0.2.1", "user": "alice", "sess": "s1", "svc": "SMB", "event": "AUTHENTICATION", "event_data": "{}", "success": false}}',
    {
      ...{ src_ip: '192.0.2.1', user: 'alice', action: 'AUTHENTICATION', outcome: 'failure' },
      ...{ session: 's1', extractor: 'json/8' },
    },
  ],
  [
    'no outcome by a name that may mean another',
    'x: {"client_ip":"192.0.2.1","success":true}',
    { src_ip: '192.0.2.1', extractor: 'json/8' },
  ],
  [
    'the host that wrote it, and an address with its port',
    '{"hostname":"fw1","source":{"address":"[2001:db8::1]:443"}}',
    { host: 'fw1', src_ip: '2001:db8::1', src_port: '443', extractor: 'json/8' },
  ],
  [
    'before the empty list that Monolog writes, by what its text says',
    'x: {"remote_ip":"192.0.2.1","method":"POST","path":"/api","msg":"Failed attempt by user \'bob\': not found"} []',
    {
      ...{ src_ip: '192.0.2.1', user: 'bob', http_method: 'POST', url: '/api' },
      extractor: 'json/8',
    },
  ],
  [
    'an account whose domain ends with two backslashes',
    String.raw`{"user_name":"EXAMPLE\\\\alice"}`,
    { user: 'alice', user_domain: 'EXAMPLE', extractor: 'json/8' },
  ],
  [
    'an open file of Falco',
    '{"output":"x","priority":"Notice","rule":"r","time":"x","output_fields":{"fd.name":"/etc/shadow"}}',
    { rule: 'r', file_path: '/etc/shadow', extractor: 'json/8' },
  ],
  [
    'a connection of Falco, which is no file',
    '{"output":"x","priority":"Notice","rule":"r","time":"x","output_fields":{"fd.name":"192.0.2.1:40112->198.51.100.1:443"}}',
    { rule: 'r', extractor: 'json/8' },
  ],
  [
    'a request, with the host that was asked for',
    '{"host":"www.example.org","method":"GET","url":"/x"}',
    { dst_domain: 'www.example.org', http_method: 'GET', url: '/x', extractor: 'json/8' },
  ],
  [
    'what may be of a request, with a host that may be either',
    '{"host":"web1","url":"/x"}',
    { url: '/x', extractor: 'json/8' },
  ],
  [
    'a status that is of no request, with the host that wrote it',
    '{"host":"db1","status":"ok","user_name":"alice"}',
    { host: 'db1', user: 'alice', extractor: 'json/8' },
  ],
  ['a name that is stated twice', 'app: {"user_name":"alice","user_name":"mallory"}', {}],
  [
    'a name that the record within it states twice',
    'app: {"message":"{\\"client_ip\\":\\"192.0.2.1\\",\\"client_ip\\":\\"192.0.2.2\\"}"}',
    {},
  ],
  ['an object that does not end the message', 'app: {"user":"alice"} was seen', {}],
  ['an object that is cut off', 'app: {"user":"alice","client_ip":"192.0.2.1', {}],
  ['an object nested too deeply', `{"a":${'['.repeat(200_000)}}`, {}],
  ['braces that are no object', 'app: {alice}', {}],
])('%s', (_, message, fields) => {
  expect(cutFields(all, 'app', message)).toEqual(fields);
});

it('takes the severity of a Windows event from a number, if its name is in another language', () => {
  const batch = new EventBatch('log', () => undefined, 2);
  const record = { EventID: 7031, Channel: 'System', LevelDisplayName: 'Fehler', Level: '2' };
  batch.message.setString(0, `app: ${JSON.stringify(record)}`);
  batch.endRow();
  all.cut(batch);
  expect(batch.severity.present[0]).toBe(1);
  expect(batch.severity.values[0]).toBe(3);
});
