/** For tests: offers of TLS clients. */
import { ascii, cat, hex, n16 } from '../../testing/build.ts';

const extension = (type: number, data: Uint8Array): Uint8Array =>
  cat(n16(type), n16(data.length), data);

/** A ClientHello that offers TLS 1.3, with random values of RFC 8701. */
export function clientHello(): Uint8Array {
  const host = ascii('www.example.com');
  const extensions = cat(
    extension(0x0a0a, new Uint8Array(0)),
    extension(0, cat(n16(host.length + 3), '00', n16(host.length), host)),
    extension(10, cat(n16(6), '1a1a 001d 0017')),
    extension(11, hex('01 00')),
    extension(13, cat(n16(4), '0403 0804')),
    extension(16, cat(n16(12), '02', ascii('h2'), '08', ascii('http/1.1'))),
    extension(43, hex('06 2a2a 0304 0303')),
  );
  const ciphers = hex('3a3a 1301 c02b');
  return cat(
    ...['0303', '11'.repeat(32), '00', n16(ciphers.length), ciphers, '01 00'],
    ...[n16(extensions.length), extensions],
  );
}

/** A handshake message in a separate record. */
export function handshake(type: number, message: Uint8Array): Uint8Array {
  const header = cat(Uint8Array.of(type, 0), n16(message.length));
  return cat('16 0301', n16(message.length + 4), header, message);
}
