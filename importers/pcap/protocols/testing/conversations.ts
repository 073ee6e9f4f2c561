/** For tests: a conversation of each protocol, message by message. */
import { ascii, cat, hex, n16 } from '../../testing/build.ts';
import {
  bind,
  framed,
  message,
  refusal,
  refusedToken,
  reply,
  request,
  result,
  search,
  ticketToken,
} from './directory.ts';
import { BIND, bindAck, HANDLE, ndr, request as rpcRequest, response, rpc } from './dce-rpc.ts';
import { dnp3 } from './dnp3.ts';
import { clientHello, handshake } from './hellos.ts';
import { answered, SESSION, setUp, TRANSFER } from './smb.ts';
import { SESSION as SMB1_SESSION } from './smb1.ts';
import { SESSION as HTTP2_SESSION } from './http2.ts';
import { offer, packet } from './ssh.ts';

export interface Said {
  readonly isClient: boolean;
  readonly bytes: Uint8Array;
}

/** Lines: `>` the client's, `<` the server's. */
function lines(...all: readonly string[]): Said[] {
  return all.map((line) => ({
    isClient: line.startsWith('>'),
    bytes: ascii(`${line.slice(2)}\r\n`),
  }));
}
const LISTS = ['kex1', 'key1', 'c1', 'c2', 'm1', 'm2', 'none', 'none'];
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const QUESTION = cat(
  ...[n16(7), n16(0x0100), n16(1), n16(0), n16(0), n16(0), '07', ascii('example'), '03'],
  ...[ascii('com'), '00', n16(1), n16(1)],
);

export const CONVERSATIONS: Readonly<Record<string, readonly Said[]>> = {
  http: [
    ...lines(
      ...['> POST /a HTTP/1.1', '> Host: www.example.com', '> Transfer-Encoding: chunked', '> '],
      ...['> 5', '> hello', '> 0', '> ', '< HTTP/1.1 200 OK', '< Content-Length: 5', '< ', '< abc'],
      ...['> GET /b HTTP/1.1', '> ', '< HTTP/1.1 200 OK', '< Transfer-Encoding: chunked', '< '],
      ...['< 3;x', '< abc', '< 0', '< ', '> CONNECT a:1 HTTP/1.1', '> ', '< HTTP/1.1 200 OK', '< '],
    ),
    { isClient: true, bytes: handshake(1, clientHello()) },
  ],
  http2: HTTP2_SESSION.map((bytes, i) => ({ isClient: i % 2 === 0, bytes })),
  h2c: [
    ...lines(
      ...['> GET /a HTTP/1.1', '> Upgrade: h2c', '> ', '< HTTP/1.1 101 Change', '< Upgrade: h2c'],
      '< ',
    ),
    ...HTTP2_SESSION.map((bytes, i) => ({ isClient: i % 2 === 0, bytes })),
  ],
  tls: [
    { isClient: true, bytes: handshake(1, clientHello()) },
    {
      isClient: false,
      bytes: cat(
        handshake(2, cat('0303', '22'.repeat(32), '00 c02b 00', n16(6), '002b 0002 0303')),
        handshake(11, cat('000007 000004', ascii('none'))),
        hex('15 0303 0002 02 28'),
      ),
    },
    { isClient: true, bytes: hex('14 0303 0001 01 17 0303 0001 00') },
  ],
  ssh: [
    ...lines('> SSH-2.0-client', '< hello', '< SSH-2.0-server'),
    { isClient: true, bytes: offer(LISTS) },
    { isClient: false, bytes: offer(LISTS) },
    { isClient: true, bytes: cat(packet(30, hex('00000000')), packet(21, new Uint8Array(0))) },
    { isClient: false, bytes: cat(packet(31, hex('00000001 61')), packet(21, new Uint8Array(0))) },
    ...[48, 44, 64, 60, 148, 28].map((size, i) => ({
      ...{ isClient: i % 2 === 0, bytes: new Uint8Array(size).fill(0xee) },
    })),
  ],
  ftp: lines(
    ...['< 220-FTP', '< 220 ready', '> USER alice', '< 331 ?', '> PASS secret', '< 230 in'],
    ...['> RETR a', '< 150 opening', '< 226 done', '> AUTH TLS', '< 234 go'],
  ),
  smtp: lines(
    ...[
      '< 220 ESMTP',
      '> EHLO x',
      '< 250-a',
      '< 250 b',
      '> AUTH LOGIN',
      '< 334 VXNlcg==',
      '> YQ==',
    ],
    ...['< 334 UA==', '> Yg==', '< 235 in', '> MAIL FROM:<a@example.com>', '< 250 ok'],
    ...[
      '> RCPT TO:<b@example.com>',
      '< 250 ok',
      '> DATA',
      '< 354 go',
      '> Subject: x',
      '>  y',
      '> ',
    ],
    ...['> Content-Type: a; name="b"', '> .', '< 250 queued', '> BDAT 3 LAST', '> a', '< 250 ok'],
  ),
  pop3: lines(
    ...['< +OK hi', '> USER alice', '< +OK', '> PASS secret', '< -ERR no', '> AUTH PLAIN', '< +'],
    ...[`> ${base64('\0alice\0secret')}`, '< +OK'],
  ),
  imap: lines(
    ...['< * OK hi', '> 1 LOGIN {5}', '< + go', '> alice {2}', '< +', '> pw', '< 1 NO bad'],
    ...['> 2 LOGIN alice "a b"', '< 2 OK in'],
  ),
  smb: [...SESSION, ...TRANSFER].map((bytes, i) => ({ isClient: i % 2 === 0, bytes })),
  smb1: SMB1_SESSION.map((bytes, i) => ({ isClient: i % 2 === 0, bytes })),
  kerberos: [
    ...[request(10, 'alice', 'krbtgt', 'EXAMPLE.COM'), refusal(24)],
    ...[request(12, undefined, 'cifs', 'host1'), reply(13, 'alice', 'cifs', 'host1')],
  ].map((bytes, i) => ({ isClient: i % 2 === 0, bytes: framed(bytes) })),
  spnego: [
    setUp(1, Buffer.from(ticketToken('cifs', 'host1'))),
    answered(1, 0xc000006d, Buffer.from(refusedToken(37))),
  ].map((bytes, i) => ({ isClient: i % 2 === 0, bytes })),
  ldap: [
    ...[message(1, bind('cn=admin', 'wrong')), message(1, result(0x61, 49, 'no'))],
    ...[message(2, search), message(2, result(0x65, 0))],
  ].map((bytes, i) => ({ isClient: i % 2 === 0, bytes })),
  rdp: [
    {
      isClient: true,
      bytes: cat(
        '0300 002b 26 e0 0000000000',
        ascii('Cookie: mstshash=alice\r\n'),
        '01 00 0800 03000000',
      ),
    },
    { isClient: false, bytes: hex('0300 0013 0e d0 0000000000 02 00 0800 01000000') },
    { isClient: true, bytes: handshake(1, clientHello()) },
  ],
  sip: lines(
    ...[
      '> INVITE sip:b@example.com SIP/2.0',
      '> From: <sip:a@example.com>',
      '> Content-Length: 2',
      '> ',
    ],
    ...['> ', '< SIP/2.0 486 Busy', '< CSeq: 1 INVITE', '< '],
  ),
  dce_rpc: [
    { isClient: true, bytes: rpc(11, 1, BIND) },
    { isClient: false, bytes: rpc(12, 1, bindAck('49670')) },
    { isClient: true, bytes: rpc(0, 2, rpcRequest(0, 16, HANDLE, ndr('service1'))) },
    { isClient: false, bytes: rpc(2, 2, response()) },
  ],
  dnp3: [
    { isClient: true, bytes: dnp3({ isFromMaster: true }, 1, '3c02 06') },
    { isClient: false, bytes: dnp3({ isFromMaster: false }, 129, '0000') },
  ],
  modbus: ['0001 0000 0006 01 03 0010 0002', '0001 0000 0003 01 83 02'].map((bytes, i) => ({
    ...{ isClient: i % 2 === 0, bytes: hex(bytes) },
  })),
  dns: [{ isClient: true, bytes: cat(n16(QUESTION.length), QUESTION) }],
};
