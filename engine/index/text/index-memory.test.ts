/** An index is made with bounded memory where nothing repeats. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { IndexRows } from '../rows.ts';
import { SideFile, writeSideFile } from '../side-file.ts';
import { TextIndexBuilder } from './write/builder.ts';
import { TextCache } from './text-cache.ts';
import { TextIndex } from './text-index.ts';

const wordOf = (row: number): string => (row * 2_654_435_761).toString(36);

/** Messages of four words that no other has, and as many bytes. */
function allDifferent(from: number, length: number): IndexRows {
  const data = Buffer.alloc(length * 120);
  const starts = new Uint32Array(length);
  let size = 0;
  for (let i = 0; i < length; i++) {
    const word = wordOf(from + i);
    starts[i] = size;
    const text = `${word.replace(/[0-9]/g, '')}q w${word} ${from + i} ${'x'.repeat(i % 60)}`;
    size = data.writeUInt32LE(text.length, size);
    size += data.write(text, size);
  }
  const message = { data, starts, present: new Uint8Array(length).fill(1) };
  const texts = new Map([['message', message]]);
  return { kind: 'log', length, texts, numbers: new Map(), ip6: new Map() };
}

it('bounds memory where nothing repeats', () => {
  const folder = mkdtempSync(join(tmpdir(), 'index-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const builder = new TextIndexBuilder();
  const count = 500_000;
  const before = process.memoryUsage().rss;
  for (let at = 0; at < count; at += 100_000) builder.add(allDifferent(at, 100_000));
  const { sections } = builder.finish(undefined);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 << 20);
  const path = join(folder, 'made.idx');
  writeSideFile(path, count, sections);
  const file = SideFile.open(path)!;
  onTestFinished(() => file.close());
  const index = TextIndex.open(file, new TextCache())!;
  const tokens = [{ text: `w${wordOf(123_456)}`, wildcard: false }];
  const { rows, exact } = index.search({ tokens, between: [] })!;
  expect([...rows.slice(0, 9)]).toEqual([123_456]);
  expect(exact).toBe(true);
});
