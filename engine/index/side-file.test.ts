import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaybookError } from '../contract/errors.ts';
import { SideFile, writeSideFile } from './side-file.ts';

describe('side file', () => {
  let folder: string;
  let path: string;
  let good: Buffer;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-side-'));
    path = join(folder, 'a.idx');
    writeSideFile(path, 7, [
      { name: 'time', bytes: Uint8Array.of(1, 2, 3) },
      { name: 'text', bytes: new Uint8Array(0) },
      { name: 'values', bytes: Uint8Array.of(4, 5) },
    ]);
    good = readFileSync(path);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives back its sections, and parts of them', () => {
    const file = SideFile.open(path)!;
    expect(file.rows).toBe(7);
    expect([...file.read('time')!]).toEqual([1, 2, 3]);
    expect([...file.read('time', 1, 2)!]).toEqual([2]);
    expect(file.read('text')).toHaveLength(0);
    expect([...file.read('values', 1, 99)!]).toEqual([5]);
    expect(file.read('rollup')).toBeUndefined();
    file.close();
  });

  it('that is none, or of another version, is none', () => {
    expect(SideFile.open(join(folder, 'b.idx'))).toBeUndefined();
    const other = Buffer.from(good);
    other.write('DBIY', other.length - 4, 'latin1');
    writeFileSync(join(folder, 'other.idx'), other);
    expect(SideFile.open(join(folder, 'other.idx'))).toBeUndefined();
  });

  it('that is damaged anywhere is refused, or gives no byte from beyond its end', () => {
    const file = join(folder, 'damaged.idx');
    const damage = fc.record({
      at: fc.nat(good.length - 1),
      byte: fc.integer({ min: 0, max: 255 }),
      length: fc.oneof(fc.constant(good.length), fc.nat(good.length)),
    });
    fc.assert(
      fc.property(damage, ({ at, byte, length }) => {
        const bytes = Buffer.from(good);
        bytes[at] = byte;
        writeFileSync(file, bytes.subarray(0, length));
        let opened: SideFile | undefined;
        try {
          opened = SideFile.open(file);
        } catch (error) {
          expect(error).toBeInstanceOf(DaybookError);
          return;
        }
        for (const name of ['time', 'text', 'values'])
          expect(opened?.read(name)?.length ?? 0).toBeLessThan(good.length);
        opened?.close();
      }),
      { numRuns: 500 },
    );
  });

  it('whose directory names bytes that are not there is refused', () => {
    const text = good.toString('latin1').replace('"values",11,2', '"values",11,9');
    writeFileSync(join(folder, 'long.idx'), Buffer.from(text, 'latin1'));
    expect(text).not.toBe(good.toString('latin1'));
    expect(() => SideFile.open(join(folder, 'long.idx'))).toThrow(/is damaged/);
  });
});
