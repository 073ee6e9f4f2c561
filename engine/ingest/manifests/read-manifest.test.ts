import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { manifestFormat, readManifest, type Manifest } from './read-manifest.ts';

const hex = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');
const MD5 = hex('md5', 'a');
const SHA1 = hex('sha1', 'a');
const SHA256 = hex('sha256', 'a');
const SHA512 = hex('sha512', 'a');

/** Reads in blocks of `size` bytes. */
async function read(name: string, text: string, size = 7): Promise<Manifest | undefined> {
  const bytes = Buffer.from(text);
  const format = manifestFormat(bytes, name);
  if (format === undefined) return undefined;
  async function* blocks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return readManifest(blocks(), format, name);
}

const one = (path: string, algorithm: string, hash: string, line = 1) => ({
  ...{ line, path, algorithm, hash },
});

describe('lines', () => {
  it.each([
    ['coreutils, text', `${SHA256}  a.log\n`, one('a.log', 'sha256', SHA256)],
    ['coreutils, binary', `${SHA1} *a b.log\r\n`, one('a b.log', 'sha1', SHA1)],
    ['no line feed at the end', `${MD5}  a.log`, one('a.log', 'md5', MD5)],
    ['upper case', `${SHA512.toUpperCase()}  ./a`, one('./a', 'sha512', SHA512)],
    ['an escaped name', `\\${MD5}  a\\nb\\\\c\n`, one('a\nb\\c', 'md5', MD5)],
    ['BSD', `SHA256 (a (1).log) = ${SHA256}\n`, one('a (1).log', 'sha256', SHA256)],
    ['OpenSSL', `SHA2-256(a.log)= ${SHA256}\n`, one('a.log', 'sha256', SHA256)],
    ['BLAKE2b', `BLAKE2b (a.log) = ${SHA512}\n`, one('a.log', 'blake2b512', SHA512)],
    ['of Windows', `${MD5}  C:\\out\\a.log\n`, one('C:/out/a.log', 'md5', MD5)],
    ['after a byte order mark', `\ufeff${MD5}  a.log\n`, one('a.log', 'md5', MD5)],
    ['after comments', `# made by me\n; so\n\n${MD5}  a.log\n`, one('a.log', 'md5', MD5, 4)],
  ])('%s', async (_, text, entry) => {
    expect(await read('sums', text)).toMatchObject({ entries: [entry], problems: [] });
  });

  it('is BLAKE2b where its name says so', async () => {
    expect((await read('B2SUMS', `${SHA512}  a\n`))?.entries).toEqual([
      one('a', 'blake2b512', SHA512),
    ]);
  });

  it('takes a hash by itself for that of the file that its name names', async () => {
    expect((await read('logs/a.log.sha256', `${SHA256}\n`))?.entries).toEqual([
      one('a.log', 'sha256', SHA256),
    ]);
    expect(await read('a.log.sha256', `${MD5}\n`)).toBeUndefined();
    // A line that follows after the format was recognised.
    const late = await read('a.log.sha256', `${SHA256}\n${'#\n'.repeat(5000)}damaged\n`, 4096);
    expect(late?.problems).toEqual([{ line: 5002, reason: 'not a hash' }]);
    expect(await read('a.log', `${SHA256}\n`)).toBeUndefined();
  });

  it('says which lines cannot be read, and why', async () => {
    const text = `${MD5}  a\nnonsense\n${MD5.slice(1)}  b\n${MD5}  c\nMD5 (d) = ${SHA1}\nWHIRLPOOL (e) = ${SHA512}\n`;
    expect(await read('MD5SUMS', text)).toMatchObject({
      entries: [one('a', 'md5', MD5), one('c', 'md5', MD5, 4)],
      problems: [
        { line: 2, reason: expect.stringContaining('neither') as string },
        { line: 3, reason: 'no known hash has 31 digits' },
        { line: 5, reason: expect.stringContaining('not a hash of md5') as string },
        { line: 6, reason: 'unknown algorithm whirlpool' },
      ],
    });
  });

  it('bounds a line', async () => {
    const text = `${MD5}  a\n${'x'.repeat(200_000)}\n${MD5}  b\n`;
    expect(await read('sums', text, 60_000)).toMatchObject({
      entries: [one('a', 'md5', MD5), one('b', 'md5', MD5, 3)],
      problems: [{ line: 2, reason: 'too long for a hash and a name' }],
    });
  });
});

describe('other forms', () => {
  it('hashdeep: the strongest hash, and names with commas', async () => {
    const text = `%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /e\n## \n1,${MD5},${SHA256},/e/a, b.log\n1,${MD5}\n`;
    expect(await read('hashes.txt', text)).toMatchObject({
      format: 'hashdeep',
      entries: [one('/e/a, b.log', 'sha256', SHA256, 5)],
      problems: [{ line: 6, reason: 'fewer values than the header names' }],
    });
  });

  it('the copy log of KAPE', async () => {
    const text = `\ufeffCopiedTimestamp,SourceFile,DestinationFile,FileSize,SourceFileSha1,DeferredCopy\r\n2026-03-01,C:\\a,"F:\\out\\C\\a, ""b"".log",1,${SHA1.toUpperCase()},False\r\n2026-03-01,C:\\b,F:\\out\\C\\b,1,,False\r\n`;
    expect(await read('x_CopyLog.csv', text)).toMatchObject({
      format: 'table',
      entries: [one('F:/out/C/a, "b".log', 'sha1', SHA1, 2), one('F:/out/C/b', 'sha1', '', 3)],
      problems: [],
    });
  });

  it('Get-FileHash', async () => {
    const text = `"Algorithm","Hash","Path"\n"SHA256","${SHA256.toUpperCase()}","D:\\e\\a.log"\n`;
    expect((await read('h.csv', text))?.entries).toEqual([one('D:/e/a.log', 'sha256', SHA256, 2)]);
  });

  it('uploads of Velociraptor as JSON lines', async () => {
    const record = { SourceFile: 'C:\\a', DestinationFile: 'C:\\a', SourceFileSha256: SHA256 };
    expect(await read('Uploads.json', `${JSON.stringify(record)}\n{"x":1}\n{`)).toMatchObject({
      entries: [one('C:/a', 'sha256', SHA256)],
      problems: [{ line: 2 }, { line: 3, reason: 'not JSON' }],
    });
  });

  it.each([
    ['a log', 'app.log', `2026-03-01 10:00:00 loaded ${SHA256}  a.log\nstarted\n`],
    ['a bodyfile', 'a.body', `${MD5}|/a|1|r/r|0|0|1|1|1|1|1\n`],
    ['a table with hashes', 'a.csv', `ts,src,sha256\n1,2,${SHA256}\n`],
    ['nothing', 'MD5SUMS', ''],
    ['JSON', 'a.json', '{"sha256":"x"}\n'],
  ])('is not %s', async (_, name, text) => {
    expect(await read(name, text)).toBeUndefined();
  });
});
