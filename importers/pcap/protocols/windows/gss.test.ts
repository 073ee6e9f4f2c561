/** Logins with tickets of Kerberos within other protocols. */
import { expect, it } from 'vitest';
import { message, refusedToken, result, saslBind, ticketToken } from '../testing/directory.ts';
import { dialogue, exchange, of } from '../testing/frames.ts';
import { answered, AUTHENTICATE, CHALLENGE, setUp } from '../testing/smb.ts';

const TICKET = Buffer.from(ticketToken('cifs', 'host1.example.com'));
const NONE = Buffer.alloc(0);
const MORE = 0xc0000016;

it.each([Infinity, 1])('says the service and the realm within SMB (pieces of %s)', async (cut) => {
  const [row, ...more] = await of(
    'kerberos',
    exchange(4450, [setUp(1, TICKET), answered(1, 0, NONE)], cut),
  );
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    ...{ event_type: 'AP', service: 'smb', outcome: 'success' },
    ...{ message: 'AP cifs/host1.example.com EXAMPLE.COM success', action: 'login' },
    attrs: { request_type: 'AP', sname: 'cifs/host1.example.com', cipher: 'rc4-hmac' },
  });
  // The realm is the service's: the account's may differ.
  expect(row?.attrs['realm']).toBe('EXAMPLE.COM');
  expect(row?.['user_domain']).toBeUndefined();
});

it('says why a ticket is refused', async () => {
  const [row] = await of(
    'kerberos',
    exchange(4450, [setUp(1, TICKET), answered(1, 0xc000006d, Buffer.from(refusedToken(37)))]),
  );
  expect(row).toMatchObject({
    ...{ outcome: 'failure', reason: 'KRB_AP_ERR_SKEW' },
    attrs: { error_code: '37', success: 'F' },
  });
});

it('does not take the result of NTLM for that of the ticket before it', async () => {
  const frames = exchange(4450, [
    ...[setUp(1, TICKET), answered(1, MORE, CHALLENGE)],
    ...[setUp(2, AUTHENTICATE), answered(2, 0, NONE)],
  ]);
  expect((await of('ntlm', frames))[0]?.['outcome']).toBe('success');
  const [row] = await of('kerberos', frames);
  expect(row?.attrs['sname']).toBe('cifs/host1.example.com');
  expect(row?.['outcome']).toBeUndefined();
});

it.each(['Negotiate', 'Kerberos'])('reads tickets within LDAP and HTTP (%s)', async (scheme) => {
  const [bind] = await of(
    'kerberos',
    exchange(3890, [message(1, saslBind('GSS-SPNEGO', TICKET)), message(1, result(0x61, 0))]),
  );
  expect(bind).toMatchObject({ service: 'ldap', outcome: 'success' });
  const [get] = await of(
    'kerberos',
    dialogue(8080, [
      ...['> GET / HTTP/1.1', `> Authorization: ${scheme} ${TICKET.toString('base64')}`, '> '],
      ...['< HTTP/1.1 401 Unauthorized', '< Content-Length: 0', '< '],
    ]),
  );
  expect(get).toMatchObject({
    ...{ service: 'http', outcome: 'failure' },
    attrs: { realm: 'EXAMPLE.COM' },
  });
});

it('is nothing where the ticket is cut', async () => {
  const cut = Buffer.from(TICKET.subarray(0, TICKET.length - 30));
  expect(await of('kerberos', exchange(4450, [setUp(1, cut), answered(1, 0, NONE)]))).toEqual([]);
});
