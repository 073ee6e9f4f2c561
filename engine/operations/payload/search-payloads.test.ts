/** What connections carried, searched in captures of a case. */
import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { ACK, classicFile, SYN } from '../../../importers/pcap/testing/build.ts';
import { datagram, type Frame, stream } from '../../../importers/pcap/protocols/testing/frames.ts';
import { type SmallCase, smallCase } from '../testing/small-case.ts';
import { type FoundPayload, type PayloadSearchReport, searchPayloads } from './search-payloads.ts';

const SECONDS = 1_700_000_000;
function capture(frames: readonly Frame[], snaplen = 65_535): Uint8Array {
  return classicFile(
    {},
    frames.map((bytes, i) => ({
      seconds: SECONDS + i,
      fraction: 0,
      bytes: bytes.subarray(0, snaplen),
      wire: bytes.length,
    })),
  );
}

const { client, server } = stream(8080);
const other = stream(2222);
const ONE: readonly Frame[] = [
  ...[client(0, '', SYN), server(0, '', SYN | ACK, 1)],
  // In two packets, the second of which comes first, and again.
  ...[client(6, 'dle=1 '), client(1, 'a nee'), client(6, 'dle=1 ')],
  ...[server(1, 'no nee'), other.client(1, 'needle=2'), server(7, 'DLE here')],
  ...[datagram(true, 53, Buffer.from('x needle=3')), datagram(false, 53, Buffer.from('nee'))],
];
/** Its packets are cut off. */
const TWO: readonly Frame[] = [other.client(1, `${'.'.repeat(40)}needle`), client(1, 'needle')];

let small: SmallCase;
beforeAll(async () => {
  small = await smallCase(
    {
      'one.pcap': capture(ONE),
      'two.pcap': capture(TWO, 80),
      'b.log': 'Nov 21 10:00:00 web01 app: needle\n',
    },
    evidence,
  );
});
afterAll(() => small.dispose());

async function search(
  pattern: string,
  query?: string,
  limit = 100,
): Promise<{ found: FoundPayload[]; report: PayloadSearchReport }> {
  return small.services.cases.use(small.folder, async (session) => {
    const running = await searchPayloads(session, evidence, {
      ...{ pattern, query, zone: 'UTC', limit },
      report: () => Promise.resolve(),
    });
    const found: FoundPayload[] = [];
    for await (const matches of running.matches()) found.push(...matches);
    return { found, report: running.report };
  });
}

const told = (found: readonly FoundPayload[]): unknown[] =>
  found.map(({ source, serverPort, isFromClient, offset, match }) => [
    ...[source, serverPort, isFromClient ? '>' : '<', offset, Buffer.from(match).toString()],
  ]);

it('finds a text across packets, once, in all captures of a case, and says what was not captured', async () => {
  const { found, report } = await search('needle');
  expect(told(found)).toEqual([
    ['one.pcap', 8080, '>', 2, 'needle'],
    ['one.pcap', 8080, '<', 3, 'neeDLE'],
    ['one.pcap', 2222, '>', 0, 'needle'],
    ['one.pcap', 53, '>', 2, 'needle'],
    ['two.pcap', 8080, '>', 0, 'needle'],
  ]);
  expect(found[0]).toMatchObject({
    ...{ time: '2023-11-14T22:13:23.000000Z', ts: (SECONDS + 3) * 1e6, proto: 'tcp' },
    ...{ client: '192.0.2.17', clientPort: 40_000, server: '198.51.100.7' },
  });
  const carried = 'a needle=1 '.length + 'no neeDLE here'.length + 'needle=2'.length;
  expect(report).toEqual({
    ...{ matches: 5, isStopped: false, sources: 2, streams: 4, datagrams: 2, evicted: 0, left: [] },
    ...{ bytes: carried + 'x needle=3nee'.length + 26 + 6, gaps: 1, missing: 20 },
  });
});

it('searches in the connections alone that a query finds', async () => {
  const { found } = await search('/needle=\\d/', 'kind:flow (dst_port:8080 OR dst_port:53)');
  expect(told(found)).toEqual([
    ['one.pcap', 8080, '>', 2, 'needle=1'],
    ['one.pcap', 53, '>', 2, 'needle=3'],
  ]);
  await expect(search('x', 'kind:log')).rejects.toThrow('finds no connection of a capture');
  await expect(search('x', 'kind:flow | top 3 src_ip')).rejects.toThrow('gives a table');
});

it('ends at as many matches as are asked for, and says so', async () => {
  const { found, report } = await search('e', undefined, 3);
  expect(found).toHaveLength(3);
  expect(report).toMatchObject({ matches: 3, isStopped: true, sources: 1 });
});

it('names captures that are not there any more, and searches the others', async () => {
  const path = small.services.cases.use(small.folder, (session) =>
    Promise.resolve(session.snapshot().sources.find(({ name }) => name === 'two.pcap')!.path),
  );
  rmSync(await path, { force: true });
  const { found, report } = await search('needle');
  expect(found.map(({ source }) => source)).not.toContain('two.pcap');
  expect(found).toHaveLength(4);
  expect(report.left).toHaveLength(1);
  expect(report.left[0]).toMatchObject({ source: 'two.pcap' });
  writeFileSync(await path, capture(TWO, 80));
});
