import { expect, it } from 'vitest';
import { flowGroups } from './flow-groups.ts';

it('groups the fields of a flow, each once, and keeps those that it does not know', () => {
  const names = [
    ...['src_ip', 'dst_ip', 'src_port', 'dst_port', 'proto', 'vlan', 'bytes', 'bytes_rev'],
    ...['duration', 'conn_state', 'history', 'a_new_field', 'offset'],
  ];
  const groups = flowGroups(names.map((name) => ({ name })));
  const told = groups.map(({ heading, fields }) => [heading, fields.map(({ name }) => name)]);
  expect(told).toEqual([
    ['Who', ['src_ip', 'src_port', 'dst_ip', 'dst_port']],
    ['What', ['proto', 'conn_state', 'history', 'vlan', 'a_new_field']],
    ['Volume', ['bytes', 'bytes_rev']],
    ['Time', ['duration']],
    ['Record', ['offset']],
  ]);
});
