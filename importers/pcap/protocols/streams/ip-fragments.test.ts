import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../../shared/testing/collect.ts';
import { ACK, ascii, cat, ethernet, ip4, ip6, n16, n32, tcp, udp } from '../../testing/build.ts';
import { CLIENT, events, type Frame, SERVER, stream } from '../testing/frames.ts';

const NAME = 'a-name-that-takes-more-than-one-fragment';
const QUERY = udp(
  ...([40_000, 53] as const),
  cat(
    ...[n16(7), n16(0x0100), n16(1), n16(0), n16(0), n16(0), Uint8Array.of(NAME.length)],
    ...[ascii(NAME), '03', ascii('com'), '00', n16(1), n16(1)],
  ),
);
const CUTS = [0, 16, 40, QUERY.length] as const;

type Cut = (from: number, to: number) => Frame;
const four: Cut = (offset, to) =>
  ethernet(
    0x0800,
    ip4(
      { src: CLIENT, dst: SERVER, proto: 17, id: 9, offset, more: to < QUERY.length },
      QUERY.subarray(offset, to),
    ),
  );
const six: Cut = (offset, to) => {
  const more = to < QUERY.length ? 1 : 0;
  const body = cat('0000', n16(offset | more), n32(9));
  const header = { src: '2001:db8::1', dst: '2001:db8::2', proto: 17 };
  return ethernet(
    0x86dd,
    ip6({ ...header, extensions: [{ type: 44, body }] }, QUERY.subarray(offset, to)),
  );
};
const fragments = (cut: Cut): Frame[] => CUTS.slice(1).map((to, i) => cut(CUTS[i]!, to));

async function dns(frames: readonly Frame[], snaplen?: number): Promise<CollectedRow[]> {
  return (await events(frames, snaplen)).filter(({ kind }) => kind === 'dns');
}

describe.each([
  ['IPv4', four],
  ['IPv6', six],
])('of %s', (_, cut) => {
  it.each([
    [[0, 1, 2]],
    [[2, 1, 0]],
    [[1, 2, 0]],
    [[0, 2, 1]],
    // Some are repeated.
    [[0, 0, 1, 1, 2]],
  ])('are put together in whatever order they come (%j)', async (order) => {
    const all = fragments(cut);
    const rows = await dns(order.map((i) => all[i]!));
    expect(rows.map((row) => [row['query'], row.attrs['problem']])).toEqual([
      [`${NAME}.com`, undefined],
    ]);
  });

  it('are read up to what is missing', async () => {
    const [first, , last] = fragments(cut);
    // Its question cannot be read.
    expect(await dns([first!, last!])).toEqual([]);
  });

  it('count where they overlap as those that begin first', async () => {
    const other = cut(16, 48).slice();
    other.fill(120, other.length - 24);
    const rows = await dns([cut(0, 40), other, cut(40, QUERY.length)]);
    // Bytes 40 to 48 are the second one's, those before are the first one's.
    const name = `${NAME.slice(0, 19)}xxxxxxxx${NAME.slice(27)}.com`;
    expect(rows.map((row) => row['query'])).toEqual([name]);
  });
});

it('of TCP are part of their stream', async () => {
  const { client } = stream(8080);
  const ask = 'GET /a-path-of-some-length HTTP/1.1\r\nHost: www.example.com\r\n\r\n';
  const segment = tcp({ src: 40_000, dst: 8080, flags: ACK, seq: 1, ack: 0 }, ascii(ask));
  const part = (offset: number, to: number): Frame =>
    ethernet(
      0x0800,
      ip4(
        { src: CLIENT, dst: SERVER, proto: 6, id: 3, offset, more: to < segment.length },
        segment.subarray(offset, to),
      ),
    );
  const next = client(1 + ask.length, ask.replace('/a-path', '/another'));
  const rows = await events([part(48, segment.length), part(0, 48), next]);
  expect(rows.filter(({ kind }) => kind === 'http').map((row) => row.attrs['uri'])).toEqual([
    ...['/a-path-of-some-length', '/another-of-some-length'],
  ]);
});

it('of a datagram whose first one was not captured say nothing', async () => {
  const [, second, last] = fragments(four);
  expect(await dns([second!, last!])).toEqual([]);
});

it('are bounded', async () => {
  const begun = Array.from({ length: 3000 }, (_, id) =>
    ethernet(
      0x0800,
      ip4(
        { src: CLIENT, dst: SERVER, proto: 17, id, offset: 0, more: true },
        QUERY.subarray(0, 16),
      ),
    ),
  );
  const rows = await dns([...begun, ...fragments(four)]);
  expect(rows.map((row) => row['query'])).toEqual([`${NAME}.com`]);
});
