/** For tests: messages in BER, of Kerberos and LDAP. */
import { ascii, cat, hex, n32 } from '../../testing/build.ts';

/** An element of BER. */
export function ber(tag: number, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const content = cat(...parts);
  const size = content.length;
  const long = [size >>> 16, (size >>> 8) & 255, size & 255];
  const length = size < 0x80 ? [size] : [0x83, ...long];
  return cat(Uint8Array.of(tag, ...length), content);
}
export const whole = (value: number): Uint8Array => ber(2, Uint8Array.of(value));
export const text = (value: string, tag = 4): Uint8Array => ber(tag, ascii(value));
const field = (number: number, value: Uint8Array): Uint8Array => ber(0xa0 + number, value);
export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => ber(0x30, ...parts);

const name = (...parts: readonly string[]): Uint8Array =>
  sequence(field(0, whole(1)), field(1, sequence(...parts.map((part) => text(part, 0x1b)))));
const realm = text('EXAMPLE.COM', 0x1b);
/** The accounts that request service tickets. */
const clientRealm = text('CORP.EXAMPLE.COM', 0x1b);
export const request = (
  type: 10 | 12,
  client: string | undefined,
  ...server: string[]
): Uint8Array =>
  ber(
    0x60 + type,
    sequence(
      ...[field(1, whole(5)), field(2, whole(type))],
      field(
        4,
        sequence(
          ...[
            field(0, hex('03050040810010')),
            ...(client === undefined ? [] : [field(1, name(client))]),
          ],
          ...[field(2, realm), field(3, name(...server)), field(5, text('20370913024805Z', 0x18))],
          ...[field(7, whole(9)), field(8, sequence(whole(18), whole(23)))],
        ),
      ),
    ),
  );
const ticket = (...server: readonly string[]): Uint8Array =>
  ber(
    0x61,
    sequence(
      ...[field(0, whole(5)), field(1, realm), field(2, name(...server))],
      field(3, sequence(field(0, whole(23)), field(2, text('secret')))),
    ),
  );
const kerberosToken = (type: string, content: Uint8Array): Uint8Array =>
  ber(0x60, '06092a864886f712010202', type, content);
/** Logs in with a ticket for a service, as SPNEGO carries it. */
export const ticketToken = (...server: readonly string[]): Uint8Array =>
  ber(
    0x60,
    ...['06062b0601050502', ber(0xa0, sequence(field(0, sequence(hex('06092a864886f712010202')))))],
    kerberosToken(
      '0100',
      ber(
        0x6e,
        sequence(
          ...[field(0, whole(5)), field(1, whole(14)), field(2, hex('03050000000000'))],
          ...[field(3, ticket(...server)), field(4, sequence())],
        ),
      ),
    ),
  );
export const refusedToken = (code: number): Uint8Array => kerberosToken('0300', refusal(code));
export const reply = (type: 11 | 13, client: string, ...server: string[]): Uint8Array =>
  ber(
    0x60 + type,
    sequence(
      ...[field(0, whole(5)), field(1, whole(type))],
      ...[field(3, type === 11 ? realm : clientRealm), field(4, name(client))],
      field(5, ticket(...server)),
    ),
  );
export const refusal = (code: number): Uint8Array =>
  ber(
    0x7e,
    sequence(
      ...[field(0, whole(5)), field(1, whole(30)), field(6, whole(code)), field(9, realm)],
      field(10, name('krbtgt', 'EXAMPLE.COM')),
    ),
  );
/** Over TCP. */
export const framed = (message: Uint8Array): Uint8Array => cat(n32(message.length), message);

/** A message of LDAP. */
export const message = (id: number, operation: Uint8Array): Uint8Array =>
  sequence(whole(id), operation);
export const result = (tag: number, code: number, diagnostic = ''): Uint8Array =>
  ber(tag, ber(10, Uint8Array.of(code)), text(''), text(diagnostic));
export const bind = (name: string, password: string): Uint8Array =>
  ber(0x60, whole(3), text(name), text(password, 0x80));
/** One step of a login with SASL. */
export const saslBind = (mechanism: string, token: Uint8Array): Uint8Array =>
  ber(0x60, whole(3), text(''), ber(0xa3, text(mechanism), ber(4, token)));
/** The server's answer to it. */
export const saslResult = (code: number, token: Uint8Array): Uint8Array =>
  ber(0x61, ber(10, Uint8Array.of(code)), text(''), text(''), ber(0x87, token));
const filter = ber(
  0xa0,
  ber(0xa3, text('objectClass'), text('user')),
  ber(0xa2, ber(0x87, ascii('mail'))),
  ber(0xa4, text('cn'), sequence(text('ad', 0x80), text('n', 0x82))),
);
export const search = ber(
  ...([0x63, text('dc=example,dc=com'), ber(10, '02'), ber(10, '00'), whole(0), whole(0)] as const),
  ...[ber(1, '00'), filter, sequence(text('memberOf'))],
);
