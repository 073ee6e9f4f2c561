/** For tests: offers of SSH clients and servers. */
import { ascii, cat, n32 } from '../../testing/build.ts';

/** A KEXINIT (RFC 4253, 7.1) with lists in the order of the message. */
export function offer(lists: readonly string[]): Uint8Array {
  const body = cat(
    ...['14', '00'.repeat(16)],
    ...lists.map((list) => cat(n32(list.length), ascii(list))),
    ...[n32(0), n32(0), '00', n32(0)],
  );
  return cat(n32(body.length + 5), '04', body, '00'.repeat(4));
}

/** An unencrypted packet with a message's number and content. */
export function packet(type: number, content: Uint8Array): Uint8Array {
  return cat(n32(content.length + 6), '04', Uint8Array.of(type), content, '00'.repeat(4));
}
