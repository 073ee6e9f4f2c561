/**
 * A value that importers map to a field is also found by the name it has in the evidence, together with attributes
 * of that name.
 */
import { expect, it } from 'vitest';
import { startQuery } from './query.ts';
import { caseOfFiles } from './testing/case-of-files.ts';

const record = (second: number, eventName: string, sourceIPAddress: string) => ({
  ...{ eventVersion: '1.08', eventTime: `2026-01-01T00:00:0${second}Z`, eventName },
  ...{ eventSource: 'signin.amazonaws.com', awsRegion: 'eu-west-1', sourceIPAddress },
});
const trail = {
  Records: [
    record(1, 'ConsoleLogin', '192.0.2.1'),
    record(2, 'CreateUser', '192.0.2.2'),
    record(3, 'CreateUser', 'rds.amazonaws.com'),
  ],
};
const session = await caseOfFiles({
  'trail.json': JSON.stringify(trail),
  // Another source has an attribute with a name that Microsoft's logs use for event_type.
  'audit.csv': 'ts,operation,note\n2026-01-01T00:00:05Z,read,a\n2026-01-01T00:00:06Z,write,b\n',
});

it.each([
  ['eventName:ConsoleLogin', 1],
  ['eventname:create*', 2],
  ['sourceIPAddress:192.0.2.0/24', 2],
  ['sourceIPAddress:192.0.2.2', 1],
  ['eventTime:2026-01-01T00:00:02', 1],
])('%s finds %i', async (query, expected) => {
  const text = `${query} | count`;
  const answer = await startQuery(session, { text, zone: 'UTC' }).answer();
  expect('count' in answer ? Number(answer.count) : undefined).toBe(expected);
});

it('leaves attributes of common names what they are', async () => {
  const text = 'operation:read | values operation';
  const answer = await startQuery(session, { text, zone: 'UTC' }).answer();
  expect('rows' in answer ? answer.rows : answer).toEqual([{ operation: 'read', count: 1 }]);
});
