/** Texts that extractors cut, as stored in a batch. */
import { expect, it } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { shippedCutter } from '../../fields/cutting/extractors.ts';
import { rowSpan, textBytesOf } from '../../store/parts/batch-rows.ts';

it('are in the order of rows where messages give some between records that state others', () => {
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
  shippedCutter().cut(batch);
  const bytes = Buffer.from(textBytesOf(batch.cutText('user'), rowSpan(0, rows.length)));
  const users: string[] = [];
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32LE(at))
    users.push(bytes.toString('utf8', at + 4, at + 4 + bytes.readUInt32LE(at)));
  expect(users).toEqual(['alice', 'bob', 'carol', 'dave']);
});
