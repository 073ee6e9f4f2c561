/** RDP, SIP, Modbus and DNP3. */
import { describe, expect, it } from 'vitest';
import { ascii, cat, hex, n16 } from '../testing/build.ts';
import { dnp3 } from './testing/dnp3.ts';
import { datagram, events, exchange, type Frame, of, stream } from './testing/frames.ts';
import { clientHello, handshake } from './testing/hellos.ts';

describe('RDP', () => {
  const { client, server } = stream(33_890);
  const packet = (code: number, ...parts: readonly (Uint8Array | string)[]): Uint8Array => {
    const data = cat(...parts);
    const length = 6 + data.length;
    return cat('0300', n16(length + 5), Uint8Array.of(length, code), '00000000 00', data);
  };
  const ask = packet(0xe0, ascii('Cookie: mstshash=alice\r\n'), '01 00 0800 03000000');

  it('says which account asks for a session, and goes on with TLS', async () => {
    const confirm = packet(0xd0, '02 00 0800 01000000');
    const rows = await events([
      ...[client(1, ask), server(1, confirm), client(1 + ask.length, handshake(1, clientHello()))],
    ]);
    const [row, tls] = rows.filter(({ kind }) => kind !== 'flow');
    expect(row).toMatchObject({
      ...{ kind: 'rdp', event_type: 'connection', user: 'alice', service: 'rdp' },
      attrs: {
        cookie: 'mstshash=alice',
        security_protocol: 'TLS',
        requested_protocols: '["TLS","CredSSP"]',
      },
    });
    expect(tls?.kind).toBe('tls');
  });

  it('says that it was refused', async () => {
    const [row] = await of('rdp', [client(1, ask), server(1, packet(0xd0, '03 00 0800 05000000'))]);
    expect(row).toMatchObject({ outcome: 'failure', reason: 'HYBRID_REQUIRED_BY_SERVER' });
  });

  it('is not the connection of a controller, which begins alike', async () => {
    const s7 = packet(0xe0, hex('c0010a c1020100 c2020102'));
    expect(await of('rdp', [client(1, s7)])).toEqual([]);
  });
});

describe('Modbus', () => {
  const { client, server } = stream(502);

  it.each([Infinity, 1])(
    'says what is read and written, and what is refused (pieces of %s)',
    async (cut) => {
      const [read, refused] = [
        hex('0001 0000 0006 01 03 0010 0002'),
        hex('0001 0000 0003 01 83 02'),
      ];
      const [write, written] = [
        hex('0002 0000 0006 01 05 0007 ff00'),
        hex('0002 0000 0006 01 05 0007 ff00'),
      ];
      const pieces = (send: typeof client, from: number, bytes: Uint8Array) =>
        Array.from({ length: Math.ceil(bytes.length / cut) || 1 }, (_, i) => {
          const at = cut === Infinity ? 0 : i * cut;
          return send(from + at, bytes.subarray(at, at + cut));
        });
      const rows = await of('modbus', [
        ...[...pieces(client, 1, read), ...pieces(server, 1, refused)],
        ...[
          ...pieces(client, 1 + read.length, write),
          ...pieces(server, 1 + refused.length, written),
        ],
      ]);
      expect(rows.map((row) => [row['message'], row['outcome']])).toEqual([
        ['READ_HOLDING_REGISTERS unit 1 at 16 ILLEGAL_DATA_ADDRESS', 'failure'],
        ['WRITE_SINGLE_COIL unit 1 at 7', 'success'],
      ]);
      expect(rows[0]?.attrs).toMatchObject({ func: 'READ_HOLDING_REGISTERS', quantity: '2' });
      expect(rows[1]?.attrs).toMatchObject({ value: '65280', address: '7' });
    },
  );
});

describe('Modbus with gaps', () => {
  const frames = (...lost: readonly number[]): Frame[] => {
    const read = (unit: number): Uint8Array =>
      cat('0000 0000 0006', Uint8Array.of(unit), '03 0010 0001');
    const value = (unit: number): Uint8Array =>
      cat('0000 0000 0005', Uint8Array.of(unit), '03 02 0007');
    const all = [1, 2, 3].flatMap((unit) => [read(unit), value(unit)]);
    return exchange(502, all).filter((_, at) => !lost.includes(at));
  };
  const told = async (...lost: readonly number[]): Promise<unknown[]> =>
    (await of('modbus', frames(...lost))).map((row) => [row.attrs['unit'], row['outcome']]);

  it('goes on after them, and pairs nothing across them', async () => {
    expect(await told()).toEqual(['1', '2', '3'].map((unit) => [unit, 'success']));
    // All have one number: the first request's response and the second request are lost.
    expect((await told(1)).toSorted()).toEqual([
      ['1', undefined],
      ['2', 'success'],
      ['3', 'success'],
    ]);
    expect((await told(1, 2)).toSorted()).toEqual([
      ['1', undefined],
      ['2', 'success'],
      ['3', 'success'],
    ]);
  });
});

describe('DNP3', () => {
  const [master, outstation] = [{ isFromMaster: true }, { isFromMaster: false }];
  const OPERATE = dnp3(master, 5, '0c01 28 0100 0300 0301 64000000 64000000 00');
  const REFUSED = dnp3(outstation, 129, '8004');
  const NEWS = dnp3(outstation, 130, '0000', '0201 28 0100 0100 81');

  it.each([Infinity, 1])('says requests with their responses (pieces of %s)', async (cut) => {
    const all = [OPERATE, cat(REFUSED, NEWS), dnp3(master, 0), new Uint8Array(0)];
    const rows = await of('dnp3', exchange(5000, [...all, dnp3(master, 13)], cut));
    expect(rows.map((row) => [row['message'], row['outcome']])).toEqual([
      ['DIRECT_OPERATE g12v1 outstation 10 PARAMETER_ERROR', 'failure'],
      ['UNSOLICITED_RESPONSE g2v1 outstation 10', undefined],
      ['CONFIRM outstation 10', undefined],
      ['COLD_RESTART outstation 10', undefined],
    ]);
    expect(rows[0]?.attrs).toMatchObject({
      ...{ fc_request: 'DIRECT_OPERATE', fc_reply: 'RESPONSE', iin: '32772', master: '1' },
      indications: '["DEVICE_RESTART","PARAMETER_ERROR"]',
    });
    expect(rows[0]).toMatchObject({ service: 'dnp3', reason: 'PARAMETER_ERROR' });
  });

  it('is read from datagrams, each outstation for itself', async () => {
    const other = { outstation: 11, sequence: 3 };
    const rows = await of('dnp3', [
      ...[datagram(true, 20_000, cat(dnp3(master, 1), dnp3({ ...master, ...other }, 2)))],
      ...[datagram(false, 20_000, dnp3({ ...outstation, ...other }, 129, '0000'))],
      // It answers no known request.
      ...[datagram(false, 20_000, dnp3({ ...outstation, sequence: 5 }, 129, '0000'))],
    ]);
    expect(rows.map((row) => [row['event_type'], row.attrs['fc_reply'], row['src_port']])).toEqual([
      ['WRITE', 'RESPONSE', 40_000],
      ['RESPONSE', 'RESPONSE', 40_000],
      ['READ', undefined, 40_000],
    ]);
  });

  it('is known by its check sums', async () => {
    const changed = OPERATE.slice();
    changed[4]! ^= 1;
    expect(await of('dnp3', exchange(20_000, [changed]))).toEqual([]);
    const content = OPERATE.slice();
    content[15]! ^= 1;
    const [row] = await of('dnp3', exchange(20_000, [content]));
    expect(row?.attrs['problem']).toBe('its check sum is wrong');
  });
});

describe('SIP', () => {
  const invite = [
    'INVITE sip:bob@example.com SIP/2.0',
    'Via: SIP/2.0/UDP 192.0.2.17',
    'f: "Alice" <sip:alice@example.com>;tag=1',
    'To: <sip:bob@example.com>',
    'Call-ID: 42@example.com',
    'CSeq: 1 INVITE',
    'User-Agent: phone 1',
    'c: text/plain',
    'l: 4',
    '',
    'body',
  ].join('\r\n');
  const busy = invite
    .replace(/^.*/, 'SIP/2.0 486 Busy Here')
    .replace('l: 4', 'l: 0')
    .replace(/body$/, '');

  it.each(['udp', 'tcp'])('says who calls whom (%s)', async (transport) => {
    const { client, server } = stream(5060);
    const frames =
      transport === 'udp'
        ? [datagram(true, 5060, ascii(invite)), datagram(false, 5060, ascii(busy))]
        : [
            ...[client(1, invite.slice(0, 60)), client(61, invite.slice(60)), server(1, busy)],
            client(1 + invite.length, invite),
          ];
    const rows = await of('sip', frames);
    expect(rows.slice(0, 2).map((row) => [row['event_type'], row['message']])).toEqual([
      ['request', 'INVITE alice → bob'],
      ['response', 'INVITE alice → bob 486 Busy Here'],
    ]);
    expect(rows).toHaveLength(transport === 'udp' ? 2 : 3);
    expect(rows[0]).toMatchObject({
      ...{ user: 'alice', user_agent: 'phone 1', url: 'sip:bob@example.com', service: 'sip' },
      attrs: {
        ...{ call_id: '42@example.com', method: 'INVITE', to_user: 'bob' },
        ...{ request_body_len: '4', content_type: 'text/plain' },
      },
    });
    expect(rows[1]).toMatchObject({ outcome: 'failure', reason: 'Busy Here', src_port: 40_000 });
  });

  it('goes on after a gap, and over line ends between messages', async () => {
    const { client } = stream(5060);
    const second = 1 + invite.length + 4;
    const frames = [client(1, invite), client(1 + invite.length, '\r\n\r\n')];
    const rows = await of('sip', [
      ...[...frames, client(second, invite), client(second + 2 * invite.length, invite)],
      client(second + 3 * invite.length, invite),
    ]);
    expect(rows).toHaveLength(4);
  });
});
