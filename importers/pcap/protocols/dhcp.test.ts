import { expect, it } from 'vitest';
import { ascii, cat, ethernet, hex, ip4, n16, n32, udp } from '../testing/build.ts';
import { type Frame, of } from './testing/frames.ts';

const option = (code: number, data: Uint8Array): Uint8Array =>
  cat(Uint8Array.of(code, data.length), data);

function message(operation: 1 | 2, type: number, assigned: string, ...options: Uint8Array[]) {
  return cat(
    ...[Uint8Array.of(operation, 1, 6, 0), n32(0x01020304), n16(0), n16(0), n32(0), assigned],
    ...[n32(0), n32(0), '0a0000000001', '00'.repeat(10 + 64 + 128), '63825363'],
    ...[option(53, Uint8Array.of(type)), ...options, 'ff'],
  );
}
function frame(isFromClient: boolean, payload: Uint8Array): Frame {
  const [src, dst] = isFromClient ? [68, 67] : [67, 68];
  const [from, to] = isFromClient ? ['0.0.0.0', '255.255.255.255'] : ['192.0.2.1', '192.0.2.17'];
  return ethernet(0x0800, ip4({ src: from, dst: to, proto: 17 }, udp(src, dst, payload)));
}
const REQUEST = message(
  ...([1, 3, '00000000'] as const),
  option(12, ascii('host1')),
  option(50, hex('c0000211')),
  option(81, cat('040000', '05', ascii('host1'), '07', ascii('example'), '03', ascii('com'), '00')),
  // In two pieces (RFC 3396).
  option(60, ascii('vendor')),
  option(60, ascii(' 1')),
);
const ACK = message(
  ...([2, 5, 'c0000211'] as const),
  option(54, hex('c0000201')),
  option(51, n32(3600)),
  option(6, hex('c0000202c0000203')),
);

it('says who asks for an address, and which one is given', async () => {
  const [request, ack, ...more] = await of('dhcp', [frame(true, REQUEST), frame(false, ACK)]);
  expect(more).toEqual([]);
  expect(request).toMatchObject({
    ...{ src_ip4: 0, dst_ip4: 0xffffffff, src_port: 68, event_type: 'REQUEST' },
    ...{ src_mac: '0a:00:00:00:00:01', service: 'dhcp' },
    message: 'REQUEST 0a:00:00:00:00:01 host1 192.0.2.17',
  });
  expect(request?.attrs).toEqual({
    ...{ msg_types: 'REQUEST', trans_id: '16909060', mac: '0a:00:00:00:00:01', host_name: 'host1' },
    ...{ client_fqdn: 'host1.example.com', requested_addr: '192.0.2.17', vendor_class: 'vendor 1' },
  });
  // The client, and the server that answers it.
  expect(ack).toMatchObject({ src_ip4: 0xc0000211, dst_ip4: 0xc0000201, outcome: 'success' });
  expect(ack?.attrs).toMatchObject({
    ...{ assigned_addr: '192.0.2.17', server_addr: '192.0.2.1', lease_time: '3600' },
    dns_servers: '["192.0.2.2","192.0.2.3"]',
  });
});

it('says where a relay has a client', async () => {
  const circuit = option(1, ascii('eth 1/2'));
  const remote = option(2, hex('0006 0a0000000001'));
  const relayed = message(1, 1, '00000000', option(82, cat(circuit, remote)));
  const [row] = await of('dhcp', [frame(true, relayed)]);
  expect(row?.attrs).toMatchObject({ circuit_id: 'eth 1/2', agent_remote_id: '00060a0000000001' });
});

it('names the flow', async () => {
  const rows = await of('flow', [frame(true, REQUEST)]);
  expect(rows.map((row) => row['service'])).toEqual(['dhcp']);
});

it('takes what has no cookie for none, and options that end after the message for their end', async () => {
  const other = Uint8Array.from(REQUEST);
  other[236] = 0;
  expect(await of('dhcp', [frame(true, other)])).toEqual([]);
  const [row] = await of('dhcp', [frame(true, REQUEST.subarray(0, 246))]);
  expect(row?.attrs).toEqual({
    ...{ msg_types: 'REQUEST', trans_id: '16909060', mac: '0a:00:00:00:00:01' },
  });
});
