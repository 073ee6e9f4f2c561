import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { exchange, type Frame, of, stream } from './testing/frames.ts';
import { ascii, cat, n32 } from '../testing/build.ts';
import { offer, packet } from './testing/ssh.ts';

const { client, server } = stream(2222);

const MINE = ['kex1,kex2', 'key1', 'c1,c2', 'c3', 'mac1', 'mac2', 'none', 'zlib'];
const THEIRS = ['kex2', 'key2,key1', 'c2,c1', 'c4', 'mac1', 'mac3', 'none', 'zlib'];
const HELLO = 'SSH-2.0-client_1 comment\r\n';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

function frames(): Frame[] {
  const [mine, theirs] = [offer(MINE), offer(THEIRS)];
  return [
    client(1, HELLO),
    server(1, 'Welcome\r\nSSH-2.0-server_2\r\n'),
    client(1 + HELLO.length, mine.subarray(0, 20)),
    client(21 + HELLO.length, mine.subarray(20)),
    server(28, theirs),
  ];
}

it('says banners, what both sides offer, and what they agree on', async () => {
  const [row, ...more] = await of('ssh', frames());
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    ...{ src_ip4: 0xc0000211, dst_port: 2222, flow_id: 1, service: 'ssh' },
    message: 'SSH-2.0-client_1 comment → SSH-2.0-server_2',
  });
  expect(row?.attrs).toEqual({
    ...{ version: '2', client: 'SSH-2.0-client_1 comment', server: 'SSH-2.0-server_2' },
    ...{ kex_alg: 'kex2', host_key_alg: 'key1', cipher_alg: 'c1', mac_alg: 'mac1' },
    compression_alg: 'none',
    ...{ hassh: md5('kex1,kex2;c1,c2;mac1;none'), hasshServer: md5('kex2;c4;mac3;zlib') },
    hasshAlgorithms: 'kex1,kex2;c1,c2;mac1;none',
    hasshServerAlgorithms: 'kex2;c4;mac3;zlib',
  });
});

it('leaves away what pads a banner', async () => {
  const [row] = await of('ssh', [
    client(1, HELLO),
    server(1, `SSH-2.0-server_2 ${'\0'.repeat(99)}\r\n`),
  ]);
  expect(row?.attrs['server']).toBe('SSH-2.0-server_2');
});

it('names the flow, and has a server that speaks first as the server', async () => {
  // Only the port tells which side it is.
  const known = stream(22);
  const rows = await of('ssh', [known.server(1, 'SSH-1.99-server\r\n'), known.client(1, HELLO)]);
  expect(rows.map((row) => [row['src_port'], row.attrs['server']])).toEqual([
    [40_000, 'SSH-1.99-server'],
  ]);
});

it('takes 1.99 for version 2 (RFC 4253, 5.1)', async () => {
  const { client, server } = stream(22);
  const version = async (mine: string, theirs: string): Promise<unknown> => {
    const [row] = await of('ssh', [server(1, theirs), client(1, mine)]);
    return row?.attrs['version'];
  };
  expect(await version('SSH-2.0-a\r\n', 'SSH-1.99-b\r\n')).toBe('2');
  expect(await version('SSH-1.99-a\r\n', 'SSH-2.0-b\r\n')).toBe('2');
  expect(await version('SSH-1.5-a\r\n', 'SSH-1.99-b\r\n')).toBe('1');
});

it('reads banners of version 1, and says what cannot be read', async () => {
  const [old] = await of('ssh', [client(1, 'SSH-1.5-old\n'), server(1, 'SSH-1.5-old2\n')]);
  expect(old?.attrs).toEqual({ version: '1', client: 'SSH-1.5-old', server: 'SSH-1.5-old2' });
  const [row] = await of('ssh', [client(1, HELLO), client(1 + HELLO.length, 'x'.repeat(40))]);
  expect(row?.attrs['problem']).toBe('the first packet offers nothing');
});

describe('logins', () => {
  const KEY = ascii('a key');
  const lists = (kex: string, compression: string): string[] => [
    ...[kex, 'key1', 'c1', 'c1', 'm1', 'm1', compression, compression],
  ];
  const hello = (name: string, kex: string, compression: string): Uint8Array =>
    cat(ascii(`SSH-2.0-${name}\r\n`), offer(lists(kex, compression)));
  const newKeys = packet(21, new Uint8Array(0));
  /**
   * What both sides send until everything is encrypted; then messages of these sizes, alternately the client's and
   * the server's.
   */
  const messages = (sizes: readonly number[], kex = 'kex1', compression = 'none'): Uint8Array[] => {
    const reply = packet(kex.includes('group') ? 33 : 31, cat(n32(KEY.length), KEY, n32(0)));
    const group = kex.includes('group') ? packet(31, cat(n32(1), '02', n32(1), '03')) : '';
    return [
      ...[hello('client', kex, compression), hello('server', kex, compression)],
      ...[packet(30, n32(0)), cat(group, reply, newKeys), newKeys],
      ...[new Uint8Array(0), ...sizes.map((size) => new Uint8Array(size).fill(0xee))],
    ];
  };
  const told = async (frames: readonly Frame[]): Promise<unknown[]> => {
    const [row] = await of('ssh', frames);
    const worked = row?.attrs['auth_success'];
    expect(row?.['outcome']).toBe(worked && (worked === 'T' ? 'success' : 'failure'));
    expect(row?.['category']).toBe(worked && 'authentication');
    return [row?.attrs['auth_attempts'], worked];
  };

  it.each<[string, number[], string | undefined, string | undefined]>([
    ['one worked', [48, 44, 64, 60, 148, 28, 100, 500], '1', 'T'],
    ['one was refused', [48, 44, 64, 60, 148, 60], '1', 'F'],
    ['several were refused, and one worked', [48, 44, 64, 60, 148, 60, 148, 60, 148, 28], '3', 'T'],
    ['only methods were asked for', [48, 44, 64, 60], '0', undefined],
    ['the last answer is none that is known', [48, 44, 64, 60, 148, 60, 148, 80], '1', undefined],
    [
      'what follows several of other lengths may be a session',
      [48, 44, 64, 60, 148, 60, 148, 80, 100, 90, 40, 60],
      undefined,
      undefined,
    ],
    ['several of other lengths ask for more', [48, 44, 64, 60, 80, 90, 100, 70, 90, 28], '1', 'T'],
    ['none was tried', [48], undefined, undefined],
  ])('are told by the lengths of their answers: %s', async (_, sizes, attempts, outcome) => {
    expect(await told(exchange(2222, messages(sizes)))).toEqual([attempts, outcome]);
  });

  it('are not told by what a server sends unasked, where bytes are missing or compressed', async () => {
    const early = messages([0, 300, 48, 44, 64, 60, 148, 28]);
    expect(await told(exchange(2222, early))).toEqual(['1', 'T']);
    const lost = exchange(2222, messages([48, 44, 64, 60, 148, 60, 148, 28, 100, 90]));
    expect(await told(lost.filter((_, at) => at !== 9))).toEqual([undefined, undefined]);
    const zipped = messages([48, 44, 64, 60, 148, 28], 'kex1', 'zlib');
    expect(await told(exchange(2222, zipped))).toEqual([undefined, undefined]);
  });

  it.each(['kex1', 'diffie-hellman-group-exchange-sha256'])(
    'come after the key of the server (%s)',
    async (kex) => {
      const [row] = await of('ssh', exchange(2222, messages([48, 44], kex)));
      const hash = createHash('sha256').update(KEY).digest('base64').replace(/=+$/, '');
      expect(row?.attrs['host_key_fingerprint']).toBe(`SHA256:${hash}`);
      expect(row?.attrs).not.toHaveProperty('problem');
    },
  );

  it('come after no key where the method is not known', async () => {
    const oneSide = exchange(22, messages([48], 'diffie-hellman-group-exchange-sha256'));
    const [row] = await of(
      'ssh',
      oneSide.filter((_, at) => at === 1 || at === 3),
    );
    expect(row?.attrs['hasshServer']).toBeDefined();
    expect(row?.attrs).not.toHaveProperty('host_key_fingerprint');
  });
});
