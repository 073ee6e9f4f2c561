/** DTLS: hellos in datagrams that are built here. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ascii, cat, hex, n16 } from '../../testing/build.ts';
import { Packet } from '../../decode/packet.ts';
import { Datagrams } from '../streams/datagrams.ts';
import { DtlsConversation, dtlsSender } from './dtls.ts';
import type { ProtocolMessage } from '../messages.ts';
import { datagram, type Frame, of } from '../testing/frames.ts';
import { clientHello } from '../testing/hellos.ts';
import { chance, changed } from '../testing/mutated.ts';

const n24 = (value: number): Uint8Array =>
  Uint8Array.of(value >>> 16, (value >>> 8) & 255, value & 255);

/** A record with (a piece of) a handshake message. */
function record(type: number, number: number, message: Uint8Array, from = 0, to = message.length) {
  const part = message.subarray(from, to);
  const header = cat(
    Uint8Array.of(type),
    n24(message.length),
    n16(number),
    n24(from),
    n24(part.length),
  );
  return cat('16 fefd 0000 000000000000', n16(header.length + part.length), header, part);
}
/** The hello of TLS with versions of DTLS, and with a cookie after its session. */
function hello(cookie: string): Uint8Array {
  const tls = Buffer.from(clientHello());
  tls.writeUInt16BE(0xfefd, 0);
  // Offers 1.3 and 1.2.
  hex('fefc fefd').forEach((byte, i) => (tls[tls.length - 4 + i] = byte));
  const fixed = 2 + 32 + 1;
  return cat(
    tls.subarray(0, fixed),
    Uint8Array.of(cookie.length),
    ascii(cookie),
    tls.subarray(fixed),
  );
}
const RETRY = record(3, 0, cat('fefd 04', ascii('cook')));
const SERVER_HELLO = cat('fefd', '22'.repeat(32), '00 c02b 00');
const CERTIFICATE = cat('000007 000004', ascii('none'));
const CHANGE = hex('14 fefd 0000 000000000009 0001 01');
const SEALED = hex('17 fefd 0001 000000000001 0003 010203');
/** Of 1.3. */
const UNIFIED = hex('2e 0001 0010 00112233445566778899aabbccddeeff');
const from = (isClient: boolean, ...records: readonly Uint8Array[]): Frame =>
  datagram(isClient, 4433, cat(...records));

it('says what a client offers and a server chooses', async () => {
  const [row, ...more] = await of('tls', [
    ...[
      from(true, record(1, 0, hello(''))),
      from(false, RETRY),
      from(true, record(1, 1, hello('cook'))),
    ],
    from(false, record(2, 1, SERVER_HELLO), record(11, 2, CERTIFICATE)),
    ...[from(true, CHANGE, SEALED), from(false, CHANGE, SEALED)],
  ]);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    ...{ src_ip4: 0xc0000211, dst_port: 4433, proto: 17, service: 'dtls', flow_id: 1 },
    ...{ tls_sni: 'www.example.com', outcome: 'success' },
  });
  expect(row?.attrs).toMatchObject({
    ...{ version: 'DTLSv12', cipher: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', established: 'T' },
    // The cookie is not part of the client's offer; the newest version counts.
    ja4: 'dd3d0206h2_777cda164f4b_fb71836bce29',
  });
  expect(row?.attrs['cert_sha256']).toHaveLength(64);
  const flows = await of('flow', [from(true, record(1, 0, hello('')))]);
  expect(flows.map((flow) => flow['service'])).toEqual(['dtls']);
});

it('puts together what comes in pieces, in any order and more than once', async () => {
  const message = hello('');
  const [a, b, c] = [
    record(1, 0, message, 0, 50),
    record(1, 0, message, 40, 90),
    record(1, 0, message, 90),
  ];
  const [row] = await of('tls', [from(true, a), from(true, c), from(true, a), from(true, b)]);
  expect(row).toMatchObject({ tls_sni: 'www.example.com' });
  expect(row?.attrs).toMatchObject({ established: 'F' });
});

/** The hello of another handshake. */
function other(cookie: string, name = 'www.evil-c2.com'): Uint8Array {
  const message = Buffer.from(hello(cookie));
  message.fill(0x33, 2, 34);
  message.write(name, message.indexOf('www.example.com'), 'latin1');
  return message;
}
const names = async (...frames: readonly Frame[]): Promise<unknown[]> =>
  (await of('tls', frames)).map((row) => [row['tls_sni'], row.attrs['established'], row['ts']]);
const [FIRST, SECOND, AT] = ['www.example.com', 'www.evil-c2.com', 1_700_000_000_000_000];

it('has each of several handshakes on the same ports', async () => {
  const answer = from(false, record(2, 1, SERVER_HELLO));
  const sealed = [from(true, CHANGE, SEALED), from(false, CHANGE, SEALED)];
  const frames = [
    ...[from(true, record(1, 0, hello(''))), answer, ...sealed],
    // Both are sent again, late.
    ...[from(true, record(1, 0, hello(''))), answer],
    ...[from(true, record(1, 0, other(''))), from(false, RETRY)],
    ...[from(true, record(1, 1, other('cook'))), answer, ...sealed],
  ];
  expect(await names(...frames)).toEqual([
    [FIRST, 'T', AT],
    [SECOND, 'T', AT + 6000],
  ]);
});

it('has hellos that nobody answers, each once', async () => {
  const message = hello('');
  const frames = [
    ...[from(true, record(1, 0, message)), from(true, record(1, 0, message))],
    ...[from(true, record(1, 0, other('')))],
    // In pieces, the last of which is missing, and complete afterwards.
    ...[from(true, record(1, 0, message, 0, 100)), from(true, record(1, 0, other(''), 0, 100))],
    from(true, record(1, 0, other(''), 100)),
  ];
  expect(await names(...frames)).toEqual([
    [FIRST, 'F', AT],
    [SECOND, 'F', AT + 2000],
    [SECOND, 'F', AT + 4000],
  ]);
});

it('has a handshake that the other end begins, and one of which only the server was captured', async () => {
  const turned = await of('tls', [
    from(true, record(1, 0, hello(''))),
    from(false, record(1, 0, other(''))),
    from(true, record(2, 1, SERVER_HELLO)),
  ]);
  expect(turned.map((row) => [row['tls_sni'], row['dst_port'], row.attrs['version']])).toEqual([
    [FIRST, 4433, undefined],
    [SECOND, 40_000, 'DTLSv12'],
  ]);
  const again = cat('fefd', '44'.repeat(32), '00 c02f 00');
  const retry = cat(
    'fefd',
    createHash('sha256').update('HelloRetryRequest').digest(),
    '00 c02b 00',
  );
  const servers = await of('tls', [
    from(false, record(2, 0, SERVER_HELLO)),
    from(false, record(2, 0, SERVER_HELLO)),
    from(false, record(2, 0, retry)),
    from(false, record(2, 0, again)),
  ]);
  expect(servers.map((row) => row.attrs['cipher'])).toEqual([
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  ]);
});

it('does not say whether a handshake ended whose answer was not captured', async () => {
  for (const sealed of [[true], [false], [true, false]])
    for (const records of [[CHANGE, SEALED], [UNIFIED]]) {
      const [row, ...more] = await of('tls', [
        from(true, record(1, 0, hello(''))),
        ...sealed.map((isClient) => from(isClient, ...records)),
      ]);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ tls_sni: FIRST });
      expect(row?.attrs).not.toHaveProperty('established');
    }
});

it('reads the hello of a server after what is encrypted, of early data or overtaken', async () => {
  for (const early of [[true], [true, false]]) {
    const [row, ...more] = await of('tls', [
      from(true, record(1, 0, hello(''))),
      ...early.map((isClient) => from(isClient, UNIFIED)),
      from(false, record(2, 1, SERVER_HELLO), UNIFIED),
    ]);
    expect(more).toEqual([]);
    expect(row?.attrs).toMatchObject({ version: 'DTLSv12', established: 'T' });
  }
});

it.each([
  ['of 1.2', SEALED],
  ['of 1.3', UNIFIED],
])(
  'joins the hello of a server that encrypted records of both sides overtook (%s)',
  async (_, sealed) => {
    const late = [
      from(true, record(1, 0, hello(''))),
      from(false, sealed),
      from(true, sealed),
      from(false, record(2, 1, SERVER_HELLO), record(11, 2, CERTIFICATE)),
    ];
    for (const frames of [late, [...late, from(false, sealed)]]) {
      const [row, ...more] = await of('tls', frames);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ tls_sni: 'www.example.com', outcome: 'success' });
      expect(row?.attrs).toMatchObject({ version: 'DTLSv12', established: 'T' });
      expect(row?.attrs).toHaveProperty('cert_sha256');
    }
  },
);

const MANY_CIPHERS = cat(
  'fefd',
  '11'.repeat(32),
  '00 00',
  n16(60_000),
  new Uint8Array(60_000),
  '01 00',
);

it.each([
  ['pieces', record(1, 0, new Uint8Array(65_000), 0, 60_000), 1000, 560],
  // Each takes four times its bytes.
  ['hellos', record(1, 0, MANY_CIPHERS), 200, 140],
])('gives up the oldest handshakes whose %s take too much memory', (_, bytes, flowCount, room) => {
  const flows = {
    ...{ isFromStart: false, firstSequence: 0, isFromOriginator: true },
    services: new Map<number, string>(),
  };
  const datagrams = new Datagrams({ message: () => 0 }, flows);
  const p = new Packet();
  Object.assign(p, { bytes, end: bytes.length, payload: bytes.length, payloadStart: 0 });
  Object.assign(p, { ipVersion: 4, proto: 17, src4: 1, dst4: 2, dstPort: 4433 });
  for (let flow = 1; flow <= flowCount; flow++) {
    p.srcPort = 10_000 + flow;
    datagrams.packet(p, flow);
  }
  // 32 MiB have room for fewer than 560 times 60,000 bytes.
  expect(datagrams.evicted).toBeGreaterThan(flowCount - room);
});

it('keeps what it has of a message, whatever empty pieces of others come', async () => {
  const message = hello('');
  const empty = Array.from({ length: 2000 }, (_, i) => record(1, i + 1, message, 0, 0));
  const [row] = await of('tls', [
    from(true, record(1, 0, message, 0, 50)),
    from(true, ...empty),
    from(true, record(1, 0, message, 50)),
  ]);
  expect(row).toMatchObject({ tls_sni: 'www.example.com' });
});

it('has the server of a capture of its side alone, and the alert that ends a handshake', async () => {
  const alert = hex('15 fefd 0000 000000000005 0002 02 28');
  const [row] = await of('tls', [from(false, record(2, 1, SERVER_HELLO)), from(false, alert)]);
  expect(row).toMatchObject({ src_ip4: 0xc0000211, dst_port: 4433, outcome: 'failure' });
  expect(row?.attrs).toMatchObject({ version: 'DTLSv12', last_alert: 'handshake_failure' });
});

it('takes nothing else for DTLS', async () => {
  const whole = record(1, 0, hello(''));
  for (const at of [0, 1, 3, 11, 13, 16, 19, 24]) {
    const other = Uint8Array.from(whole);
    other[at]! ^= 0x55;
    expect(await of('tls', [from(true, other)])).toEqual([]);
  }
});

it('survives whatever becomes of it', () => {
  const ends = {
    ...{ flow: 1, proto: 17, client: Uint8Array.of(1, 2, 3, 4), server: Uint8Array.of(1, 2, 3, 5) },
    ...{ clientPort: 40_000, serverPort: 4433, vlan: -1 },
  };
  const message = hello('');
  const said: readonly (readonly [boolean, Uint8Array])[] = [
    ...([
      [true, record(1, 0, message, 0, 50)],
      [true, record(1, 0, message, 50)],
    ] as const),
    [false, cat(record(2, 1, SERVER_HELLO), record(11, 2, CERTIFICATE))],
    ...([
      [true, cat(CHANGE, SEALED)],
      [false, cat(CHANGE, SEALED)],
    ] as const),
  ];
  let events = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const random = chance(seed);
    const messages: ProtocolMessage[] = [];
    const sink = { message: (_: unknown, one: ProtocolMessage) => messages.push(one) };
    const conversation = new DtlsConversation(ends, sink, { micros: 1, nanos: 0, digits: 6 });
    for (const [isClient, original] of said) {
      const bytes = random(2) === 0 ? changed(original, random) : original;
      dtlsSender(bytes, 0, bytes.length);
      if (random(8) > 0) conversation.take(bytes, 0, bytes.length, isClient);
      expect(conversation.heldBytes).toBeLessThan(1 << 20);
    }
    conversation.finish();
    expect(conversation.heldBytes).toBe(0);
    events += messages.length;
  }
  expect(events).toBeGreaterThan(100);
});
