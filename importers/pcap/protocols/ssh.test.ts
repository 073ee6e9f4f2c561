import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Frame, of, stream } from './testing/frames.ts';
import { offer } from './testing/ssh.ts';

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

it('names the flow, and has a server that speaks first as the server', async () => {
  // Nothing but the port tells which side it is.
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
