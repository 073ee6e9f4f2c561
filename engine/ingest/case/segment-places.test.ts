import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SegmentPlaces } from './segment-places.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-places-'));
  mkdirSync(join(folder, 'days/2026-11-21'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('leaves nothing beside a segment that a killed writer has put there for another one', async () => {
  const left = join(folder, 'days/2026-11-21/00000008.idx');
  writeFileSync(left, 'of other rows');
  const path = join(folder, 'segment-0.duckdb');
  writeFileSync(path, 'rows');
  const places = new SegmentPlaces(folder, 7);
  const built = {
    ...{ path, rows: 1, bytes: 4, sha256: '', minTs: 0, maxTs: 0 },
    ...{ columns: [], counts: [0, 0], sources: [1], shapes: 0, map: undefined },
  };
  const segment = places.place(built, [{ day: '2026-11-21', rows: 1 }], 'log', 0, 1);
  await places.settle();
  expect(segment).toMatchObject({ id: 8, file: 'days/2026-11-21/00000008.duckdb' });
  expect(segment.index).toBeUndefined();
  expect([existsSync(join(folder, segment.file)), existsSync(left)]).toEqual([true, false]);
});
