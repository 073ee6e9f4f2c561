/** Files that became no source: the ledger keeps them, with the reason, until a later import reads them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { HASH_LIST } from '../../contract/left-out.ts';
import type { UnreadFile } from '../../catalog/tables/ledger.ts';
import { importInProcess } from '../testing/in-process.ts';

const LINE = '2026-01-05T00:00:00Z host app[1]: hello\n';
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-unread-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, bytes: Uint8Array | string): string => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
  return path;
};

async function unreadAfter(paths: readonly string[]): Promise<UnreadFile[]> {
  await importInProcess(join(folder, 'case'), paths);
  const catalog = Catalog.open(join(folder, 'case'));
  try {
    return catalog.ledger.unread();
  } finally {
    catalog.close();
  }
}

it('names what could not be read and what nothing reads, until it is read', async () => {
  const damaged = gzipSync(LINE);
  damaged.fill(0xff, 10, 14);
  const files = [
    put('good.log', LINE),
    put('bad.log.gz', damaged),
    put('disk.e01', Buffer.from('EVF\t\r\n\xff\0 and more', 'latin1')),
    put('other/bad.log.gz', gzipSync(`${LINE}${LINE}`)),
  ];
  const first = await unreadAfter(files);
  expect(first.map(({ name, status, importId }) => [name, status, importId])).toEqual([
    ['bad.log.gz', 'failed', 1],
    ['disk.e01', 'ignored', 1],
  ]);
  expect(first[0]!.reason).toContain('gzip data is damaged');
  expect(first[1]!.reason).toContain('a disk image');
  // A repeated problem is listed once.
  const again = await unreadAfter(files);
  expect(again.map(({ name, importId }) => [name, importId]).sort()).toEqual([
    ['bad.log.gz', 2],
    ['disk.e01', 2],
  ]);
  put('bad.log.gz', gzipSync(`${LINE}${LINE}${LINE}`));
  expect((await unreadAfter(files)).map(({ name }) => name)).toEqual(['disk.e01']);
});

it('names no hash manifest as missing, whatever version of Daybook compared it', async () => {
  await unreadAfter([put('good.log', LINE)]);
  const catalog = Catalog.open(join(folder, 'case'));
  try {
    const old =
      'a list of hashes: it is compared with the files that it lists (as format text its lines are events)';
    for (const [n, message] of [HASH_LIST, old, 'a disk image'].entries())
      catalog.transaction(() =>
        catalog.ledger.add({
          ...{ importId: 1, ordinal: 10 + n, name: `${n}`, sourceId: undefined, message },
          ...{ status: 'ignored', read: 0, stored: 0, duplicate: 0, quarantined: 0, skipped: 0 },
        }),
      );
    expect(catalog.ledger.notImported().map(({ name }) => name)).toEqual(['2']);
  } finally {
    catalog.close();
  }
});
