/** Names under which evidence has the content of a column are resolved, and unknown ones are errors. */
import { expect, it } from 'vitest';
import { eventFields } from './fields.ts';
import { QueryError } from '../syntax/query-error.ts';

it.each([
  ['ipAddress', 'src_ip'],
  ['SrcAddr', 'src_ip'],
  ['callerIpAddress', 'src_ip'],
  ['winlog.event_data.IpPort', 'src_port'],
  ['protoPayload.requestMetadata.callerIp', 'src_ip'],
  ['properties.RemoteIP', 'ip'],
])('%s is %s where no attribute has that name', (name, field) => {
  expect(eventFields([])({ name, start: 0, end: 0 }).name).toBe(field);
});

it('a name that nothing has is an error', () => {
  expect(() => eventFields([])({ name: 'nothing_like_it', start: 0, end: 0 })).toThrow(QueryError);
});
