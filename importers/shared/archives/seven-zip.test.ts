import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCipheriv } from 'node:crypto';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { DaybookError, SourceError } from '../../../engine/contract/errors.ts';
import { LOCKED, NOT_UNLOCKED } from '../../../engine/contract/left-out.ts';
import { DEFAULT_LIMITS } from '../decompress/decompress.ts';
import { isSevenZip, sevenZipMembers } from './seven-zip.ts';
import { BCJ2, BOMB, FILES, MODIFIED_MS, PPMD, SEVEN_ZIPS } from '../testing/seven-zips.ts';
import { openItem, walkFile, walkPath } from './walk.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-7z-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Read {
  /** The content delivered of each file. */
  readonly files: Map<string, string>;
  /** Why others were not. */
  readonly reasons: Map<string | undefined, string>;
  readonly errors: Map<string | undefined, unknown>;
}

async function read(
  bytes: Buffer,
  passwords: readonly string[] = [],
  limits = DEFAULT_LIMITS,
): Promise<Read> {
  const out: Read = { files: new Map(), reasons: new Map(), errors: new Map() };
  const options = { limits: () => limits, passwords: () => passwords };
  for await (const member of sevenZipMembers({ bytes }, options)) {
    if (member.type === 'folder') continue;
    if (typeof member.type === 'object') {
      out.reasons.set(member.name, member.type.reason);
      continue;
    }
    const blocks: Buffer[] = [];
    try {
      for await (const block of member.blocks()) blocks.push(Buffer.from(block));
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error;
      out.errors.set(member.name, error);
    }
    out.files.set(member.name!, Buffer.concat(blocks).toString());
  }
  return out;
}

function passwordsOf({ password }: (typeof SEVEN_ZIPS)[number]): string[] {
  return password === undefined ? [] : [password];
}

describe.each(SEVEN_ZIPS)('7zz a $options', (archive) => {
  const { bytes, password } = archive;

  it('is read, each file as it was', async () => {
    expect(isSevenZip(bytes)).toBe(true);
    const { files, reasons, errors } = await read(bytes, passwordsOf(archive));
    expect(files).toEqual(FILES);
    expect([reasons.size, errors.size]).toEqual([0, 0]);
  });

  it('says up to where it is there when it is cut off', async () => {
    for (let n = 32; n < bytes.length; n++) {
      const outcome = await read(bytes.subarray(0, n), passwordsOf(archive)).catch(
        (error: unknown) => error,
      );
      expect(outcome, String(n)).toMatchObject({ state: 'partial', place: { fileOffset: n } });
    }
  });

  it(
    'never gives other bytes when one was changed, and says where',
    { timeout: 120_000 },
    async () => {
      // For an encrypted archive each attempt derives a key.
      const step = password === undefined ? 1 : 29;
      for (let at = 0; at < bytes.length; at += step) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 0x41;
        if (!isSevenZip(changed)) continue;
        const outcome = await read(changed, passwordsOf(archive)).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome, String(at)).toBeInstanceOf(SourceError);
          continue;
        }
        const { files, errors, reasons } = outcome as Read;
        for (const [name, text] of files)
          if (!errors.has(name)) expect([at, text]).toEqual([at, FILES.get(name)]);
        const isWhole = [...FILES.keys()].every((name) => files.get(name) === FILES.get(name));
        if (!isWhole) expect(errors.size + reasons.size, String(at)).toBeGreaterThan(0);
        for (const error of errors.values())
          expect(error, String(at)).toMatchObject({ state: 'damaged' });
      }
    },
  );

  it.skipIf(password === undefined)('is not read without its password', async () => {
    const texts = async (passwords: string[]) =>
      new Set((await read(bytes, passwords)).reasons.values());
    expect(await texts([])).toEqual(new Set([LOCKED]));
    expect(await texts(['another'])).toEqual(new Set([NOT_UNLOCKED]));
    expect((await read(bytes, ['another', password!])).files).toEqual(FILES);
  });
});

it('reads on in the next stream after damage, and names what is missing', async () => {
  const { bytes } = SEVEN_ZIPS.find(({ options }) => options === '-ms=off')!;
  const damaged = Buffer.from(bytes);
  damaged[60]! ^= 0x20;
  const { files, errors } = await read(damaged);
  expect([...errors.keys()]).toEqual(['logs/app1.log']);
  const [error] = errors.values();
  expect((error as SourceError).place.fileOffset).toBeGreaterThanOrEqual(60);
  expect(files.get('logs/app2.log')).toBe(FILES.get('logs/app2.log'));
  expect(files.get('logs/sub/again.log')).toBe(FILES.get('logs/sub/again.log'));
});

it('names what it does not read, and the way out', async () => {
  for (const [bytes, method] of [
    [PPMD, 'PPMd'],
    [BCJ2, 'BCJ2'],
  ] as const) {
    const { files, reasons } = await read(bytes);
    expect([...files.keys()]).toEqual(['logs/empty.log']);
    expect(new Set(reasons.values())).toEqual(
      new Set([
        `compressed with ${method}, which is not supported: extract it with 7z x, and import the files`,
      ]),
    );
  }
});

it('stops what grows too large for its size', async () => {
  const { errors } = await read(BOMB);
  expect(errors.get('zeros.log')).toMatchObject({ code: 'limit-exceeded', option: '--max-ratio' });
  const few = sevenZipMembers(
    { bytes: SEVEN_ZIPS[0]!.bytes },
    { limits: () => DEFAULT_LIMITS, maxMembers: 3 },
  );
  await expect(few.next()).rejects.toMatchObject({ option: '--max-members' });
});

describe('among the evidence', () => {
  const put = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };

  it.each(['evidence.7z', 'evidence.7z.gz'])(
    'finds the members of %s, also later',
    async (name) => {
      const { bytes } = SEVEN_ZIPS[0]!;
      const path = put(name, name.endsWith('.gz') ? gzipSync(bytes) : bytes);
      const found = new Map<string, string>();
      for await (const item of walkPath(path, name, { temporary: folder })) {
        if ('reason' in item) throw new Error(item.reason);
        const parts: Buffer[] = [];
        for await (const block of item.input.blocks()) parts.push(Buffer.from(block));
        found.set(item.name.slice(name.length + 1), Buffer.concat(parts).toString());
        if (item.rawSize! > 0) expect(item.modifiedMs).toBe(MODIFIED_MS);
      }
      expect(found).toEqual(FILES);
      const opened = await openItem({ path, members: ['logs/app3.log'] }, { temporary: folder });
      const parts: Buffer[] = [];
      for await (const block of opened.evidence.input.blocks()) parts.push(Buffer.from(block));
      await opened.close();
      expect(Buffer.concat(parts).toString()).toBe(FILES.get('logs/app3.log'));
    },
  );

  it('says what is damaged of a member, once it was read', async () => {
    const damaged = Buffer.from(SEVEN_ZIPS.find(({ options }) => options === '-m0=copy')!.bytes);
    damaged[32 + 324 + 10]! ^= 1;
    const outcomes: string[] = [];
    for await (const item of walkPath(put('copy.7z', damaged), 'copy.7z', { temporary: folder })) {
      if ('reason' in item) throw new Error(item.reason);
      try {
        for await (const block of item.input.blocks()) void block;
        outcomes.push('whole');
      } catch (error) {
        outcomes.push(String(error));
      }
    }
    expect(outcomes.filter((one) => one === 'whole')).toHaveLength(4);
    expect(outcomes.join()).toMatch(/7z archive is damaged at its byte \d+ \(checksum differs\)/);
  });
});

// -- archives that no program writes ---------------------------------------------------------------

const [COPY, DEFLATE, BZIP2, AES] = ['00', '040108', '040202', '06f10701'] as const;

function number(value: number): Buffer {
  const out = Buffer.alloc(9, 0xff);
  out.writeBigUInt64LE(BigInt(value), 1);
  return out;
}

function bytes(...parts: readonly (number | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
}

/** Coders in decoding order, with the output of each. */
interface MadeFolder {
  readonly packed: Buffer;
  readonly coders: readonly (readonly [method: string, size: number, properties?: Buffer])[];
  readonly files: readonly { readonly name: string; readonly content: Buffer }[];
}

/** `parts`: additional parts of the directory, after its streams and files. */
function made(folders: readonly MadeFolder[], parts: { streams?: Buffer; files?: Buffer } = {}) {
  const files = folders.flatMap((folder) => folder.files);
  const none = Buffer.alloc(0);
  const chains = folders.map(({ coders }) =>
    bytes(
      coders.length,
      ...coders.toReversed().map(([method, , properties = none]) => {
        const id = Buffer.from(method, 'hex');
        return properties.length === 0
          ? bytes(id.length, id)
          : bytes(id.length | 32, id, number(properties.length), properties);
      }),
      ...coders.slice(1).map((_, i) => Buffer.of(i, i + 1)),
    ),
  );
  const members = folders.flatMap((folder) =>
    folder.files.slice(1).map((_, i) => number(folder.files[i]!.content.length)),
  );
  const sums = files.map(({ content }) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(content));
    return sum;
  });
  const names = Buffer.from(files.map(({ name }) => `${name}\0`).join(''), 'utf16le');
  const directory = bytes(
    ...[1, 4, 6, 0, number(folders.length), 9],
    ...folders.map(({ packed }) => number(packed.length)),
    ...[0, 7, 11, number(folders.length), 0, ...chains, 12],
    ...folders.flatMap(({ coders }) => coders.toReversed().map(([, size]) => number(size))),
    ...[0, 8, 13, ...folders.map((folder) => number(folder.files.length))],
    ...[9, ...members, 10, 1, ...sums, 0, parts.streams ?? none, 0],
    ...[5, number(files.length), 17, number(names.length + 1), 0, names, parts.files ?? none, 0, 0],
  );
  const data = Buffer.concat(folders.map(({ packed }) => packed));
  const header = Buffer.alloc(20);
  header.writeBigUInt64LE(BigInt(data.length), 0);
  header.writeBigUInt64LE(BigInt(directory.length), 8);
  header.writeUInt32LE(crc32(directory), 16);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(header));
  return bytes(Buffer.from('377abcaf271c0004', 'hex'), sum, header, data, directory);
}

function stored(...names: string[]): MadeFolder {
  const files = names.map((name, i) => ({ name, content: Buffer.from(`line ${i}\n`) }));
  const packed = Buffer.concat(files.map(({ content }) => content));
  return { packed, coders: [[COPY, packed.length]], files };
}

function encrypted(content: Buffer, password: string, power: number, salt: string): MadeFolder {
  const key = Buffer.alloc(32);
  Buffer.from(salt + Buffer.from(password, 'utf16le').toString('latin1'), 'latin1').copy(key);
  const cipher = createCipheriv('aes-256-cbc', key, Buffer.alloc(16)).setAutoPadding(false);
  const padded = Buffer.concat([content, Buffer.alloc(-content.length & 15)]);
  const properties = bytes(power | 0x80, (salt.length - 1) << 4, Buffer.from(salt, 'latin1'));
  return {
    packed: Buffer.concat([cipher.update(padded), cipher.final()]),
    coders: [[AES, content.length, properties]],
    files: [{ name: 'secret.log', content }],
  };
}

describe('of an archive made to deceive', () => {
  it('stops at a limit in what it passes over, too', async () => {
    let most = 0;
    const limits = {
      ...{ ...DEFAULT_LIMITS, maxBytes: 1_000_000 },
      meter: (produced: number) => (most = Math.max(most, produced)),
    };
    for await (const member of sevenZipMembers({ bytes: BOMB }, { limits: () => limits }))
      expect(member.name).toBe('zeros.log');
    expect(most).toBeGreaterThan(1_000_000);
    expect(most).toBeLessThan(2_000_000);
    const few = { ...DEFAULT_LIMITS, maxBytes: 10 };
    const { errors, reasons } = await read(made([stored('a', 'b', 'c')]), [], few);
    expect(errors.get('a')).toMatchObject({ option: '--max-bytes' });
    expect([...reasons.keys()]).toEqual(['b', 'c']);
    expect(reasons.get('b')).toMatch(/data packed before it is too large: .*--max-bytes/);
  });

  it('stops what grows too large between two coders', async () => {
    const between = bytes(Buffer.from('BZh9'), Buffer.from('17724538509000000000', 'hex'));
    const grown = Buffer.concat([between, Buffer.alloc(5_000_000)]);
    const folder: MadeFolder = {
      packed: deflateRawSync(grown),
      coders: [
        [DEFLATE, grown.length],
        [BZIP2, 10],
      ],
      files: [{ name: 'small.log', content: Buffer.alloc(10) }],
    };
    const { errors } = await read(made([folder]), [], { ...DEFAULT_LIMITS, maxBytes: 1_000_000 });
    expect(errors.get('small.log')).toMatchObject({ option: '--max-bytes' });
  });

  it.each([
    ['more rounds for its key than any has', [25]],
    ['a key for each folder', [24, 24, 24, 24, 24]],
  ])('refuses %s', async (_, powers) => {
    const folders = powers.map((power, i) =>
      encrypted(Buffer.from('line\n'), 'word', power, `${i}`),
    );
    const problem = await read(made(folders), ['word']).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(SourceError);
    expect(String(problem)).toMatch(
      /its encryption settings are damaged|more keys than an archive needs/,
    );
  });

  it.each([
    ['files', { files: Buffer.of(15, 0, 15, 0) }],
    ['streams', { streams: Buffer.of(8, 0) }],
  ])('refuses parts of %s that come again, each of which takes its time', async (_, parts) => {
    await expect(read(made([stored('a')], parts))).rejects.toThrow(/a part that comes twice/);
  });
});

it('tries the next password where a wrong one decodes to anything', async () => {
  const content = Buffer.alloc(100_000, 'a line of a log\n');
  const archive = made([encrypted(content, 'word', 63, 'salt')]);
  const { files, errors } = await read(archive, ['another', 'word']);
  expect(errors.size).toBe(0);
  expect(files.get('secret.log')).toBe(content.toString());
});

it('tries passwords by the first file that has bytes', async () => {
  const content = Buffer.from('a line of a log\n');
  const folderOf = encrypted(content, 'word', 63, 'salt');
  const files = [{ name: 'none.log', content: Buffer.alloc(0) }, ...folderOf.files];
  const found = await read(made([{ ...folderOf, files }]), ['another', 'word']);
  expect(found.errors.size).toBe(0);
  expect(found.files.get('secret.log')).toBe(content.toString());
});

it.each([
  ['more coders than any archive has', new Array<string>(7).fill(COPY)],
  ['a dictionary on a dictionary', ['030101', '21']],
])('does not decode %s', async (_, methods) => {
  const folderOf = stored('a');
  const properties = Buffer.from('5d00000004', 'hex');
  const coders = methods.map((method) => [method, folderOf.packed.length, properties] as const);
  const { files, reasons } = await read(made([{ ...folderOf, coders }, stored('b')]));
  expect(reasons.get('a')).toMatch(/longer chain of methods than is supported/);
  expect([...files.keys()]).toEqual(['b']);
});

it('gives no bytes of the next member to one that is read twice', async () => {
  const seen: string[] = [];
  for await (const member of sevenZipMembers(
    { bytes: made([stored('a', 'b', 'c')]) },
    { limits: () => DEFAULT_LIMITS },
  )) {
    for (let time = 0; time < 2; time++) {
      try {
        for await (const block of member.blocks()) seen.push(Buffer.from(block).toString());
      } catch (error) {
        expect(String(error)).toContain('less than the directory says');
      }
    }
  }
  expect(seen).toEqual(['line 0\n', 'line 1\n', 'line 2\n']);
});

it.each(['a#2', 'a#2#2', 'a'])('finds the member %s of those with like names', async (name) => {
  const path = join(folder, 'names.7z');
  writeFileSync(path, made([stored('a#2', 'a#2', 'a', 'b')]));
  const opened = await openItem({ path, members: [name] }, { temporary: folder });
  const parts: Buffer[] = [];
  for await (const block of opened.evidence.input.blocks()) parts.push(Buffer.from(block));
  await opened.close();
  const order = ['a#2', 'a#2#2', 'a'].indexOf(name);
  expect(Buffer.concat(parts).toString()).toBe(`line ${order}\n`);
});

it('names the damage of a member that is read unchecked', async () => {
  const archive = made([stored('a', 'b')]);
  archive[32]! ^= 1;
  const path = join(folder, 'unchecked.7z');
  writeFileSync(path, archive);
  const outcomes: string[] = [];
  for await (const item of walkFile(path, 'it', folder, { unchecked: true })) {
    if ('reason' in item) throw new Error(item.reason);
    let text = '';
    try {
      for await (const block of item.input.blocks()) text += Buffer.from(block).toString();
    } catch (error) {
      text += String(error);
    }
    outcomes.push(text);
  }
  expect(outcomes[0]).toMatch(/^mine 0\n.*checksum differs/s);
  expect(outcomes[1]).toBe('line 1\n');
});

function tool(): string | undefined {
  return ['7zz', '7z', '7za'].find((name) => {
    try {
      execFileSync(name, [], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

describe.skipIf(tool() === undefined)('against 7-Zip (skipped without it)', () => {
  it.each([[[]], [['-m0=lzma', '-md=1m']], [['-m0=bcj', '-m1=lzma']], [['-ms=off', '-pword']]])(
    'reads what it writes with %j',
    async (options) => {
      const from = join(folder, 'input');
      mkdirSync(from, { recursive: true });
      let seed = 12345;
      const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
      const contents = new Map([
        ['noise.bin', Buffer.from(Array.from({ length: 700_000 }, random))],
        ['program.bin', readFileSync(process.execPath).subarray(20_000_000, 21_500_000)],
        [
          'lines.log',
          Buffer.from(Array.from({ length: 90_000 }, (_, i) => `${i} ${random() % 99}\n`).join('')),
        ],
      ]);
      for (const [name, bytes] of contents) writeFileSync(join(from, name), bytes);
      const path = join(folder, 'made.7z');
      rmSync(path, { force: true });
      execFileSync(tool()!, ['a', ...options, path, '.'], { cwd: from, stdio: 'ignore' });
      const found = new Map<string, Buffer>();
      const settings = { limits: () => DEFAULT_LIMITS, passwords: () => ['word'] };
      for await (const member of sevenZipMembers({ path }, settings)) {
        if (member.type !== 'file') continue;
        const parts: Buffer[] = [];
        for await (const block of member.blocks()) parts.push(Buffer.from(block));
        found.set(member.name!, Buffer.concat(parts));
      }
      for (const [name, bytes] of contents) expect(found.get(name)?.equals(bytes), name).toBe(true);
    },
  );
});
