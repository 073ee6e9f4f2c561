import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DaybookError, SourceError } from '../../../engine/contract/errors.ts';
import { paxEntry, tarHeader, tarOf, zipOf } from '../testing/archives.ts';
import { DEFAULT_LIMITS } from '../decompress/decompress.ts';
import { displayName } from './member-names.ts';
import { listFiles } from '../files/list-files.ts';
import { openItem, walkFile, walkPath, type FoundItem, type WalkOptions } from './walk.ts';

let folder = '';
let temporary = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-walk-'));
  temporary = join(folder, 'temporary');
  mkdirSync(temporary);
});
afterEach(() => {
  // Whatever happened, no temporary file remains.
  const left = readdirSync(temporary);
  rmSync(folder, { recursive: true, force: true });
  expect(left).toEqual([]);
});

function put(name: string, content: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function textOf(blocks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const block of blocks) parts.push(Buffer.from(block));
  return Buffer.concat(parts).toString('latin1');
}

interface Walked {
  /** Contents by name. */
  found: Record<string, string>;
  ignored: Record<string, string>;
  items: FoundItem[];
  error: unknown;
}

async function walked(path: string, options: Partial<WalkOptions> = {}): Promise<Walked> {
  const out: Walked = { found: {}, ignored: {}, items: [], error: undefined };
  try {
    for await (const item of walkPath(path, 'x', { temporary, ...options })) {
      if ('reason' in item) {
        out.ignored[item.name] = item.reason;
        continue;
      }
      out.items.push(item);
      out.found[item.name] = await textOf(item.input.blocks()).catch((error: unknown) => {
        if (!(error instanceof DaybookError)) throw error;
        return `! ${error.message}`;
      });
    }
  } catch (error) {
    out.error = error;
  }
  return out;
}

/** The readable items of all files below a folder. */
async function* itemsBelow(root: string): AsyncGenerator<FoundItem> {
  for (const { path, name } of (await listFiles([root], true, temporary)).items)
    for await (const item of walkFile(path, name, temporary)) if (!('reason' in item)) yield item;
}

/** Every item must give the same bytes after the walk, from its location alone. */
async function expectReopens(result: Walked, options: Partial<WalkOptions> = {}): Promise<void> {
  for (const evidence of result.items) {
    const location = JSON.parse(JSON.stringify(evidence.location)) as typeof evidence.location;
    const opened = await openItem(location, { temporary, ...options });
    expect(await textOf(opened.evidence.input.blocks())).toBe(result.found[evidence.name]);
    expect(opened.evidence.location).toEqual(evidence.location);
    expect(await textOf(evidence.raw())).toBe(await textOf(opened.evidence.raw()));
    await opened.close();
  }
}

const MEMBERS = [
  { name: './logs/auth.log', content: 'one\n' },
  { name: 'logs/auth.log.1.gz', content: gzipSync('two\n') },
  { name: 'empty', content: '' },
  { name: 'logs/', type: '5' },
];
const EXPECTED = { 'x!logs/auth.log': 'one\n', 'x!logs/auth.log.1.gz': 'two\n', 'x!empty': '' };

describe('files', () => {
  it('reads a plain file', async () => {
    const path = put('a.log', 'hello');
    utimesSync(path, 1000, 1_600_000_000.5);
    const { items, found } = await walked(path);
    expect(found).toEqual({ x: 'hello' });
    expect(items[0]).toMatchObject({
      location: { path, members: [] },
      rawSize: 5,
      plain: true,
      modifiedMs: 1_600_000_000_500,
      input: { size: 5, modifiedMs: 1_600_000_000_500 },
    });
  });

  it('reads files larger than a block, again and again', async () => {
    const content = Buffer.alloc((3 << 20) + 77, 'abcdefghijk');
    const { items } = await walked(put('large', content));
    const want = createHash('sha256').update(content).digest('hex');
    for (let pass = 0; pass < 2; pass++) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const block of items[0]!.raw()) {
        hash.update(block);
        size += block.length;
      }
      expect(size).toBe(content.length);
      expect(hash.digest('hex')).toBe(want);
    }
  });

  it('prefers the time in a gzip header', async () => {
    const gz = gzipSync('x');
    gz.writeUInt32LE(1_600_000_000, 4);
    const { items } = await walked(put('a.gz', gz));
    expect(items[0]).toMatchObject({
      plain: false,
      modifiedMs: 1_600_000_000_000,
      rawSize: gz.length,
    });
    expect(items[0]!.input.size).toBeUndefined();
  });

  it('says what it cannot read', async () => {
    expect((await walked(join(folder, 'none'))).error).toMatchObject({ code: 'not-found' });
    await expect(listFiles([join(folder, 'none')], false, temporary)).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'says that it may not read a file (skipped for root and on Windows)',
    async () => {
      const path = put('secret', 'x');
      chmodSync(path, 0);
      expect((await walked(path)).error).toMatchObject({ code: 'unreadable' });
    },
  );

  it('reads a small file once, and again after it was written to', async () => {
    const path = put('small', 'a'.repeat(1000));
    const walking = walkFile(path, 'x', temporary);
    const { input } = (await walking.next()).value as FoundItem;
    const blocks: Uint8Array[] = [];
    for (let pass = 0; pass < 2; pass++)
      for await (const block of input.blocks()) blocks.push(block);
    expect(blocks.length).toBe(2);
    expect(blocks[1]).toBe(blocks[0]);
    writeFileSync(path, 'b'.repeat(1000));
    utimesSync(path, 1, 1);
    expect(await textOf(input.blocks())).toBe('b'.repeat(1000));
    await walking.return(undefined);
  });

  it('notices a file that shrinks while it is read', async () => {
    const path = put('shrinks', Buffer.alloc(100));
    const walking = walkFile(path, 'x', temporary);
    const first = (await walking.next()).value as FoundItem;
    writeFileSync(path, 'short');
    await expect(textOf(first.raw())).rejects.toThrow(SourceError);
    await walking.return(undefined);
  });
});

describe('folders', () => {
  it('lists files by name, rotated sets from the oldest, and says what it leaves out', async () => {
    const root = join(folder, 'evidence');
    mkdirSync(join(root, 'sub'), { recursive: true });
    for (const name of ['auth.log', 'auth.log.1', 'auth.log.2.gz', 'a', 'sub/s.log']) {
      writeFileSync(join(root, name), name);
    }
    writeFileSync(join(folder, 'outside'), 'x');
    symlinkSync('auth.log', join(root, 'link-inside'));
    symlinkSync(join(folder, 'outside'), join(root, 'link-outside'));
    symlinkSync('..', join(root, 'link-up'));
    symlinkSync('.', join(root, 'loop'));
    symlinkSync('nowhere', join(root, 'link-broken'));
    const flat = await listFiles([root], false, temporary);
    expect(flat.items.map((item) => item.name)).toEqual([
      'a',
      'auth.log.2.gz',
      'auth.log.1',
      'auth.log',
    ]);
    expect(flat.items.map((item) => item.ordinal)).toEqual([0, 1, 2, 3]);
    expect(Object.fromEntries(flat.ignored.map((item) => [item.name, item.reason]))).toEqual({
      'link-inside': 'symbolic link to something in the folder',
      'link-outside': 'symbolic link out of the folder',
      'link-up': 'symbolic link out of the folder',
      loop: 'symbolic link to something in the folder',
      'link-broken': 'symbolic link to nothing',
      sub: 'a folder (--recursive also reads subfolders)',
    });
    const deep = await listFiles([root, join(root, 'a')], true, temporary);
    expect(deep.items.map((item) => item.name)).toEqual([
      'a',
      'auth.log.2.gz',
      'auth.log.1',
      'auth.log',
      'sub/s.log',
      'a',
    ]);
    let n = 0;
    for await (const _ of itemsBelow(root)) n += 1;
    expect(n).toBe(5);
  });

  it.skipIf(process.platform === 'win32')(
    'leaves out named pipes (skipped on Windows)',
    async () => {
      const root = join(folder, 'evidence');
      mkdirSync(root);
      execFileSync('mkfifo', [join(root, 'pipe')]);
      const { items, ignored } = await listFiles([root], true, temporary);
      expect(items).toEqual([]);
      expect(ignored).toEqual([{ name: 'pipe', reason: 'named pipe' }]);
      await expect(listFiles(['/dev/null'], true, temporary)).rejects.toMatchObject({
        code: 'unreadable',
      });
    },
  );

  it.skipIf(process.platform === 'win32')(
    'keeps a pipe that is an argument (skipped on Windows)',
    async () => {
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      // From another process: opening a pipe blocks until its other end is opened.
      execFile('sh', ['-c', 'printf \"through the pipe\" > \"$0\"', pipe]);
      const listed = listFiles([pipe], false, temporary);
      const { items } = await listed;
      expect(items[0]!.name).toBe('pipe');
      expect(readFileSync(items[0]!.path, 'latin1')).toBe('through the pipe');
      rmSync(items[0]!.path);
    },
  );
});

it.skipIf(process.platform === 'win32')(
  'a pipe that nobody writes to is waited for until that is cancelled (skipped on Windows)',
  async () => {
    const pipe = join(folder, 'silent');
    execFileSync('mkfifo', [pipe]);
    const controller = new AbortController();
    const listed = listFiles([pipe], false, temporary, undefined, controller.signal);
    // It waits once there is a file for the content.
    await vi.waitUntil(() => readdirSync(temporary).length > 0);
    controller.abort();
    await expect(listed).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(temporary)).toEqual([]);
  },
);

describe('archives', () => {
  const tar = tarOf(MEMBERS);
  const zipped = MEMBERS.map(({ name, content }) => ({ name, content: content ?? '' }));
  it.each([
    ['tar', tar],
    ['tar.gz', gzipSync(tar)],
    ['tar.zst', zstdCompressSync(tar)],
    ['zip', zipOf(zipped)],
    ['zip, stored', zipOf(zipped.map((entry) => ({ ...entry, method: 0 })))],
    ['zip with data descriptors', zipOf(zipped.map((entry) => ({ ...entry, descriptor: true })))],
    ['zip64', zipOf(zipped.map((entry) => ({ ...entry, zip64: true })))],
    ['zip in gzip', gzipSync(zipOf(zipped))],
  ])('reads %s', async (_, bytes) => {
    const path = put('archive', bytes);
    for (const options of [{}, { memoryBytes: 1 }]) {
      const result = await walked(path, options);
      expect(result.error).toBeUndefined();
      expect(result.found).toEqual(EXPECTED);
      expect(result.items[0]!.modifiedMs).toBe(1_700_000_000_000);
      await expectReopens(result, options);
    }
  });

  it('reads archives in archives, to a depth', async () => {
    const inner = gzipSync(tarOf([{ name: 'deep.log', content: 'deep' }]));
    const nested = zipOf([
      { name: 'a.zip', content: zipOf([{ name: 'b.tgz', content: inner }]), method: 0 },
      {
        name: 'c.tar',
        content: tarOf([{ name: 'd.zip', content: zipOf([{ name: 'e', content: 'e' }]) }]),
      },
    ]);
    const path = put('nested', nested);
    for (const options of [{}, { memoryBytes: 10 }]) {
      const result = await walked(path, options);
      expect(result.found).toEqual({ 'x!a.zip!b.tgz!deep.log': 'deep', 'x!c.tar!d.zip!e': 'e' });
      await expectReopens(result, options);
    }
    const shallow = await walked(path, { maxDepth: 2 });
    expect(shallow.found).toEqual({});
    expect(Object.values(shallow.ignored)).toEqual(
      Array(2).fill('archives nested more than 2 deep (--max-depth)'),
    );
  });

  it('reads long names, pax headers and concatenated archives', async () => {
    const long = 'd/'.repeat(100) + 'name.log';
    const result = await walked(
      put(
        'archive.tar',
        Buffer.concat([
          tarOf([
            { name: '././@LongLink', type: 'L', content: `${long}\0` },
            { name: long.slice(0, 100), content: 'gnu' },
            paxEntry({ path: `pax/${long}`, mtime: '1600000000.25' }),
            { name: 'short', content: 'pax' },
          ]),
          tarOf([{ name: 'second', content: '2' }]),
        ]),
      ),
    );
    expect(result.error).toBeUndefined();
    expect(result.found).toEqual({
      [`x!${long}`]: 'gnu',
      [`x!pax/${long}`]: 'pax',
      'x!second': '2',
    });
    expect(result.items[1]!.modifiedMs).toBe(1_600_000_000_250);
    await expectReopens(result);
  });

  it('says what it leaves out', async () => {
    const archive = tarOf([
      { name: 'hard', type: '1' },
      { name: 'soft', type: '2' },
      { name: 'char', type: '3' },
      { name: 'pipe', type: '6' },
      { name: 'odd', type: 'Q', content: 'odd' },
      paxEntry({ 'GNU.sparse.major': '1' }),
      { name: 'sparse', content: 'x'.repeat(600) },
      { name: 'good', content: 'good' },
    ]);
    const result = await walked(put('a.tar', archive));
    expect(result.found).toEqual({ 'x!good': 'good' });
    expect(result.ignored).toEqual({
      'x!hard': 'hard link',
      'x!soft': 'symbolic link',
      'x!char': 'character device',
      'x!pipe': 'named pipe',
      'x!odd': 'archive member of type "Q"',
      'x!sparse': 'sparse file',
    });
    const zip = zipOf([
      { name: 'secret', content: 'x', flags: 1 },
      { name: 'link', content: 'target', mode: 0o120777 },
      { name: 'ppmd', content: 'x', method: 98 },
      { name: 'good', content: 'good' },
    ]);
    const zipResult = await walked(put('a.zip', zip));
    expect(zipResult.found).toEqual({ 'x!good': 'good' });
    expect(zipResult.ignored).toEqual({
      'x!secret': 'encrypted, and its password was not given',
      'x!link': 'symbolic link',
      'x!ppmd': 'compression method 98 is not supported',
    });
  });

  const hostile = [
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\windows\\x',
    '..\\..\\x',
    'nul\0byte',
    'esc\x1b[31m',
    '\u202egol.exe',
    '',
  ];
  it('keeps hostile names as text', async () => {
    const entries = hostile.map((name, i) => ({ name, content: `${i}` }));
    // A tar's names end at a NUL, and must not be empty.
    const tarEntries = entries.filter((entry) => entry.name !== '');
    for (const bytes of [tarOf(tarEntries), gzipSync(tarOf(tarEntries)), zipOf(entries)]) {
      const before = readdirSync(folder).length;
      const result = await walked(put('hostile', bytes), { memoryBytes: 0 });
      expect(result.error).toBeUndefined();
      expect(Object.keys(result.found)).toContain('x!../../etc/passwd');
      expect(Object.keys(result.found).some((name) => /[\0\x1b\u202e]/.test(name))).toBe(false);
      expect(readdirSync(folder).length - before).toBeLessThanOrEqual(1);
      await expectReopens(result, { memoryBytes: 0 });
    }
    expect(existsSync(join(folder, 'etc'))).toBe(false);
    expect(displayName(Buffer.from([0xff, 0x41]))).toBe('ÿA');
  });

  it('tells members of one name apart', async () => {
    const entries = ['a', 'a', 'a#2', 'a', 'A'].map((name, i) => ({ name, content: `${i}` }));
    const want = { 'x!a': '0', 'x!a#2': '1', 'x!a#2#2': '2', 'x!a#3': '3', 'x!A': '4' };
    for (const bytes of [tarOf(entries), zipOf(entries), gzipSync(tarOf(entries))]) {
      const result = await walked(put('same', bytes));
      expect(result.found).toEqual(want);
      await expectReopens(result);
    }
  });

  it('gives what is good of every prefix', async () => {
    const small = tarOf([
      { name: 'a', content: 'A'.repeat(700) },
      { name: 'b', content: gzipSync('B') },
    ]);
    const zip = zipOf([
      { name: 'a', content: 'A'.repeat(700) },
      { name: 'b', content: 'B' },
    ]);
    const gz = gzipSync(small);
    const sizes = (bytes: Buffer) => Array.from({ length: bytes.length }, (_, n) => n);
    const cases: [Buffer, number[]][] = [
      [small, sizes(small).filter((n) => n > 512 && (n % 64 < 2 || n % 512 > 509))],
      [gz, sizes(gz)],
      [zip, sizes(zip)],
    ];
    for (const [bytes, prefixes] of cases) {
      for (const n of prefixes) {
        const result = await walked(put('cut', bytes.subarray(0, n)));
        if (result.error !== undefined) expect(result.error).toBeInstanceOf(SourceError);
        const a = result.found['x!a'];
        if (a !== undefined) expect(a).toMatch(/^A*$|^! /);
        if (bytes === small && n < 512 + 700) expect(a).toMatch(/^! .*ends at byte/);
        if (bytes === small && n >= 512 + 1024) expect(a).toBe('A'.repeat(700));
      }
    }
  });

  it('survives flipped bits', async () => {
    let seed = 7;
    const random = (n: number) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % n;
    const archives = [tar, gzipSync(tar), zipOf(zipped)];
    for (let round = 0; round < 300; round++) {
      const damaged = Buffer.from(archives[round % 3]!);
      for (let i = 0; i < 3; i++) damaged[random(damaged.length)]! ^= 1 << random(8);
      const result = await walked(put('damaged', damaged));
      if (result.error !== undefined) expect(result.error).toBeInstanceOf(DaybookError);
    }
  });

  it('does not let one damaged member hide the others', async () => {
    const broken = gzipSync(tarOf([{ name: 'in', content: 'in' }])).subarray(0, 60);
    const bytes = zipOf([
      { name: 'cut.zip', content: zipOf([{ name: 'y', content: 'y' }]).subarray(0, 50), method: 0 },
      { name: 'cut.tgz', content: broken, method: 0 },
      { name: 'lies', content: 'x'.repeat(100), size: 10 },
      { name: 'good', content: 'good' },
    ]);
    const result = await walked(put('mixed.zip', bytes));
    expect(result.error).toBeUndefined();
    expect(result.found['x!good']).toBe('good');
    expect(result.found['x!lies']).toMatch(/more than the directory says/);
    expect(result.ignored['x!cut.zip']).toMatch(/cannot be read/);
  });

  it('does not believe sizes, and stops bombs', async () => {
    const lies = Buffer.concat([
      tarHeader({ name: 'huge', size: 8 ** 11 - 1 }),
      Buffer.from('little'),
    ]);
    for (const bytes of [lies, gzipSync(lies)]) {
      const result = await walked(put('lies', bytes));
      expect(result.found['x!huge']).toMatch(/ends at byte 6/);
      expect(result.error).toBeInstanceOf(SourceError);
    }
    const zeros = Buffer.alloc(8 << 20);
    const limits = { ...DEFAULT_LIMITS, maxRatio: 100, ratioFrom: 1 << 20 };
    const bomb = await walked(put('bomb', zipOf([{ name: 'zeros', content: zeros }])), { limits });
    expect(bomb.found['x!zeros']).toMatch(/^! zip content is more than 100 times/);
    const spooled = await walked(
      put('large', gzipSync(tarOf([{ name: 'zeros', content: zeros }]))),
      {
        memoryBytes: 1000,
        spoolBytes: 1 << 20,
      },
    );
    expect(spooled.error).toMatchObject({ code: 'limit-exceeded' });
    const many = tarOf(Array.from({ length: 20 }, (_, i) => ({ name: `${i}`, content: '' })));
    expect((await walked(put('many', many), { maxMembers: 10 })).error).toMatchObject({
      code: 'limit-exceeded',
    });
  });

  it('refuses zip members that share bytes, and reads the others', async () => {
    const bytes = zipOf([
      { name: 'one', content: 'one' },
      { name: 'two', content: 'two' },
      { name: 'three', content: 'three' },
    ]);
    // The directory names the first member's header for the second one, too.
    const second = bytes.indexOf('two', bytes.indexOf('PK\x01\x02', 0, 'latin1')) - 46;
    const shared = Buffer.from(bytes);
    shared.writeUInt32LE(0, second + 42);
    const result = await walked(put('shared.zip', shared));
    expect(Object.keys(result.found)).toEqual(['x!three']);
    expect(String(result.error)).toMatch(
      /2 members of the archive share the same bytes, as in a decompression bomb.*one/,
    );
  });

  it('has one budget for all members of an archive', async () => {
    const member = (i: number) => ({ name: `m${i}`, content: Buffer.alloc(600_000, i) });
    const limits = { ...DEFAULT_LIMITS, maxRatio: 100, ratioFrom: 1 << 20 };
    const members = Array.from({ length: 8 }, (_, i) => member(i));
    for (const [bytes, most] of [
      [zipOf(members), 2],
      [gzipSync(tarOf(members)), 2],
    ] as const) {
      const result = await walked(put('budget', bytes), { limits });
      expect(result.error).toMatchObject({ option: '--max-ratio' });
      const whole = Object.values(result.found).filter((text) => text.length === 600_000);
      expect(whole.length).toBeLessThanOrEqual(most);
      const free = await walked(put('budget', bytes), {
        limits: { ...limits, maxRatio: Infinity },
      });
      expect(free.error).toBeUndefined();
      expect(Object.keys(free.found)).toHaveLength(8);
    }
  });

  it('goes on after a tar member without a name', async () => {
    const result = await walked(
      put(
        'a.tar',
        tarOf([
          { name: 'a', content: 'a' },
          { name: '', content: 'nameless' },
          { name: 'b', content: 'b' },
        ]),
      ),
    );
    expect(result.error).toBeUndefined();
    expect(result.found).toEqual({ 'x!a': 'a', 'x!(no name)': 'nameless', 'x!b': 'b' });
  });

  it('says that a member is gone', async () => {
    const path = put('a.tar', tarOf([{ name: 'a', content: 'a' }]));
    await expect(openItem({ path, members: ['b'] }, { temporary })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(openItem({ path, members: ['a', 'b'] }, { temporary })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('jumps over large members of a plain tar', async () => {
    const large = Buffer.alloc(5 << 20, 'large\n');
    const result = await walked(
      put(
        'a.tar',
        tarOf([
          { name: 'large', content: large },
          { name: 'b', content: 'b' },
        ]),
      ),
    );
    expect(result.found['x!large']!.length).toBe(large.length);
    expect(result.found['x!b']).toBe('b');
  });

  it('keeps beginnings only, where no more is wanted', async () => {
    const members = [
      { name: 'large', content: 'abc'.repeat(1000) },
      { name: 'small', content: 'd' },
      { name: 'inner.tar', content: tarOf([{ name: 'in', content: 'in' }]) },
      { name: 'last', content: 'e'.repeat(100) },
    ];
    const path = put('a.tgz', gzipSync(tarOf(members)));
    const seen: [string, number | string | undefined, string][] = [];
    for await (const found of walkPath(path, 'a', { temporary, beginningBytes: 600 })) {
      if ('reason' in found) seen.push([found.name, found.reason, '']);
      else seen.push([found.name, found.rawSize, await textOf(found.raw())]);
    }
    expect(seen).toEqual([
      ['a!large', 3000, 'abc'.repeat(200)],
      ['a!small', 1, 'd'],
      ['a!inner.tar', 'an archive inside an archive, too large to be opened', ''],
      ['a!last', 100, 'e'.repeat(100)],
    ]);
  });

  it('lets go when the reader stops', async () => {
    const path = put('a.tgz', gzipSync(tarOf(MEMBERS)));
    for await (const item of walkPath(path, 'x', { temporary, memoryBytes: 0 })) {
      expect(item.name).toBe('x!logs/auth.log');
      break;
    }
  });
});

const shared = resolve(
  process.env['DAYBOOK_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared'),
  'data/syslog',
);
describe('real archives', () => {
  it.skipIf(!existsSync(shared))('reads them (skipped without the shared evidence)', async () => {
    let items = 0;
    const names: string[] = [];
    for await (const item of itemsBelow(shared)) {
      items += 1;
      names.push(item.name);
      let size = 0;
      for await (const block of item.input.blocks()) size += block.length;
      if (item.plain) expect(size).toBe(item.rawSize);
    }
    expect(items).toBeGreaterThan(200);
    expect(names.filter((name) => name.includes('.tar.gz!')).length).toBeGreaterThan(5);
  });
});
