/** Kerberos, LDAP and SNMP: messages in BER. */
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../shared/testing/collect.ts';
import { ascii, cat, n32 } from '../testing/build.ts';
import {
  ber,
  bind,
  framed,
  message,
  refusal,
  reply,
  request,
  result,
  saslBind,
  saslResult,
  search,
  sequence,
  text,
  whole,
} from './testing/directory.ts';
import { datagram, events, exchange, type Frame, of } from './testing/frames.ts';
import { AUTHENTICATE, CHALLENGE } from './testing/smb.ts';

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
      ['kerberos', 'TGS alice@CORP.EXAMPLE.COM cifs/host1 success'],
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
    // The account's realm may differ from the service's.
    expect(rows[1]).toMatchObject({ user: 'alice', user_domain: 'CORP.EXAMPLE.COM' });
    expect(rows[1]?.attrs).toMatchObject({
      ...{ cipher: 'rc4-hmac', sname: 'cifs/host1', success: 'T' },
      ...{ realm: 'EXAMPLE.COM', client: 'alice/CORP.EXAMPLE.COM' },
    });
  });

  it('goes on after a gap, and pairs nothing across it', async () => {
    const [first, second] = ['alice', 'bob'].map((user) =>
      framed(request(10, user, 'krbtgt', 'EXAMPLE.COM')),
    );
    const [no, yes] = [framed(refusal(24)), framed(reply(11, 'bob', 'krbtgt', 'EXAMPLE.COM'))];
    const frames = exchange(8800, [first!, no, second!, yes, first!, no]);
    const rows = async (lost: number): Promise<unknown[]> => {
      const found = await of(
        'kerberos',
        frames.filter((_, at) => at !== lost),
      );
      return found.map((row) => [row['user'], row['outcome']]);
    };
    // A lost answer, and a lost request.
    const rest = [
      ['bob', 'success'],
      ['alice', 'failure'],
    ];
    expect((await rows(1)).toSorted()).toEqual([['alice', undefined], ...rest].toSorted());
    expect(await rows(2)).toEqual([['alice', 'failure'], ...rest]);
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

  it('says logins with NTLM, and which was not finished', async () => {
    const rows = await said(
      exchange(3890, [
        ...[message(1, saslBind('GSS-SPNEGO', ascii('x'))), message(1, saslResult(14, CHALLENGE))],
        ...[message(2, saslBind('GSS-SPNEGO', AUTHENTICATE)), message(2, result(0x61, 49))],
        ...[message(3, saslBind('GSS-SPNEGO', ascii('x'))), message(3, saslResult(14, CHALLENGE))],
        ...[message(4, bind('cn=admin', 'right')), message(4, result(0x61, 0))],
      ]),
    );
    expect(rows.map((row) => [row.kind, row['user'], row['outcome'], row.attrs['result']])).toEqual(
      [
        ['ldap', 'alice', 'failure', 'invalidCredentials'],
        ['ldap', undefined, undefined, 'saslBindInProgress'],
        ['ldap', 'cn=admin', 'success', 'success'],
        ['ntlm', 'alice', 'failure', undefined],
      ],
    );
    expect(rows[0]?.attrs).toMatchObject({
      mechanism: 'GSS-SPNEGO',
      version: '3',
      message_id: '2',
    });
    expect(rows[3]).toMatchObject({ service: 'ldap', attrs: { hostname: 'HOST1' } });
  });

  it('reads what is signed, and not what is encrypted', async () => {
    const sum = new Uint8Array(12).fill(0xaa);
    const kerberos = (flags: number, ...parts: readonly Uint8Array[]): Uint8Array => {
      const token = cat(
        '0504',
        Uint8Array.of(flags, 0xff),
        '000c 000c',
        new Uint8Array(8),
        ...parts,
      );
      return cat(n32(token.length), token);
    };
    const ntlm = (content: Uint8Array): Uint8Array =>
      cat(n32(16 + content.length), '01000000', new Uint8Array(12), content);
    const entry = message(2, ber(0x64, text('cn=x'), sequence()));
    const done = cat(entry, message(2, result(0x65, 0)));
    const rows = await said(
      exchange(3890, [
        ...[message(1, saslBind('GSSAPI', ascii('x'))), message(1, result(0x61, 0))],
        ...[kerberos(0, sum, message(2, search)), kerberos(1, sum, done)],
        ...[kerberos(2, sum, message(3, search)), kerberos(3, sum, message(3, result(0x65, 0)))],
        ...[ntlm(message(4, ber(0x4a, ascii('cn=x')))), ntlm(message(4, result(0x6b, 0)))],
      ]),
    );
    expect(rows.map((row) => [row['event_type'], row.attrs['message_id']])).toEqual([
      ...[
        ['login', '1'],
        ['search', '2'],
        ['delete', '4'],
      ],
    ]);
    expect(rows[1]?.attrs['result_count']).toBe('1');
  });

  it('counts entries that are too long to be read', async () => {
    const long = message(1, ber(0x64, text('cn=x'), text('x'.repeat(300_000))));
    const [row] = await said(
      exchange(3890, [message(1, search), cat(long, message(1, result(0x65, 0)))], 1400),
    );
    expect(row?.attrs).toMatchObject({ result_count: '1', result: 'success' });
    expect(row?.attrs).not.toHaveProperty('problem');
  });

  it('says other operations', async () => {
    const ask = message(1, ber(0x77, text('1.3.6.1.4.1.4203.1.11.1', 0x80)));
    const [row] = await said(exchange(3890, [ask, message(1, result(0x78, 53, 'no'))]));
    expect(row).toMatchObject({
      ...{ event_type: 'extended', outcome: 'failure', reason: 'unwillingToPerform' },
      attrs: { object: '1.3.6.1.4.1.4203.1.11.1 (PasswdModify)', diagnostic_message: 'no' },
    });
  });

  it('goes on after a gap, and says that entries may be missing', async () => {
    const entry = message(2, ber(0x64, text('cn=x'), sequence()));
    const frames = exchange(3890, [
      ...[message(1, bind('cn=admin', 'right')), message(1, result(0x61, 0)), message(2, search)],
      ...[entry, message(3, ber(0x4a, ascii('cn=y'))), message(2, result(0x65, 0))],
      ...[new Uint8Array(), message(3, result(0x6b, 0))],
    ]);
    const rows = await said(frames.filter((_, at) => at !== 3));
    expect(rows.map((row) => [row['event_type'], row['outcome'], row.attrs['problem']])).toEqual([
      ['login', 'success', undefined],
      ['search', 'success', 'entries may be missing'],
      ['delete', 'success', undefined],
    ]);
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
