import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { BUILDER } from '../../ingest/testing/in-process.ts';
import { receivePiece, safeParts } from './receive.ts';

let root: string;
let folder: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daybook-receive-'));
  folder = join(root, 'a.daybook');
  (await CaseWriter.open(folder, 'test', BUILDER, true)).close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const send = (name: string, content: string, offset = 0, last = true, upload = 'up') =>
  receivePiece({ case: folder, upload, name, offset, bytes: bytes(content), last });

describe('names', () => {
  it.each([
    ['a.log', ['a.log']],
    ['var/log/a:b "c".log', ['var', 'log', 'a:b "c".log']],
    ['...', ['...']],
    ['~/x', ['~', 'x']],
    ['con', ['con']],
    ['\u202egol.exe', ['\u202egol.exe']],
  ])('%s is a name', (name, parts) => {
    expect(safeParts(name, 'linux')).toEqual(parts);
  });

  const elsewhere = [
    ...[
      '..',
      '../a',
      'a/../b',
      'a/..',
      './a',
      'a/./b',
      '/etc/passwd',
      '//host/share',
      'a//b',
      'a/',
    ],
    ...['a\\..\\b', 'C:\\a', 'a\0b', 'a\nb', 'x'.repeat(256), 'ä'.repeat(128), '\ud800'],
    'a/'.repeat(70) + 'b',
  ];
  it.each(elsewhere)('%j is refused, and nothing is written', async (name) => {
    expect(() => safeParts(name, 'linux')).toThrow(/cannot be received/);
    const before = readdirSync(folder, { recursive: true }).length;
    await expect(send(name, 'x')).rejects.toMatchObject({ code: 'usage' });
    expect(readdirSync(folder, { recursive: true }).length).toBe(before);
  });

  it.each(['con', 'NUL.txt', 'a/COM1', 'lpt9.log', 'a:b', 'a.', 'a ', 'a?', 'C:a', 'aux/x'])(
    '%j is refused on Windows',
    (name) => {
      expect(() => safeParts(name, 'win32')).toThrow(/Windows/);
    },
  );
});

describe('pieces', () => {
  it('a gap, other bytes, and more after the end are refused', async () => {
    await send('a', 'hello', 0, false);
    await expect(send('a', '!', 6)).rejects.toMatchObject({ code: 'usage' });
    await expect(send('a', 'jello', 0, false)).rejects.toMatchObject({ code: 'usage' });
    await expect(send('a', 'hell', 0, true)).rejects.toMatchObject({ code: 'usage' });
    const { path } = await send('a', ' world', 5);
    await expect(send('a', '!', 11)).rejects.toMatchObject({ code: 'usage' });
    await expect(send('a', 'other', 0)).rejects.toMatchObject({ code: 'usage' });
    expect(readFileSync(path, 'utf8')).toBe('hello world');
    // The same name in another drop is another file.
    expect((await send('a', 'other', 0, true, 'up2')).path).toBe(join(folder, 'received/up2/a'));
  });

  it('an empty file is a file', async () => {
    const { path, size } = await send('empty', '');
    expect([size, readFileSync(path).length]).toEqual([0, 0]);
  });

  it('a piece that is too large, a folder of the name, a file as a folder: said in words', async () => {
    await expect(send('large', 'x'.repeat((4 << 20) + 1))).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
    await send('dir/a', 'x');
    await expect(send('dir', 'x')).rejects.toMatchObject({ code: 'usage' });
    await expect(send('dir/a/b', 'x')).rejects.toMatchObject({ code: 'usage' });
  });

  it.skipIf(process.platform === 'win32')('does not follow links', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'target'), 'mine');
    mkdirSync(join(folder, 'received', 'links'), { recursive: true });
    symlinkSync(outside, join(folder, 'received', 'links', 'out'));
    symlinkSync(join(outside, 'target'), join(folder, 'received', 'links', 'file'));
    await expect(send('out/new', 'x', 0, true, 'links')).rejects.toMatchObject({
      code: 'case-damaged',
      message: expect.stringContaining('is a link') as string,
    });
    await expect(send('file', 'mine!', 0, true, 'links')).rejects.toMatchObject({
      code: 'case-damaged',
    });
    expect(existsSync(join(outside, 'new'))).toBe(false);
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('mine');
  });

  it('needs a case', async () => {
    const piece = { upload: 'u', name: 'a', offset: 0, bytes: bytes('x'), last: true };
    await expect(receivePiece({ case: join(root, 'none'), ...piece })).rejects.toMatchObject({
      code: 'not-a-case',
    });
    expect(existsSync(join(root, 'none'))).toBe(false);
  });
});
