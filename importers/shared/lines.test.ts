import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOST } from '../../engine/evidence/importer.ts';
import { LineReader, type LineReaderOptions } from './lines.ts';

interface Line {
  text: string;
  offset: number;
  length: number;
  complete: boolean;
  truncated: boolean;
}

/** Blocks that are overwritten when the next one is requested, like those of a file. */
async function* blocksOf(bytes: Uint8Array, size: number, failure?: Error) {
  for (let at = 0; at < bytes.length; at += size) {
    const block = new Uint8Array(bytes.subarray(at, at + size));
    yield block;
    block.fill(0xee);
  }
  if (failure !== undefined) throw failure;
}

async function read(
  bytes: Uint8Array,
  blockSize = 7,
  options: LineReaderOptions = {},
): Promise<Line[]> {
  const out: Line[] = [];
  const reader = new LineReader(blocksOf(bytes, blockSize), options);
  while (await reader.nextBlock()) {
    while (reader.next()) {
      out.push({
        text: Buffer.from(reader.buffer.subarray(reader.lineStart, reader.lineEnd)).toString(),
        offset: reader.lineOffset,
        length: reader.lineLength,
        complete: reader.complete,
        truncated: reader.truncated,
      });
    }
  }
  expect(reader.lineNumber).toBe(out.length);
  return out;
}

function expected(given: Uint8Array, maxLine: number): Line[] {
  const out: Line[] = [];
  const bytes = given.includes(10) ? given : given.map((byte) => (byte === 13 ? 10 : byte));
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    let lf = bytes.indexOf(10, at);
    const complete = lf >= 0;
    if (!complete) lf = bytes.length;
    const long = lf - at > maxLine;
    while (at < lf || complete) {
      const last = lf - at <= maxLine;
      let stop = last ? lf : at + maxLine;
      if (last && complete && stop > at && bytes[stop - 1] === 13) stop -= 1;
      out.push({
        text: Buffer.from(bytes.subarray(at, stop)).toString(),
        offset: at,
        length: stop - at,
        complete: last && complete,
        truncated: long,
      });
      at = last ? lf + 1 : stop;
      if (last) break;
    }
    at = lf + 1;
  }
  return out;
}

describe('LineReader', () => {
  it.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['\n\n', ['', '']],
    ['a\r\nb\rc\n\r\n', ['a', 'b\rc', '']],
    ['\ufeffa\nb', ['a', 'b']],
    ['\ufeff', []],
    ['ä\nß\n', ['ä', 'ß']],
  ])('%j', async (text, lines) => {
    for (const size of [1, 2, 3, 100]) {
      expect((await read(Buffer.from(text), size)).map((line) => line.text)).toEqual(lines);
    }
  });

  it('gives the same lines whatever the blocks, for any bytes and bound', async () => {
    const byte = fc.constantFrom(10, 13, 97, 98, 0, 0xc3, 0xa4, 0xff);
    await fc.assert(
      fc.asyncProperty(
        fc.array(byte, { maxLength: 120 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 64 }),
        async (values, maxLine, blockSize, regionSize) => {
          const bytes = Uint8Array.from(values);
          const want = expected(bytes, maxLine);
          expect(await read(bytes, blockSize, { maxLine, regionSize })).toEqual(want);
          // A size other than the content's costs only memory or time.
          for (const size of [bytes.length, regionSize])
            expect(await read(bytes, blockSize, { maxLine, size })).toEqual(want);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('ends lines with CR where there is no LF, as far as its beginning shows', async () => {
    const text = 'one\rtwo\r\r\ufeffthree';
    const far = `${text}${'x'.repeat(1 << 16)}\r\ny\rz`;
    for (const size of [1, 7, 1 << 17]) {
      const lines = await read(Buffer.from(text), size);
      expect(lines.map((line) => line.text)).toEqual(['one', 'two', '', 'three']);
      expect(lines.map(({ offset }) => offset)).toEqual([0, 4, 8, 12]);
      const all = await read(Buffer.from(far), size, { regionSize: 100 });
      expect(all.slice(4).map((line) => line.text)).toEqual(['', 'y', 'z']);
    }
  });

  it('takes no CR for the end of a line whose LF is beyond what tells how lines end', async () => {
    const first = 'x'.repeat((1 << 16) - 1);
    const lines = await read(Buffer.from(`${first}\r\ny\rz\r\n`), 1 << 17);
    expect(lines.map((line) => line.text)).toEqual([first, 'y\rz']);
  });

  it('passes over a mark at the beginning of any line, as in texts that were put together', async () => {
    const marked = '\ufeffa\n\ufeffb\ufeff\n\ufeff\n';
    const bytes = Buffer.from(marked);
    for (const size of [1, 7, 100]) {
      const lines = await read(bytes, size);
      expect(lines.map((line) => line.text)).toEqual(['a', 'b\ufeff', '']);
      expect(lines.map(({ offset, length }) => [offset, length])).toEqual([
        [3, 1],
        [8, 4],
        [16, 0],
      ]);
      const wide = await read(Buffer.from(marked, 'utf16le'), size);
      expect(wide.map(({ text, offset, length }) => [text, offset, length])).toEqual([
        ['a', 2, 2],
        ['b\ufeff', 8, 4],
        ['', 16, 0],
      ]);
    }
  });

  it('does not keep more than a long line’s bound', async () => {
    async function* endless() {
      const block = new Uint8Array(1 << 20).fill(97);
      for (let i = 0; i < 40; i++) yield block;
    }
    const reader = new LineReader(endless(), { maxLine: 1 << 20 });
    let bytes = 0;
    let largest = 0;
    while (await reader.nextBlock()) {
      while (reader.next()) {
        bytes += reader.lineEnd - reader.lineStart;
        expect(reader.truncated).toBe(true);
      }
      largest = Math.max(largest, reader.buffer.length);
    }
    expect(bytes).toBe(40 << 20);
    expect(largest).toBeLessThanOrEqual(4 << 20);
  });

  it.each(['utf16le', 'utf16be'])('transcodes %s and keeps its offsets', async (encoding) => {
    const text = 'one\r\nzwei ß€\n\u{1f600} three\n\ud800x';
    const bytes = Buffer.from('\ufeff' + text, 'utf16le');
    if (encoding === 'utf16be') bytes.swap16();
    const want = [
      { text: 'one', offset: 2, length: 6, complete: true },
      { text: 'zwei ß€', offset: 12, length: 14, complete: true },
      { text: '\u{1f600} three', offset: 28, length: 16, complete: true },
      { text: '\ufffdx', offset: 46, length: 4, complete: false },
    ].map((line) => ({ ...line, truncated: false }));
    for (const size of [1, 2, 3, 5, 1000]) expect(await read(bytes, size)).toEqual(want);
  });

  it.each(['utf16le', 'utf16be'])('knows %s without its mark', async (encoding) => {
    const bytes = Buffer.from('2026-11-20 für Müller\r\n€\n', 'utf16le');
    if (encoding === 'utf16be') bytes.swap16();
    const want = [
      { text: '2026-11-20 für Müller', offset: 0, length: 42, complete: true },
      { text: '€', offset: 46, length: 2, complete: true },
    ].map((line) => ({ ...line, truncated: false }));
    for (const size of [1, 2, 31, 1000]) {
      for (const regionSize of [1, 1000]) {
        expect(await read(bytes, size, { regionSize })).toEqual(want);
      }
    }
  });

  it.each([
    ['NULs that a crash left', Buffer.from(`\0a\0b\0c${'\0'.repeat(8)}\nrest of the log\n`)],
    ['control characters', Buffer.from('\u0001bcdefghijklmnop\n', 'utf16le')],
    ['too little', Buffer.from('a\nb\n', 'utf16le')],
    ['the mark of UTF-32', Buffer.from('\ufeff\0a\0b\0\n\0', 'utf16le')],
  ])('takes no UTF-16 for it: %s', async (_, bytes) => {
    const lines = await read(bytes, 1000);
    expect(lines.reduce((sum, line) => sum + line.length + 1, 0)).toBeGreaterThanOrEqual(
      bytes.length,
    );
    expect(lines[0]?.text).toContain('\0');
  });

  it('survives UTF-16 cut anywhere', async () => {
    const bytes = Buffer.from('\ufeffa\n\u{1f600}\nb', 'utf16le');
    for (let n = 0; n <= bytes.length; n++) await read(bytes.subarray(0, n), 3);
  });

  it.each([
    ['plain\n', 'ascii'],
    ['ä\n', 'utf8'],
    ['\xe4\n', 'mixed'],
  ] as const)('knows the encoding of %j', async (text, encoding) => {
    const bytes = Buffer.from(text, encoding === 'mixed' ? 'latin1' : 'utf8');
    const reader = new LineReader(blocksOf(bytes, 10));
    expect(await reader.nextBlock()).toBe(true);
    expect(reader.encoding).toBe(encoding);
  });

  it.each(['one\ntw', '\ufeffone\ntw'])('gives what is good before it throws: %j', async (text) => {
    for (const encoding of ['utf8', 'utf16le'] as const) {
      const failure = new Error('cut short');
      const reader = new LineReader(blocksOf(Buffer.from(text, encoding), 3, failure));
      let lines = 0;
      await expect(async () => {
        while (await reader.nextBlock()) while (reader.next()) lines++;
      }).rejects.toBe(failure);
      expect(lines).toBe(2);
      expect(await reader.nextBlock()).toBe(false);
    }
  });

  it('reports what was consumed', async () => {
    for (const encoding of ['utf8', 'utf16le'] as const) {
      const bytes = Buffer.from('\ufeffab\ncd', encoding);
      const reader = new LineReader(blocksOf(bytes, 4), { regionSize: 16 });
      while (await reader.nextBlock()) while (reader.next());
      expect(reader.consumed).toBe(bytes.length);
    }
  });
});

describe('a content in pieces', () => {
  it.each([1, 2, 3, 7, 100])('joins no line across damage (blocks of %d bytes)', async (size) => {
    async function* pieces() {
      for (const [i, part] of ['one\ntw', 'o\nthree\n', 'ree\nfour\nfi', '', 've\nsix'].entries()) {
        if (i > 0) yield LOST;
        for (let at = 0; at < part.length; at += size) yield Buffer.from(part.slice(at, at + size));
      }
    }
    const reader = new LineReader(pieces(), { regionSize: 8 });
    const found: string[] = [];
    while (await reader.nextBlock()) {
      while (reader.next()) {
        const text = reader.buffer.toString('latin1', reader.lineStart, reader.lineEnd);
        found.push(`${reader.lineOffset} ${reader.lost ? '!' : ''}${text}`);
      }
    }
    expect(found).toEqual([
      ...['0 one', '4 !tw', '6 !o', '8 three', '14 !ree', '18 four', '23 !fi', '25 !ve', '28 six'],
    ]);
  });

  it('reads no UTF-16 on', async () => {
    async function* pieces() {
      yield Buffer.from('\ufeffone\ntwo\n', 'utf16le');
      yield LOST;
      yield Buffer.from('three\n', 'utf16le');
    }
    const reader = new LineReader(pieces());
    const read = async () => {
      while (await reader.nextBlock()) while (reader.next());
    };
    await expect(read()).rejects.toThrow('UTF-16 text is not read beyond damage');
    expect(reader.lineNumber).toBe(2);
  });
});
