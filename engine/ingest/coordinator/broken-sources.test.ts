/** Sources that are not read to their end: their entries in the ledger, and importing them again. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bzip2Available, bzip2Of } from '../testing/bzip2.ts';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { statusOf } from '../../catalog/tables/sources.ts';
import { importInProcess } from '../testing/in-process.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-broken-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, bytes: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => {
    const n = from + i;
    const time = new Date(Date.UTC(2026, 0, 5) + n * 1000).toISOString();
    return `${time} host app[${n}]: message ${n} of ${(n * 2654435761) % 1_000_003}\n`;
  }).join('');

function sources(): { name: string; status: string; stored: number; duplicate: number }[] {
  const catalog = Catalog.open(join(folder, 'case'));
  try {
    return catalog.sources.all().map((source) => ({
      name: source.name,
      status: statusOf(source),
      stored: source.stored,
      duplicate: source.duplicate,
    }));
  } finally {
    catalog.close();
  }
}

it('calls a log that is cut off partial, leaves its half line out, and goes on once it is whole', async () => {
  const whole = gzipSync(lines(0, 5000));
  const cut = put('app.log.gz', whole.subarray(0, Math.floor(whole.length / 2)));
  const first = await importInProcess(join(folder, 'case'), [cut]);
  const [report] = first.sources;
  expect(report).toMatchObject({ status: 'partial', quarantined: 0 });
  expect(report!.broken).toMatchObject({ state: 'partial', checked: 0 });
  expect(report!.broken!.fileOffset).toBeLessThanOrEqual(whole.length / 2);
  const stored = report!.stored;
  expect(stored).toBeGreaterThan(1000);
  // Whole lines only: the position is the end of the last one.
  expect(Buffer.byteLength(lines(0, stored))).toBe(report!.broken!.offset);

  const again = await importInProcess(join(folder, 'case'), [cut]);
  expect(again.sources[0]).toMatchObject({ status: 'duplicate', stored: 0 });
  expect(again.sources[0]!.message).toMatch(/not read to its end/);

  put('app.log.gz', whole);
  const rest = await importInProcess(join(folder, 'case'), [cut]);
  expect(rest.sources[0]).toMatchObject({
    status: 'complete',
    read: 5000,
    stored: 5000 - stored,
    duplicate: stored,
  });
  expect(sources().map(({ status }) => status)).toEqual(['partial', 'complete']);
  const last = await importInProcess(join(folder, 'case'), [cut]);
  expect(last.sources[0]).toMatchObject({ status: 'duplicate', stored: 0, duplicate: 5000 });
  expect(last.sources[0]!.message).not.toMatch(/not read to its end/);
});

it('goes on with a log that a limit of ours cut, once the limit is raised', async () => {
  const path = put('app.log.gz', gzipSync(lines(0, 20_000)));
  const first = await importInProcess(join(folder, 'case'), [path], {
    limits: { maxBytes: 500_000 },
  });
  expect(first.sources[0]).toMatchObject({
    status: 'partial',
    broken: { limit: '--max-bytes' },
  });
  const { stored } = first.sources[0]!;
  expect(stored).toBeGreaterThan(1000);
  const same = await importInProcess(join(folder, 'case'), [path]);
  expect(same.sources[0]!.status).toBe('duplicate');
  const more = await importInProcess(join(folder, 'case'), [path], {
    limits: { maxBytes: 1 << 30 },
  });
  expect(more.sources[0]).toMatchObject({
    status: 'complete',
    stored: 20_000 - stored,
    duplicate: stored,
  });
});

it.skipIf(!bzip2Available())(
  'stores nothing of a bzip2 block whose checksum differs (skipped without bzip2)',
  async () => {
    const damaged = bzip2Of(Buffer.from(lines(0, 4000)));
    damaged[Math.floor(damaged.length / 2)]! ^= 1;
    const path = put('app.log.bz2', damaged);
    const { sources: reports } = await importInProcess(join(folder, 'case'), [path]);
    for (const { status, stored } of reports) {
      expect(stored).toBe(0);
      expect(['damaged', 'failed']).toContain(status);
    }
  },
);

describe.skipIf(!bzip2Available())('bzip2 with a damaged block', () => {
  const content = lines(0, 40_000);
  /** Flips a byte at a position within the compressed content. */
  const damagedAt = (text: string, share: number): Buffer => {
    const bytes = bzip2Of(Buffer.from(text));
    bytes[Math.floor(bytes.length * share) + 40]! ^= 1;
    return bytes;
  };
  const importBytes = async (name: string, bytes: Buffer) => {
    const { sources: reports } = await importInProcess(join(folder, 'case'), [put(name, bytes)]);
    return reports[0]!;
  };

  it.each([
    ['the first', 0, 1],
    ['the second', 0.4, 2],
  ])('stores all lines but those of %s block, and names the place', async (_, share, parts) => {
    const report = await importBytes('app.log.bz2', damagedAt(content, share));
    expect(report).toMatchObject({ status: 'damaged', quarantined: parts, format: 'syslog' });
    expect(report.broken!.lost).toHaveLength(1);
    expect(report.broken!.reason).toMatch(/bzip2 data is damaged from its byte \d+ up to \d+ \(/);
    // A block has 900,000 bytes of content.
    const lost = 40_000 - report.stored;
    expect(lost).toBeGreaterThan(900_000 / 80);
    expect(lost).toBeLessThan(900_000 / 40);

    const { readRecord } = await import('../../../importers/shared/files/read-record.ts');
    const location = { path: join(folder, 'app.log.bz2'), members: [] };
    const { offset } = report.broken!;
    const tail = content.slice(-2000);
    const read = await readRecord(location, offset - tail.length, tail.length);
    expect(Buffer.from(read).toString()).toBe(tail);
    const again = await importBytes('app.log.bz2', damagedAt(content, share));
    expect(again.status).toBe('duplicate');
  });

  it('reads JSON lines on, and a table whose heading is there', async () => {
    const json = Array.from({ length: 30_000 }, (_, i) =>
      JSON.stringify({
        timestamp: new Date(Date.UTC(2026, 0, 5) + i * 1000).toISOString(),
        host: 'web',
        message: `message ${i} of ${(i * 2654435761) % 1_000_003}`,
      }),
    ).join('\n');
    const first = await importBytes('app.json.bz2', damagedAt(json, 0));
    expect(first).toMatchObject({ status: 'damaged', format: 'flow-csv' });
    expect(first.stored).toBeGreaterThan(15_000);
    const csv = `timestamp,src_ip,dst_ip,bytes\n${Array.from(
      { length: 60_000 },
      (_, i) =>
        `${new Date(Date.UTC(2026, 0, 5) + i * 1000).toISOString()},10.0.${(i >> 8) & 255}.${i & 255},192.0.2.1,${(i * 2654435761) % 1_000_003}`,
    ).join('\n')}\n`;
    const headless = await importBytes('flows.csv.bz2', damagedAt(csv, 0));
    // Without its heading it is not a table but lines of text.
    expect(headless).toMatchObject({ status: 'damaged', format: 'syslog' });
    const second = await importBytes('flows2.csv.bz2', damagedAt(csv, 0.4));
    expect(second).toMatchObject({ status: 'damaged', quarantined: 2 });
    expect(second.stored).toBeGreaterThan(35_000);
  });
});

const WITH_SUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
describe.each([
  ['gz', (text: string) => gzipSync(text)],
  ['zst', (text: string) => zstdCompressSync(text, WITH_SUM)],
] as const)('several members of .%s, of which one is damaged', (suffix, compress) => {
  const members = [0, 1, 2, 3].map((n) => compress(lines(n * 1000, (n + 1) * 1000)));
  const importDamaged = async (at: number) => {
    const bytes = Buffer.concat(members);
    for (let i = 0; i < 8; i++) bytes[at + i]! ^= 0x5a;
    const path = put(`app.log.${suffix}`, bytes);
    const { sources: reports } = await importInProcess(join(folder, 'case'), [path]);
    return reports[0]!;
  };

  it.each([
    [0, 3000, 1],
    [1, 3000, 1],
    [3, 3000, 0],
  ])('stores the lines of all but member %i, and names the place', async (n, most, parts) => {
    const start = Buffer.concat(members.slice(0, n)).length;
    const report = await importDamaged(start + 200);
    // What follows damage may be the rest of a line.
    expect(report).toMatchObject({ status: 'damaged', quarantined: parts, stored: most - parts });
    const { broken } = report;
    if (n < 3)
      expect(broken!.lost).toMatchObject([
        { offset: lines(0, n * 1000).length, fileEnd: start + members[n]!.length },
      ]);
    else expect(broken!.lost).toBeUndefined();
    expect(broken!.fileOffset).toBeGreaterThanOrEqual(start);
    expect((await importDamaged(start + 200)).status).toBe('duplicate');
  });

  it('is not what another copy has of the lines beside its damage', async () => {
    await importDamaged(members[0]!.length + 200);
    const whole = put(`whole.log.${suffix}`, Buffer.concat(members));
    const { sources: reports } = await importInProcess(join(folder, 'case'), [whole], {
      leaveOutOverlap: true,
    });
    expect(reports[0]).toMatchObject({ stored: 4000 });
    const catalog = Catalog.open(join(folder, 'case'));
    try {
      const [, { id }] = catalog.sources.all() as [unknown, { id: number }];
      const found = catalog.overlaps.all().filter(({ sourceId }) => sourceId === id);
      // The line after the damage is in quarantine there.
      expect(found.map(({ records, leftOut }) => [records, leftOut])).toEqual([
        [1000, true],
        [1999, true],
      ]);
    } finally {
      catalog.close();
    }
  });

  it('keeps a last line without its line feed', async () => {
    const [first, ...others] = [0, 1, 2].map((n) => compress(lines(n * 100, (n + 1) * 100)));
    first![60]! ^= 0x5a;
    const last = compress(lines(300, 400).trimEnd());
    const path = put(`app.log.${suffix}`, Buffer.concat([first!, ...others, last]));
    const { sources: reports } = await importInProcess(join(folder, 'case'), [path]);
    expect(reports[0]).toMatchObject({ status: 'damaged', stored: 299, quarantined: 1 });
  });
});

it('calls the members of an archive damaged whose checksum fails after they were read', async () => {
  const { tarOf } = await import('../../../importers/shared/testing/archives.ts');
  const noise = (seed: number) => lines(seed * 100_000, seed * 100_000 + 150_000);
  const archive = gzipSync(
    tarOf([
      { name: 'a.log', content: noise(1) },
      { name: 'b.log', content: noise(2) },
      { name: 'c.log', content: noise(3) },
    ]),
    { level: 1 },
  );
  archive[archive.length - 6]! ^= 1;
  const { sources: reports } = await importInProcess(join(folder, 'case'), [
    put('logs.tar.gz', archive),
  ]);
  expect(reports.some(({ status }) => status === 'complete')).toBe(false);
  expect(reports.filter(({ status }) => status === 'damaged').length).toBeGreaterThan(0);
  expect(reports.filter(({ status }) => status === 'failed')).toHaveLength(1);
});

it('says that a capture ends within a packet', async () => {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65535, 16);
  header.writeUInt32LE(1, 20);
  const packet = Buffer.alloc(16 + 60);
  packet.writeUInt32LE(1_767_600_000, 0);
  packet.writeUInt32LE(60, 8);
  packet.writeUInt32LE(60, 12);
  const whole = Buffer.concat([header, packet, packet]);
  const path = put('cut.pcap', whole.subarray(0, whole.length - 10));
  const { sources: reports } = await importInProcess(join(folder, 'case'), [path]);
  expect(reports[0]).toMatchObject({
    status: 'partial',
    broken: { state: 'partial', offset: whole.length - 10 },
  });
});

it('says that a table ends within its header', async () => {
  const path = put(
    'conn.log',
    '#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n#fields\tts\tuid\tid.orig_h\tid.ori',
  );
  const { sources: reports } = await importInProcess(join(folder, 'case'), [path]);
  expect(reports[0]).toMatchObject({ read: 0, status: 'partial' });
  expect(reports[0]!.notes.join()).toMatch(/no record was found/);
});

it('stores the same content in two compressions once, with one year', async () => {
  const log = Array.from(
    { length: 80 },
    (_, i) =>
      `Mar  ${1 + Math.floor(i / 10)} 10:00:${10 + (i % 10)} host app[${i}]: message ${i}\n`,
  ).join('');
  const paths = [put('app.log', log), put('app.log.gz', gzipSync(log))];
  const { total, sources: reports } = await importInProcess(join(folder, 'case'), paths);
  expect(total).toMatchObject({ stored: 80, duplicate: 80 });
  expect(reports[1]!.message).toMatch(/identical to source 1 \(app\.log\)/);
  expect(reports[1]!.decisions).toEqual(reports[0]!.decisions);
});

it.each(['plain', 'compressed'])(
  'gives a %s file that is left out the hash and size of its own bytes',
  async (last) => {
    const content = lines(0, 80);
    const plain = { name: 'app.log', bytes: Buffer.from(content) };
    const compressed = { name: 'app.log.gz', bytes: gzipSync(content) };
    const files = last === 'plain' ? [compressed, plain] : [plain, compressed];
    const reports: unknown[] = [];
    for (const { name, bytes } of files)
      reports.push(
        ...(await importInProcess(join(folder, 'case'), [put(name, bytes)])).sources.map(
          ({ source, status, sha256, bytes: size }) => ({ source, status, sha256, size }),
        ),
      );
    expect(reports).toEqual(
      files.map(({ name, bytes }, i) => ({
        source: name,
        status: i === 0 ? 'complete' : 'duplicate',
        sha256: createHash('sha256').update(bytes).digest('hex'),
        size: bytes.length,
      })),
    );
  },
);
