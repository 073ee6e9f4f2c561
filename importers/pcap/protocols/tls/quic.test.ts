import { createCipheriv } from 'node:crypto';
import { expect, it } from 'vitest';
import { cat, hex, n16, n32 } from '../../testing/build.ts';
import { datagram, type Frame, of } from '../testing/frames.ts';
import { clientHello } from '../testing/hellos.ts';

/** The connection id for which RFC 9001, A.1, and RFC 9369, A.1, list keys. */
const ID = hex('8394c8f03e515708');
interface Keys {
  readonly version: string;
  /** Of the first byte: a long header, an Initial. */
  readonly first: number;
  readonly key: string;
  readonly iv: string;
  readonly mask: string;
}
const CLIENT: Keys = {
  ...{ version: '00000001', first: 0xc3, key: '1f369613dd76d5467730efcbe3b1a22d' },
  ...{ iv: 'fa044b2f42a3fd3b46fb255c', mask: '9f50449e04a0e810283a1e9933adedd2' },
};
const SERVER: Keys = {
  ...{ version: '00000001', first: 0xc3, key: 'cf3a5331653c364c88f0f379b6067e37' },
  ...{ iv: '0ac1493ca1905853b0bba03e', mask: 'c206b8d9b9f0f37644430b490eeaa314' },
};
const CLIENT_2: Keys = {
  ...{ version: '6b3343cf', first: 0xd3, key: '8b1a0bc121284290a29e0971b5cd045d' },
  ...{ iv: '91f73e2351d8fa91660e909f', mask: '45b95e15235d6f45a6b19cbcb0294ba9' },
};

/** An Initial packet of 1200 bytes (RFC 9001, 5). */
function initial({ version, first, key, iv, mask }: Keys, number: number, ...frames: Uint8Array[]) {
  const id = cat('08', ID);
  const fixed = 1 + 4 + id.length + 1 + 1 + 2 + 4;
  const padded = new Uint8Array(1200 - fixed - 16);
  padded.set(cat(...frames));
  const head = cat(
    ...[Uint8Array.of(first), version, id, '00', '00'],
    ...[n16(0x4000 | (4 + padded.length + 16)), n32(number)],
  );
  const nonce = Buffer.from(hex(iv));
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
  const cipher = createCipheriv('aes-128-gcm', hex(key), nonce);
  cipher.setAAD(head);
  const sealed = Buffer.concat([cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  const bits = createCipheriv('aes-128-ecb', hex(mask), null).update(sealed.subarray(0, 16));
  const packet = cat(head, sealed);
  packet[0]! ^= bits[0]! & 0x0f;
  for (let i = 0; i < 4; i++) packet[head.length - 4 + i]! ^= bits[1 + i]!;
  return packet;
}
/** Bytes of the handshake from a place on. */
const crypto = (at: number, data: Uint8Array): Uint8Array =>
  cat('06', n16(0x4000 | at), n16(0x4000 | data.length), data);

const message = (type: number, body: Uint8Array): Uint8Array =>
  cat(Uint8Array.of(type, 0), n16(body.length), body);
const HELLO = message(1, clientHello());
const ANSWER = message(2, cat('0303', '22'.repeat(32), '00 1301 00', n16(6), '002b 0002 0304'));
const sent = (...frames: Uint8Array[]): Frame =>
  datagram(true, 4433, initial(CLIENT, 0, ...frames));

it('says what a client offers and a server chooses', async () => {
  const [row, ...more] = await of('tls', [
    sent(crypto(0, HELLO)),
    datagram(false, 4433, initial(SERVER, 1, hex('02 00 00 00 00'), crypto(0, ANSWER))),
  ]);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    ...{ src_ip4: 0xc0000211, dst_port: 4433, proto: 17, service: 'quic', flow_id: 1 },
    ...{ tls_sni: 'www.example.com', ja3: '87991a9b84cb5b4bc5f84c5ecad46032' },
  });
  expect(row?.attrs).toMatchObject({
    ...{ version: 'TLSv13', cipher: 'TLS_AES_128_GCM_SHA256', quic_version: '1' },
    ja4: 'q13d0206h2_777cda164f4b_fb71836bce29',
  });
});

it('puts together what comes in several packets, in any order', async () => {
  const [a, b] = [HELLO.subarray(0, 60), HELLO.subarray(60)];
  const ping = Uint8Array.of(1);
  const [row] = await of('tls', [
    datagram(true, 443, initial(CLIENT, 0, crypto(60, b))),
    datagram(true, 443, initial(CLIENT, 1, ping, crypto(30, a.subarray(30)), crypto(0, a))),
  ]);
  expect(row).toMatchObject({ tls_sni: 'www.example.com' });
});

it('reads what servers send without the bit that is fixed for clients (RFC 9287)', async () => {
  const greased = { ...SERVER, first: SERVER.first & ~0x40 };
  const [row] = await of('tls', [
    sent(crypto(0, HELLO)),
    datagram(false, 4433, initial(greased, 1, crypto(0, ANSWER))),
  ]);
  expect(row?.attrs).toMatchObject({ version: 'TLSv13', cipher: 'TLS_AES_128_GCM_SHA256' });
});

it('reads version 2', async () => {
  const [row] = await of('tls', [datagram(true, 443, initial(CLIENT_2, 7, crypto(0, HELLO)))]);
  expect(row).toMatchObject({ tls_sni: 'www.example.com', attrs: { quic_version: 'quicv2' } });
});

it('names the flow', async () => {
  const rows = await of('flow', [sent(crypto(0, HELLO))]);
  expect(rows.map((row) => row['service'])).toEqual(['quic']);
});

it('takes nothing that was changed for QUIC', async () => {
  const whole = initial(CLIENT, 0, crypto(0, HELLO));
  for (const at of [0, 1, 5, 6, 14, 15, 16, 20, 100, 1199]) {
    const changed = Uint8Array.from(whole);
    changed[at]! ^= 0x55;
    expect(await of('tls', [datagram(true, 443, changed)])).toEqual([]);
  }
});
