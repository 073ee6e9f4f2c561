import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { DaybookError, type LostPlace, SourceError } from '../../../engine/contract/errors.ts';
import { LOST } from '../../../engine/evidence/importer.ts';
import {
  compressionOf,
  DEFAULT_LIMITS,
  openContent,
  piecesOf,
  type DecompressionLimits,
} from './decompress.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-decompress-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* blocksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) {
    const block = new Uint8Array(bytes.subarray(at, at + size));
    yield block;
    block.fill(0xee);
  }
}

interface Result {
  bytes: Buffer;
  error: unknown;
  notes: string[];
  modifiedMs: number | undefined;
  compression: string;
}

async function read(
  bytes: Uint8Array,
  blockSize = 1 << 16,
  limits: DecompressionLimits = DEFAULT_LIMITS,
): Promise<Result> {
  const content = await openContent(blocksOf(bytes, blockSize), limits);
  const out: Buffer[] = [];
  let error: unknown;
  try {
    for await (const block of content.blocks()) out.push(Buffer.from(block));
  } catch (caught) {
    error = caught;
  }
  const { notes, modifiedMs, compression } = content;
  return { bytes: Buffer.concat(out), error, notes, modifiedMs, compression };
}

function available(tool: string): boolean {
  try {
    execFileSync(tool, ['--version'], { stdio: ['ignore', 'ignore', 'ignore'] });
    return true;
  } catch {
    return false;
  }
}

/** Compresses with a system tool; the file makes it work the same way on every system. */
function tool(name: string, args: string[], bytes: Uint8Array): Buffer {
  const path = join(folder, 'input');
  writeFileSync(path, bytes);
  return execFileSync(name, [...args, '-c', path], { maxBuffer: 1 << 28 });
}

const TEXT = Buffer.from(
  Array.from(
    { length: 12 },
    (_, i) => `Nov 21 09:00:${10 + i} host${i % 3} app[${i * 77}]: ${i * i}\n`,
  ).join(''),
);
/** TEXT as bzip2 1.0.8 and xz 5.4.1 (with CRC64, and with SHA-256 and sizes in the header) write it. */
const BZIP2 = Buffer.from(
  'QlpoOTFBWSZTWZTj1lUAAIffgAAQQAB/8AABAAogQM0AMAC1YJIkxPSZADDTIEmFAAJKTT1A8SBkO5rXXRTx' +
    'O0AxA/AMWZ8mEkkglrGMbm7zyWJ/hKjXBXoCoC5tXSHBQEPE2GZVd8MrWBbmQGVKoe4WuPVTmKuZMnJflpxt' +
    'Aw8Q01ZuMwTdgoBVBdAsAsnpSLWjZ3iQFcF6CkFcFgF8CoC/F3JFOFCQlOPWVQ==',
  'base64',
);
const XZ = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AGeAI9dACcbysIBHPGhWjeWPRH9agfHgatPMswUQIr2kJfIWNOz' +
    'oXwG+dZkaLVF7Q9kD1PT7VNGO7v8Omw6OzVPIUNkAfyWlJnPIIbszGNA4A96m3d+chIluCJ98DKpfpJKRl++' +
    'Xngs9Vq1KSD+7/wNiG/JmQF0qDqiLq1Cel/64kM7onEaGmNJQhA04lPMm2C2FSsAAAChHDLRhR6uKQABqwGf' +
    'AwAA61OLarHEZ/sCAAAAAARZWg==',
  'base64',
);
const XZ_SHA256 = Buffer.from(
  '/Td6WFoAAArh+wyhBMCXAZ8DIQEWAAAAAAAAALIT9WvgAZ4Aj10AJxvKwgEc8aFaN5Y9Ef1qB8eBq08yzBRA' +
    'ivaQl8hY07OhfAb51mRotUXtD2QPU9PtU0Y7u/w6bDo7NU8hQ2QB/JaUmc8ghuzMY0DgD3qbd35yEiW4In3w' +
    'Mql+kkpGX75eeCz1WrUpIP7v/A2Ib8mZAXSoOqIurUJ6X/riQzuicRoaY0lCEDTiU8ybYLYVKwAAAMmeOnxt' +
    'IPiOfzyxXZVw0z4plg03401WpZT1Zk+v6/V7AAHLAZ8DAACxXH9itunfHAIAAAAAClla',
  'base64',
);
const GZIP = gzipSync(TEXT);
const ZSTD = zstdCompressSync(TEXT, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const SAMPLES: [string, Buffer][] = [
  ['gzip', GZIP],
  ['zstd', ZSTD],
  ['bzip2', BZIP2],
  ['xz', XZ],
];

describe('openContent', () => {
  it('hands on what is not compressed', async () => {
    for (const text of ['', 'a', '\x1f\x8b', 'BZh9 is no block', 'plain\n']) {
      const bytes = Buffer.from(text, 'latin1');
      const result = await read(bytes, 1);
      expect(result).toEqual({
        bytes,
        error: undefined,
        notes: [],
        modifiedMs: undefined,
        compression: 'none',
      });
    }
  });

  it.each([...SAMPLES, ['xz', XZ_SHA256] as [string, Buffer]])(
    'decodes %s whatever the blocks',
    async (name, data) => {
      expect(compressionOf(data)).toBe(name);
      for (const size of [1, 3, 64, 1 << 16]) {
        const result = await read(data, size);
        expect(result.error).toBeUndefined();
        expect(result.bytes.equals(TEXT)).toBe(true);
        expect(result.compression).toBe(name);
      }
    },
  );

  it.each(SAMPLES)('takes %s streams that follow each other as one', async (_, data) => {
    for (const size of [1, 7, data.length, 1 << 16]) {
      const result = await read(Buffer.concat([data, data, data]), size);
      expect(result.error).toBeUndefined();
      expect(result.bytes.equals(Buffer.concat([TEXT, TEXT, TEXT]))).toBe(true);
    }
  });

  it.each(SAMPLES)('notes bytes after %s data, but not padding', async (_, data) => {
    for (const size of [1, data.length, 1 << 16]) {
      const garbage = await read(Buffer.concat([data, Buffer.from('garbage')]), size);
      expect(garbage.bytes.equals(TEXT)).toBe(true);
      if (garbage.error === undefined) expect(garbage.notes).toHaveLength(1);
      else expect(garbage.error).toBeInstanceOf(SourceError);
      const padded = await read(Buffer.concat([data, Buffer.alloc(8)]), size);
      expect(padded.bytes.equals(TEXT)).toBe(true);
      expect(padded.notes).toEqual([]);
    }
  });

  it.each([...SAMPLES, ['xz', XZ_SHA256] as [string, Buffer]])(
    'gives what is good of every prefix of %s',
    async (_, data) => {
      let most = 0;
      for (let n = 1; n < data.length; n++) {
        const result = await read(data.subarray(0, n), 100);
        if (result.compression === 'none') continue;
        expect(result.error, `prefix of ${n}`).toBeInstanceOf(SourceError);
        expect(TEXT.subarray(0, result.bytes.length).equals(result.bytes)).toBe(true);
        if (result.error instanceof SourceError)
          expect(result.error.offset).toBe(result.bytes.length);
        most = Math.max(most, result.bytes.length);
      }
      expect(most).toBe(TEXT.length);
    },
  );

  it.each([...SAMPLES, ['xz', XZ_SHA256] as [string, Buffer]])(
    'never gives other bytes for %s with a flipped bit',
    async (_, data) => {
      for (let bit = 0; bit < data.length * 8; bit += 3) {
        const damaged = Buffer.from(data);
        damaged[bit >>> 3]! ^= 1 << (bit & 7);
        const result = await read(damaged, 100);
        if (result.compression === 'none') continue;
        if (result.error === undefined) expect(result.bytes.equals(TEXT)).toBe(true);
        else expect(result.error).toBeInstanceOf(DaybookError);
      }
    },
  );

  it('says how far a content was checked, and gives nothing of a small one that fails its check', async () => {
    const lines = Buffer.from(
      Array.from({ length: 3000 }, (_, i) => `line ${i} of ${i * 7}\n`).join(''),
    );
    const zstd = zstdCompressSync(lines, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    for (const [name, whole, sum] of [
      ['gzip', gzipSync(lines), 8],
      ['zstd', zstd, 4],
    ] as const) {
      // The checksum itself is changed, so that every byte before can be decoded.
      const damaged = Buffer.concat([whole, whole]);
      damaged[damaged.length - sum]! ^= 1;
      const result = await read(damaged);
      expect(result.bytes.equals(lines), name).toBe(true);
      expect(result.error).toMatchObject({
        state: 'damaged',
        place: { offset: lines.length, checked: lines.length },
      });
      const all = await read(damaged, 1 << 16, { ...DEFAULT_LIMITS, unchecked: true });
      expect(all.bytes.length).toBe(2 * lines.length);
      expect(all.error).toMatchObject({
        state: 'damaged',
        place: { offset: 2 * lines.length, checked: lines.length },
      });
      const cut = await read(Buffer.concat([whole, whole.subarray(0, whole.length - 1)]));
      expect(cut.bytes.equals(Buffer.concat([lines, lines]))).toBe(true);
      expect(cut.error).toMatchObject({
        state: 'partial',
        place: { offset: 2 * lines.length, checked: lines.length },
      });
      expect(String(cut.error)).not.toContain('good');
    }
  });

  it('does not call checked what has no checksum', async () => {
    const bare = zstdCompressSync(TEXT, { params: { [constants.ZSTD_c_checksumFlag]: 0 } });
    const result = await read(Buffer.concat([bare, ZSTD.subarray(0, ZSTD.length - 2)]));
    expect(result.error).toMatchObject({ state: 'partial', place: { checked: 0 } });
  });

  it('undoes several layers, and not too many', async () => {
    const thrice = gzipSync(zstdCompressSync(BZIP2));
    expect((await read(thrice, 50)).bytes.equals(TEXT)).toBe(true);
    let deep = TEXT;
    for (let i = 0; i < 5; i++) deep = gzipSync(deep);
    await expect(read(deep)).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('reads the time of a gzip header, with all of its fields', async () => {
    const header = Buffer.from(
      '1f8b081e00000000020304006162' + '6364' + '6e616d6500' + '636f6d6d656e7400' + '0000',
      'hex',
    );
    header.writeUInt32LE(1_795_255_174, 4);
    const result = await read(Buffer.concat([header, GZIP.subarray(10)]), 1);
    expect(result.error).toBeUndefined();
    expect(result.bytes.equals(TEXT)).toBe(true);
    expect(result.modifiedMs).toBe(1_795_255_174_000);
  });

  it('stops what grows too large for its size', async () => {
    const zeros = Buffer.alloc(20 << 20);
    const bombs: [string, Buffer][] = [
      ['gzip', gzipSync(zeros)],
      ['zstd', zstdCompressSync(zeros)],
    ];
    for (const [name, bomb] of bombs) {
      const limits = { ...DEFAULT_LIMITS, maxRatio: 100, ratioFrom: 1 << 20 };
      const result = await read(bomb, 1 << 16, limits);
      expect(result.error, name).toMatchObject({ code: 'limit-exceeded' });
      expect(result.bytes.length).toBeLessThan(18 << 20);
      expect((await read(bomb)).error, name).toBeUndefined();
      const bytes = await read(bomb, 1 << 16, { ...DEFAULT_LIMITS, maxBytes: 1 << 20 });
      expect(bytes.error).toMatchObject({ code: 'limit-exceeded' });
    }
  });

  it('tells that the bytes below broke off', async () => {
    async function* broken() {
      yield GZIP.subarray(0, 40);
      throw new SourceError('the file ends at byte 40 of 100', 40);
    }
    const content = await openContent(broken());
    await expect(async () => {
      for await (const block of content.blocks()) expect(block.length).toBeGreaterThan(0);
    }).rejects.toThrow(/ends at byte 40/);
  });

  it('releases its input when the reader stops', async () => {
    let closed = false;
    async function* watched() {
      try {
        for (;;) yield gzipSync(Buffer.alloc(1 << 20, 'abc'));
      } finally {
        closed = true;
      }
    }
    const content = await openContent(watched());
    for await (const block of content.blocks()) {
      expect(block.length).toBeGreaterThan(0);
      break;
    }
    await content.close();
    expect(closed).toBe(true);
  });
});

/** Contents that reach every part of the decoders. */
function hardContent(): Buffer {
  // A program, since branch converters change programs.
  const program = readFileSync(process.execPath).subarray(20_000_000, 20_300_000);
  let seed = 12345;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
  const noise = Buffer.from(Array.from({ length: 300_000 }, random));
  const lines = Buffer.from(
    Array.from(
      { length: 20_000 },
      (_, i) => `${i} host${random() % 50} app[${random() % 9999}]: x\n`,
    ).join(''),
  );
  const runs = Buffer.concat(Array.from({ length: 600 }, (_, i) => Buffer.alloc(i % 300, i)));
  return Buffer.concat([program, lines, noise, runs, Buffer.alloc(1 << 20), lines, noise, TEXT]);
}

describe('bzip2 with a damaged block', () => {
  it.skipIf(!available('bzip2'))(
    'gives the blocks before it and nothing of it (skipped without bzip2)',
    async () => {
      const lines = Buffer.from(
        Array.from({ length: 20_000 }, (_, i) => `line ${i} of ${i * 7}\n`).join(''),
      );
      const data = tool('bzip2', ['-1'], lines);
      let most = 0;
      for (let at = 20; at < data.length; at += 1777) {
        const damaged = Buffer.from(data);
        damaged[at]! ^= 4;
        const { bytes, error } = await read(damaged);
        expect(error).toMatchObject({ state: 'damaged', place: { checked: bytes.length } });
        expect(lines.subarray(0, bytes.length).equals(bytes)).toBe(true);
        most = Math.max(most, bytes.length);
      }
      expect(most).toBeGreaterThan(90_000);
    },
  );
});

/** The result of `piecesOf`: intact parts, with an empty one for missing content, and its error. */
async function pieces(
  data: Buffer,
  limits: Partial<DecompressionLimits> = {},
  blockSize = 1000,
): Promise<{ parts: Buffer[]; error: unknown; notes: string[] }> {
  const parts: Buffer[] = [Buffer.alloc(0)];
  const notes: string[] = [];
  const compression = compressionOf(data);
  if (compression === 'none') throw new Error('not compressed');
  const all = { ...DEFAULT_LIMITS, ...limits };
  try {
    for await (const block of piecesOf(() => blocksOf(data, blockSize), compression, all, notes)) {
      if (block === LOST) parts.push(Buffer.alloc(0));
      else parts.push(Buffer.concat([parts.pop()!, block]));
    }
  } catch (error) {
    return { parts, error, notes };
  }
  return { parts, error: undefined, notes };
}

describe.skipIf(!available('bzip2'))('bzip2 read on after damage (skipped without bzip2)', () => {
  const lines = Buffer.from(
    Array.from({ length: 30_000 }, (_, i) => `line ${i} of ${i * 7}\n`).join(''),
  );
  const data = available('bzip2') ? tool('bzip2', ['-1'], lines) : Buffer.alloc(0);
  /** Positions of blocks in the bytes, and in the content. */
  const BLOCK = 99_981;
  const blocks = Math.ceil(lines.length / BLOCK);

  it('gives all blocks but the damaged one, wherever its damage is, and names the place', async () => {
    expect(blocks).toBeGreaterThan(5);
    for (const damagedBytes of [
      [4, 6],
      [4, 10],
      [10, 11],
      [14, 15],
      [60, 400],
      [data.length >> 1, (data.length >> 1) + 1],
      [data.length - 2000, data.length - 1990],
    ] as const) {
      const damaged = Buffer.from(data);
      for (let at = damagedBytes[0]; at < damagedBytes[1]; at++) damaged[at]! ^= 0x5a;
      const { parts, error } = await pieces(damaged);
      expect(error, String(damagedBytes)).toMatchObject({ state: 'damaged' });
      const { place } = error as SourceError;
      expect(place.lost).toHaveLength(1);
      const [{ offset, fileOffset, fileEnd }] = place.lost as [LostPlace];
      expect(fileOffset).toBeLessThanOrEqual(damagedBytes[0]);
      expect(fileEnd).toBeGreaterThan(damagedBytes[0]);
      const [before, after = Buffer.alloc(0)] = parts as [Buffer, Buffer | undefined];
      expect(offset).toBe(before.length);
      expect(lines.subarray(0, before.length).equals(before)).toBe(true);
      expect(lines.subarray(lines.length - after.length).equals(after)).toBe(true);
      const missing = lines.length - before.length - after.length;
      expect(missing).toBeGreaterThan(0);
      expect(missing).toBeLessThanOrEqual(BLOCK + 1000);
      // Readers that do not use pieces get the same bytes up to the damage.
      const { bytes, error: first } = await read(damaged);
      if (damagedBytes[0] > 3) expect(bytes.equals(before)).toBe(true);
      expect(first).toMatchObject({ state: 'damaged', place: { fileOffset } });
    }
  });

  it('reads on in the next stream, whose header or end is damaged', async () => {
    const stream = tool('bzip2', ['-1'], TEXT);
    const all = Buffer.concat([stream, stream, stream]);
    const header = Buffer.from(all);
    header[stream.length + 1]! ^= 1;
    const second = await pieces(header);
    expect(second.parts.map(String)).toEqual([String(TEXT), String(TEXT) + String(TEXT)]);
    expect(String(second.error)).toContain('no header where a stream should begin');
    const end = Buffer.from(all);
    end[stream.length - 8]! ^= 1;
    const third = await pieces(end);
    expect(third.parts.join('|').replaceAll('|', '')).toBe(String(TEXT).repeat(3));
    expect(third.error).toMatchObject({ state: 'damaged' });
  });

  it('calls a file that is merely cut off partial', async () => {
    const { parts, error } = await pieces(data.subarray(0, data.length - 3000));
    expect(parts).toHaveLength(1);
    expect(error).toMatchObject({ state: 'partial' });
  });

  it('gives everything of what is whole, and ends', async () => {
    const { parts, error } = await pieces(data);
    expect(error).toBeUndefined();
    expect(parts.map((part) => part.equals(lines))).toEqual([true]);
  });

  it('gives up on what is made of nothing but beginnings of blocks', async () => {
    const start = data.subarray(4, 80);
    const bomb = Buffer.concat([data.subarray(0, 4), ...Array.from({ length: 3000 }, () => start)]);
    const { error } = await pieces(bomb);
    expect(String(error)).toContain('too many damaged blocks');
  });
});

/** Lines that compress badly: damage is in the middle of something. */
function unitText(unit: number): Buffer {
  let seed = unit + 1;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
  return Buffer.from(
    Array.from({ length: 3000 }, (_, i) => `unit ${unit} line ${i} of ${random()}\n`).join(''),
  );
}

const TEXTS = Array.from({ length: 5 }, (_, i) => unitText(i));
const WITH_SUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const textOf = (units: readonly number[]) => units.map((unit) => TEXTS[unit]).join('');
interface Compressed {
  readonly name: string;
  compress(text: Buffer): Buffer;
  /** The first bytes of a unit that, if changed, make it unrecognisable. */
  readonly header: readonly number[];
  /** Position of a unit's checksum. */
  sumAt(unit: Buffer): number;
}
const COMPRESSED: readonly Compressed[] = [
  {
    ...{ name: 'gzip', header: [1, 3], sumAt: (unit) => unit.length - 6 },
    compress: (text) => gzipSync(text),
  },
  {
    ...{ name: 'zstd', header: [1, 4], sumAt: (unit) => unit.length - 3 },
    compress: (text) => zstdCompressSync(text, WITH_SUM),
  },
  {
    ...{ name: 'xz', header: [1, 7], compress: (text) => tool('xz', ['-0'], text) },
    // Before the index, whose size the footer has.
    sumAt: (unit) => unit.length - 12 - 4 * (unit.readUInt32LE(unit.length - 8) + 1) - 3,
  },
];

describe.each(COMPRESSED)(
  '$name read on after damage (xz: skipped without xz)',
  ({ name, compress, header, sumAt }) => {
    const isMissing = name === 'xz' && !available('xz');
    const units = isMissing ? [] : TEXTS.map(compress);
    const starts = units.map((_, i) => Buffer.concat(units.slice(0, i)).length);

    it.skipIf(isMissing)('gives all units but the damaged one, and names the place', async () => {
      for (const unit of [0, 2, 3]) {
        const [start, end] = [starts[unit]!, starts[unit + 1]!];
        const first = unit === 0 ? [] : header.map((at) => start + at);
        for (const at of [...first, start + 60, start + 700, (start + end) >> 1, end - 3]) {
          const data = Buffer.concat(units);
          data[at]! ^= 0x55;
          const about = `${unit} at ${at - start}`;
          const { parts, error } = await pieces(data);
          const [before, after] = parts.map(String);
          const whole = [0, 1, 2, 3, 4].slice(0, unit);
          // The end of an xz stream is not part of its content.
          expect([textOf(whole), textOf([...whole, unit])], about).toContain(before);
          // An xz block is recognised without the header of its stream.
          const isKnown = name === 'xz' && header.includes(at - start);
          expect(after ?? '', about).toBe(textOf([0, 1, 2, 3, 4].slice(isKnown ? unit : unit + 1)));
          expect(error, about).toMatchObject({ state: 'damaged' });
          const { place } = error as SourceError;
          expect(place.lost, about).toHaveLength(1);
          const [{ offset, fileOffset, fileEnd }] = place.lost as [LostPlace];
          expect(offset, about).toBe(before!.length);
          expect(fileOffset, about).toBeGreaterThanOrEqual(start);
          expect(fileOffset, about).toBeLessThanOrEqual(at);
          expect(fileEnd, about).toBe(isKnown ? start + 12 : end);
          // Readers that do not use pieces get the same bytes up to the damage.
          const { bytes, error: other } = await read(data);
          expect(String(bytes), about).toBe(before);
          expect(other, about).toMatchObject({ state: 'damaged' });
        }
      }
    });

    it.skipIf(isMissing)('reads on after a unit that was never finished', async () => {
      for (const size of [30, 1000, units[1]!.length - 5]) {
        const data = Buffer.concat([units[0]!, units[1]!.subarray(0, size), units[2]!, units[3]!]);
        const { parts, error } = await pieces(data);
        expect([textOf([0]), textOf([0, 1])]).toContain(String(parts[0]));
        expect(String(parts[1])).toBe(textOf([2, 3]));
        const { place } = error as SourceError;
        expect(place.lost).toMatchObject([{ fileEnd: starts[1]! + size }]);
      }
    });

    it.skipIf(isMissing)('takes no beginning for a unit that does not decode', async () => {
      const beginning = units[4]!.subarray(0, 40);
      const data = Buffer.concat([units[0]!, units[1]!, beginning, beginning, units[2]!]);
      data[starts[1]! + 700]! ^= 0x55;
      const { parts, error } = await pieces(data);
      expect(parts.map(String)).toEqual([textOf([0]), textOf([2])]);
      const { place } = error as SourceError;
      expect(place.lost).toMatchObject([
        { fileOffset: expect.any(Number) as number, fileEnd: starts[2]! + 2 * beginning.length },
      ]);
    });

    it.skipIf(isMissing)('names two places of damage, and says how much was left out', async () => {
      const data = Buffer.concat(units);
      data[starts[1]! + 700]! ^= 0x55;
      data[starts[3]! + 700]! ^= 0x55;
      const { parts, error } = await pieces(data);
      expect(parts.map(String)).toEqual([textOf([0]), textOf([2]), textOf([4])]);
      const size = textOf([0, 2, 4]).length;
      expect(error).toMatchObject({
        offset: size,
        place: {
          lost: [
            { offset: TEXTS[0]!.length, fileEnd: starts[2] },
            { offset: textOf([0, 2]).length, fileEnd: starts[4] },
          ],
        },
      });
      expect(String(error)).toContain(`the intact content, ${size} bytes, was read and checked`);
      // Bytes delivered despite a failed check precede the gap.
      const all = await pieces(data, { unchecked: true });
      expect(String(all.parts[0]).startsWith(textOf([0]))).toBe(true);
      expect(all.parts.slice(1).map((part) => String(part).endsWith(textOf([4])))).toEqual([
        false,
        true,
      ]);
    });

    it.skipIf(isMissing)('names damage before a limit, too', async () => {
      const data = Buffer.concat(units);
      data[starts[1]! + 700]! ^= 0x55;
      const { parts, error } = await pieces(data, { maxBytes: textOf([0, 1, 2, 3]).length });
      expect(parts.length).toBeGreaterThan(1);
      expect(error).toMatchObject({
        code: 'limit-exceeded',
        place: { lost: [{ offset: TEXTS[0]!.length, fileEnd: starts[2] }] },
      });
      expect(String(error)).toContain(`up to ${starts[2]} (`);
    });

    it.skipIf(isMissing)('says what was given of a long unit before its check failed', async () => {
      const data = Buffer.concat(units);
      data[starts[1]! + sumAt(units[1]!)]! ^= 0x55;
      const { parts, error } = await pieces(data, { holdBytes: 1000 });
      const [before, after] = parts.map(String);
      expect(textOf([0, 1]).startsWith(before!)).toBe(true);
      expect(before!.length).toBeGreaterThan(TEXTS[0]!.length);
      expect(after).toBe(textOf([2, 3, 4]));
      const given = before!.length + after!.length;
      expect(String(error)).toContain(
        `${given} bytes of the content were read, ${textOf([0, 2, 3, 4]).length} of them checked`,
      );
    });

    it.skipIf(isMissing)('ends as before where nothing whole follows', async () => {
      const data = Buffer.concat([units[0]!, units[1]!]);
      data[starts[1]! + 700]! ^= 0x55;
      const { parts, error } = await pieces(data);
      const { bytes, error: same } = await read(data, 1000);
      expect(parts).toHaveLength(1);
      expect(parts[0]!.equals(bytes)).toBe(true);
      expect(String(error)).toBe(String(same));
      const cut = await pieces(Buffer.concat(units).subarray(0, starts[4]! + 700));
      expect(cut.parts).toHaveLength(1);
      expect(cut.error).toMatchObject({ state: 'partial' });
      const rest = await pieces(Buffer.concat([units[0]!, Buffer.from('what is this?')]));
      expect(rest.error).toBeUndefined();
      expect(rest.notes).toEqual([expect.stringContaining('13 bytes after the end')]);
    });

    it.skipIf(isMissing)('gives up on what is made of nothing but beginnings', async () => {
      const start = units[1]!.subarray(0, 100);
      const { error } = await pieces(
        Buffer.concat([units[0]!, ...new Array<Buffer>(1200).fill(start)]),
      );
      expect(String(error)).toContain('too many damaged parts');
    });
  },
);

it('loses no frame of zstd to a block that says that it is larger than any', async () => {
  const frame = zstdCompressSync(TEXTS[0]!, WITH_SUM);
  const count = Math.ceil((3 * 2 ** 20) / frame.length);
  const data = Buffer.concat(new Array<Buffer>(count).fill(frame));
  // The size of the first block: after the descriptor and the window, or the size of the content.
  const single = (data[4]! & 0x20) !== 0;
  const at = 5 + (single ? 0 : 1) + [single ? 1 : 0, 2, 4, 8][data[4]! >>> 6]!;
  data.writeUIntLE(data.readUIntLE(at, 3) | 0xfffff8, at, 3);
  const { parts, error } = await pieces(data, {}, data.length);
  expect(parts.map(({ length }) => length)).toEqual([0, (count - 1) * TEXTS[0]!.length]);
  expect((error as SourceError).place.lost).toMatchObject([
    { fileOffset: 0, fileEnd: frame.length },
  ]);
});

describe.skipIf(!available('xz'))('blocks of xz after damage (skipped without xz)', () => {
  const text = Buffer.concat(TEXTS);
  const SIZE = 60_000;
  const options = (check: string) => [`--block-size=${SIZE}`, '-0', `--check=${check}`];

  it.each(['crc64', 'crc32', 'sha256', 'none'])('go on with a check of %s', async (check) => {
    const data = tool('xz', options(check), text);
    for (const at of [14, 40, data.length >> 1]) {
      const damaged = Buffer.from(data);
      damaged[at]! ^= 0x55;
      const { parts, error } = await pieces(damaged);
      const [before, after] = parts as [Buffer, Buffer];
      expect(text.subarray(0, before.length).equals(before), `${at}`).toBe(true);
      expect(text.subarray(text.length - after.length).equals(after), `${at}`).toBe(true);
      expect(text.length - before.length - after.length, `${at}`).toBeLessThanOrEqual(SIZE);
      expect((error as SourceError).place.lost, `${at}`).toHaveLength(1);
    }
  });

  it('go on where the header of their stream is damaged', async () => {
    for (const check of ['crc64', 'crc32', 'sha256']) {
      const data = tool('xz', options(check), text);
      data[7]! ^= 1;
      expect((await pieces(data)).parts.map(String)).toEqual(['', String(text)]);
      const other = tool('xz', options('crc32'), TEXTS[0]!);
      const both = Buffer.concat([other, data]);
      both[other.length - 14]! ^= 0x55;
      expect((await pieces(both)).parts.join('')).toBe(String(TEXTS[0]) + String(text));
    }
  });
});

describe('against the tools of the system', () => {
  const content = hardContent();
  const cases: [string, string[]][] = [
    ['gzip', ['-1']],
    ['bzip2', ['-1']],
    ['bzip2', ['-9']],
    ['xz', ['-0']],
    ['xz', ['-9e', '--check=crc32']],
    ['xz', ['--block-size=100000', '--check=sha256']],
    ['xz', ['--lzma2=lc=0,lp=4,pb=0,dict=4096', '--check=none']],
    ['zstd', ['-q', '--long=27']],
    ...['--x86', '--powerpc', '--ia64', '--arm', '--armthumb', '--sparc', '--arm64'].map(
      (filter): [string, string[]] => ['xz', [filter, '--lzma2=preset=1']],
    ),
    ['xz', ['--delta=dist=3', '--x86=start=4096', '--lzma2=preset=1']],
  ];
  for (const [name, options] of cases) {
    it.skipIf(!available(name))(
      `${name} ${options.join(' ')} (skipped without ${name})`,
      async () => {
        const data = tool(name, options, content);
        for (const size of [1 << 20, 1000]) {
          const result = await read(data, size);
          expect(result.error).toBeUndefined();
          expect(result.bytes.equals(content)).toBe(true);
        }
        const cut = await read(data.subarray(0, Math.floor(data.length * 0.7)));
        expect(cut.error).toBeInstanceOf(SourceError);
        expect(cut.bytes.length).toBeGreaterThan(100_000);
        expect(content.subarray(0, cut.bytes.length).equals(cut.bytes)).toBe(true);
      },
    );
  }
});
