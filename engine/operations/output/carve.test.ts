import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { ACK, classicFile } from '../../../importers/pcap/testing/build.ts';
import { type Frame, stream } from '../../../importers/pcap/protocols/testing/frames.ts';
import { eventHandlers } from '../event/handlers.ts';
import { called } from '../testing/called.ts';
import { type SmallCase, smallCase } from '../testing/small-case.ts';
import { carveFiles, type CarveReport } from './carve.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const TEXT = 'a text, '.repeat(100);
/** Two files in one segment, one compressed file, and one with missing bytes. */
function frames(): Frame[] {
  const { client, server } = stream(8080);
  const next = { client: 1, server: 1 };
  const ask = (path: string): Frame => {
    const text = `GET /${path} HTTP/1.1\r\nHost: www.example.com\r\n\r\n`;
    next.client += text.length;
    return client(next.client - text.length, text);
  };
  const answer = (payload: string | Uint8Array): Frame => {
    next.server += payload.length;
    return server(next.server - payload.length, payload);
  };
  const head = (size: number, more = ''): string =>
    `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n${more}\r\n`;
  const packed = gzipSync(TEXT);
  const encoded = head(packed.length, 'Content-Encoding: gzip\r\n');
  const all = [
    ...[ask('a.txt'), ask('b.txt'), answer(`${head(3)}one${head(3)}two`)],
    ...[ask('evil%2F..name.txt'), answer(Buffer.concat([Buffer.from(encoded), packed]))],
    ...[ask('d'), answer(`${head(10)}012`)],
  ];
  next.server += 3;
  return [...all, answer('6789'), client(next.client, '', ACK, next.server)];
}

let files: SmallCase;
beforeAll(async () => {
  const capture = classicFile(
    {},
    frames().map((bytes, i) => ({
      seconds: 1_700_000_000,
      fraction: i,
      bytes,
      wire: bytes.length,
    })),
  );
  files = await smallCase(
    { 'a.pcap': capture, 'b.log': 'Nov 21 10:00:00 web01 app: a line\n' },
    evidence,
  );
});
afterAll(() => files.dispose());

function carve(query: string, folder: string): Promise<CarveReport> {
  const report = (): Promise<void> => Promise.resolve();
  return files.services.cases.use(files.folder, (session) =>
    carveFiles(session, evidence, { query, zone: 'UTC', folder, report }),
  );
}

it('writes the files of a query as they were sent, and a list of them', async () => {
  const folder = join(files.root, 'carved');
  const { files: carved, left, others } = await carve('*', folder);
  expect(left).toEqual([]);
  expect(others).toBeGreaterThan(0);
  expect(carved.map(({ file, bytes, missingBytes }) => [file, bytes, missingBytes])).toEqual([
    ...[
      ['1-p1_a.txt', 3, 0],
      ['1-p3_b.txt', 3, 0],
      ['1-p5_evil_2F..name.txt', 800, 0],
      ['1-p7_d', 10, 3],
    ],
  ]);
  const text = (name: string): string => readFileSync(join(folder, name), 'latin1');
  expect(['1-p1_a.txt', '1-p3_b.txt', '1-p5_evil_2F..name.txt'].map(text)).toEqual([
    'one',
    'two',
    TEXT,
  ]);
  expect(text('1-p7_d')).toBe('012\0\0\x006789');
  expect(readdirSync(folder)).toHaveLength(5);
  if (process.platform !== 'win32')
    expect(statSync(join(folder, '1-p1_a.txt')).mode & 0o777).toBe(0o600);
  const list = JSON.parse(text('carved.json')) as CarveReport;
  expect(list.files[0]).toMatchObject({ event: '1:p1', sha256: sha256('one'), source: 'a.pcap' });
  const audited = await files.services.cases.use(files.folder, ({ catalog }) =>
    Promise.resolve(catalog.audit.entries().filter(({ operation }) => operation === 'carve')),
  );
  expect(audited).toMatchObject([{ detail: { query: '*', files: 4 } }]);
});

it('writes some of the files of a connection', async () => {
  const folder = join(files.root, 'some');
  await carve('kind:file filename:b.txt', folder);
  expect(readdirSync(folder).toSorted()).toEqual(['1-p3_b.txt', 'carved.json']);
});

it('writes the file of one event, in parts where there is no path', async () => {
  const handlers = eventHandlers({ cases: files.services.cases, evidence });
  const { result, parts } = await called(handlers, 'event.file', {
    case: files.folder,
    event: '1:p5',
  });
  const bytes = parts.flatMap((part) => ('bytes' in part ? [part.bytes] : []));
  expect(Buffer.concat(bytes).toString()).toBe(TEXT);
  expect(result).toMatchObject({ bytes: 800, missing: 0, sha256: sha256(TEXT) });
  await expect(
    called(handlers, 'event.file', { case: files.folder, event: '1:p2' }),
  ).rejects.toMatchObject({ code: 'not-found' });
});

it('refuses a view without files, a folder with files, and a folder in a case', async () => {
  await expect(carve('kind:log', join(files.root, 'none'))).rejects.toMatchObject({
    ...{ code: 'usage', hint: /kind:file/ },
  });
  await expect(carve('* | count', join(files.root, 'none'))).rejects.toMatchObject({
    code: 'usage',
  });
  expect(readdirSync(files.root)).not.toContain('none');
  const full = join(files.root, 'full');
  mkdirSync(full);
  writeFileSync(join(full, 'mine'), 'x');
  await expect(carve('kind:file', full)).rejects.toMatchObject({ message: /is not empty/ });
  expect(readdirSync(full)).toEqual(['mine']);
  await expect(carve('kind:file', join(files.folder, 'x'))).rejects.toMatchObject({
    code: 'usage',
  });
});

it('leaves nothing where it is cancelled', async () => {
  const folder = join(files.root, 'cancelled');
  const stopping = new AbortController();
  const report = (): Promise<void> => {
    stopping.abort();
    return Promise.resolve();
  };
  await expect(
    files.services.cases.use(files.folder, (session) =>
      carveFiles(session, evidence, {
        ...{ query: 'kind:file', zone: 'UTC', folder, report, signal: stopping.signal },
      }),
    ),
  ).rejects.toMatchObject({ code: 'cancelled' });
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves out what is no longer what its event says', async () => {
  const path = join(files.evidence, 'a.pcap');
  const before = readFileSync(path);
  const time = (Math.floor(statSync(path).mtimeMs) + 0.5) / 1000;
  const changed = Buffer.from(before);
  changed[changed.indexOf('\r\n\r\none') + 4]! ^= 1;
  writeFileSync(path, changed);
  // Its beginning is compared only if its time differs.
  utimesSync(path, time, time);
  const { files: carved, left } = await carve('kind:file', join(files.root, 'changed'));
  expect(carved.map(({ file }) => file)).not.toContain('1-p1_a.txt');
  expect(left).toEqual([{ event: '1:p1', reason: 'its content differs from that of its event' }]);
  expect(readdirSync(join(files.root, 'changed'))).not.toContain('1-p1_a.txt');
  writeFileSync(path, changed.subarray(0, 100));
  const folder = join(files.root, 'shorter');
  await expect(carve('kind:file', folder)).rejects.toMatchObject({ code: 'unreadable' });
  expect(existsSync(folder)).toBe(false);
  writeFileSync(path, before);
});
