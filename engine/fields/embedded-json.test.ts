/** Fields of records as JSON in messages. */
import { expect, it } from 'vitest';
import { EventBatch } from '../contract/event-batch.ts';
import { rowSpan, textBytesOf } from '../store/batch-rows.ts';
import { Cutter } from './cutter.ts';
import { shippedExtractors } from './extractors.ts';
import { cutFields } from './cut-fields.ts';

const all = new Cutter(shippedExtractors());

it.each<[string, string, Record<string, string>]>([
  [
    'after a text, by general names',
    'app[7]: @cee: {"client_ip":"192.0.2.1","user_name":"alice","n":1}',
    { src_ip: '192.0.2.1', user: 'alice', extractor: 'json/1' },
  ],
  [
    'by the names of its dialect',
    'audit {"eventTime":"2026-11-21T00:00:01Z","eventSource":"iam.amazonaws.com","eventName":"ListUsers",' +
      '"eventVersion":"1.08","userIdentity":{"type":"IAMUser","userName":"bob"},"sourceIPAddress":"192.0.2.9"}',
    {
      ...{ src_ip: '192.0.2.9', user: 'bob', action: 'ListUsers', outcome: 'success' },
      ...{ service_name: 'iam.amazonaws.com', extractor: 'json/1' },
    },
  ],
  [
    'the host that wrote it, and an address with its port',
    '{"hostname":"fw1","source":{"address":"[2001:db8::1]:443"}}',
    { host: 'fw1', src_ip: '2001:db8::1', src_port: '443', extractor: 'json/1' },
  ],
  ['an object that does not end the message', 'app: {"user":"alice"} was seen', {}],
  ['an object that is cut off', 'app: {"user":"alice","client_ip":"192.0.2.1', {}],
  ['an object nested too deeply', `{"a":${'['.repeat(200_000)}}`, {}],
  ['braces that are no object', 'app: {alice}', {}],
])('%s', (_, message, fields) => {
  expect(cutFields(all, 'app', message)).toEqual(fields);
});

it('between records that state a field, in the order of the rows', () => {
  const batch = new EventBatch('log', () => undefined, 8);
  const rows: [user: string | undefined, message: string][] = [
    [undefined, 'app: {"user_name":"alice","client_ip":"192.0.2.1"}'],
    ['bob', 'opened'],
    [undefined, 'closed'],
    [undefined, 'app: {"user_name":"carol","client_ip":"192.0.2.2"}'],
    ['dave', 'opened'],
  ];
  for (const [user, message] of rows) {
    if (user !== undefined) batch.cutText('user').setString(batch.length, user);
    batch.message.setString(batch.length, message);
    batch.endRow();
  }
  all.cut(batch);
  const bytes = Buffer.from(textBytesOf(batch.cutText('user'), rowSpan(0, rows.length)));
  const users: string[] = [];
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32LE(at))
    users.push(bytes.toString('utf8', at + 4, at + 4 + bytes.readUInt32LE(at)));
  expect(users).toEqual(['alice', 'bob', 'carol', 'dave']);
});
