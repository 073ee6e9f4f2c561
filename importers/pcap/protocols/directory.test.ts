/** Kerberos, LDAP and SNMP: messages in BER. */
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../shared/testing/collect.ts';
import { ascii, cat } from '../testing/build.ts';
import {
  ber,
  bind,
  framed,
  message,
  refusal,
  reply,
  request,
  result,
  search,
  sequence,
  text,
  whole,
} from './testing/directory.ts';
import { datagram, events, type Frame, of, stream } from './testing/frames.ts';

/** Messages in turn, the client's first. */
function exchange(port: number, messages: readonly Uint8Array[], cut = Infinity): Frame[] {
  const { client, server } = stream(port);
  const next = [1, 1];
  return messages.flatMap((message, i) => {
    const frames: Frame[] = [];
    for (let at = 0; at < message.length; at += cut) {
      const piece = message.subarray(at, at + cut);
      frames.push((i % 2 === 0 ? client : server)(next[i % 2]!, piece));
      next[i % 2]! += piece.length;
    }
    return frames;
  });
}
async function said(frames: readonly Frame[]): Promise<CollectedRow[]> {
  return (await events(frames)).filter(({ kind }) => kind !== 'flow');
}

describe('Kerberos', () => {
  it.each([Infinity, 1])('says who asked for which ticket (pieces of %s)', async (cut) => {
    const messages = [
      ...[request(10, 'alice', 'krbtgt', 'EXAMPLE.COM'), refusal(24)],
      ...[request(12, undefined, 'cifs', 'host1'), reply(13, 'alice', 'cifs', 'host1')],
    ].map(framed);
    const rows = await said(exchange(8800, messages, cut));
    expect(rows.map((row) => [row.kind, row['message']])).toEqual([
      ['kerberos', 'AS alice@EXAMPLE.COM krbtgt/EXAMPLE.COM KDC_ERR_PREAUTH_FAILED'],
      ['kerberos', 'TGS alice@EXAMPLE.COM cifs/host1 success'],
    ]);
    expect(rows[0]).toMatchObject({
      ...{ user: 'alice', user_domain: 'EXAMPLE.COM', outcome: 'failure', action: 'login' },
      ...{ reason: 'KDC_ERR_PREAUTH_FAILED', service: 'kerberos' },
      attrs: {
        etypes: '["aes256-cts-hmac-sha1-96","rc4-hmac"]',
        ...{ forwardable: 'T', renewable: 'T' },
        ...{ till: '2037-09-13T02:48:05Z', client: 'alice/EXAMPLE.COM', error_code: '24' },
      },
    });
    expect(rows[1]?.attrs).toMatchObject({ cipher: 'rc4-hmac', sname: 'cifs/host1', success: 'T' });
  });

  it('reads datagrams, and counts what has yet to be proved as no failure', async () => {
    const asked = request(10, 'bob', 'krbtgt', 'EXAMPLE.COM');
    const rows = await of('kerberos', [
      ...[datagram(true, 88, asked), datagram(false, 88, refusal(25)), datagram(true, 88, asked)],
    ]);
    expect(rows.map((row) => [row['user'], row['outcome'], row['reason']])).toEqual([
      ['bob', undefined, 'KDC_ERR_PREAUTH_REQUIRED'],
      ['bob', undefined, undefined],
    ]);
  });
});

describe('LDAP', () => {
  it.each([Infinity, 1])('says logins, searches and changes (pieces of %s)', async (cut) => {
    const rows = await said(
      exchange(
        3890,
        [
          ...[message(1, bind('cn=admin', 'wrong')), message(1, result(0x61, 49, 'no'))],
          ...[message(2, bind('cn=admin', 'right')), message(2, result(0x61, 0))],
          message(3, search),
          cat(message(3, ber(0x64, text('cn=x'), sequence())), message(3, result(0x65, 0))),
          ...[message(4, ber(0x4a, ascii('cn=x'))), message(4, result(0x6b, 50))],
        ],
        cut,
      ),
    );
    expect(rows.map((row) => [row['event_type'], row['outcome'], row['message']])).toEqual([
      ['login', 'failure', 'login cn=admin → invalidCredentials: no'],
      ['login', 'success', 'login cn=admin → success'],
      [
        ...['search', 'success'],
        'search dc=example,dc=com tree (&(objectClass=user)(!(mail=*))(cn=ad*n)) success',
      ],
      ['delete', 'failure', 'delete cn=x insufficientAccessRights'],
    ]);
    expect(rows[0]?.attrs).toMatchObject({ password: 'wrong', mechanism: 'simple' });
    expect(rows[2]).toMatchObject({ user: 'cn=admin', service: 'ldap' });
    expect(rows[2]?.attrs).toMatchObject({ result_count: '1', attributes: '["memberOf"]' });
  });

  it('is not every sequence', async () => {
    expect(await said(exchange(3890, [sequence(whole(1), text('x')), sequence()]))).toEqual([]);
  });
});

describe('SNMP', () => {
  const bindings = sequence(sequence(ber(6, '2b06010201'), ber(5)));
  const pdu = (tag: number, error: number): Uint8Array =>
    ber(tag, whole(7), whole(error), whole(0), bindings);

  it('says community, operation and objects', async () => {
    const rows = await of('snmp', [
      datagram(true, 161, sequence(whole(1), text('public'), pdu(0xa0, 0))),
      datagram(false, 161, sequence(whole(1), text('public'), pdu(0xa2, 2))),
    ]);
    expect(rows.map((row) => [row['event_type'], row['outcome'], row['src_port']])).toEqual([
      ['get', undefined, 40_000],
      ['response', 'failure', 40_000],
    ]);
    expect(rows[0]?.attrs).toMatchObject({
      ...{ community: 'public', version: '2c', objects: '["1.3.6.1.2.1"]' },
    });
    expect(rows[1]).toMatchObject({ reason: 'noSuchName', service: 'snmp' });
  });

  it('says the user of version 3, encrypted or not', async () => {
    const user = text('', 4);
    const parameters = ber(
      4,
      sequence(text('engine'), whole(1), whole(2), text('alice'), user, user),
    );
    const third = (data: Uint8Array): Uint8Array =>
      sequence(whole(3), sequence(whole(9)), parameters, data);
    const rows = await of('snmp', [
      datagram(true, 161, third(sequence(text('engine'), text(''), pdu(0xa1, 0)))),
      datagram(true, 161, third(text('encrypted'))),
    ]);
    expect(rows.map((row) => [row['event_type'], row['user']])).toEqual([
      ['get-next', 'alice'],
      ['encrypted', 'alice'],
    ]);
  });
});
