/**
 * Rollup nodes that an import makes while it reads exist before its end and are kept by it; other imports make none
 * early.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Catalog } from '../../catalog/catalog.ts';
import { NodeFile, TOP } from '../../index/rollup/tree/node-file.ts';
import { importInProcess } from '../testing/in-process.ts';

const ROWS = 400;
const HEAD = 'ts_start,src_ip,dst_ip,dst_port,proto,bytes,packets';
let root: string;
let folder: string;

beforeEach(() => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '10');
  vi.stubEnv('DAYBOOK_NODE_PARTS', '2');
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
  root = mkdtempSync(join(tmpdir(), 'daybook-early-'));
  folder = join(root, 'x.daybook');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

/** Flows of four consecutive days: their segments are not merged with others. */
function flowFile(name: string, source: number): string {
  const path = join(root, name);
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const time = new Date(Date.UTC(2026, 10, 2) + (i * 4 * 86_400_000) / ROWS).toISOString();
    return `${time},10.9.${source}.${i % 50},10.1.0.${i % 7},${i % 3 === 0 ? 443 : 53},TCP,${i},2`;
  });
  writeFileSync(path, [HEAD, ...rows, ''].join('\n'));
  return path;
}

function nodeNames(): string[] {
  const rollups = join(folder, 'rollups');
  return existsSync(rollups) ? readdirSync(rollups) : [];
}

/** The level of a node and its segments. */
function headOf(name: string): { level: number; segments: number[] } {
  const node = NodeFile.open(join(folder, 'rollups', name));
  if (node === undefined) throw new Error(`${name} is gone`);
  node.close();
  return { level: node.head.level, segments: node.head.segments.map(({ id }) => id) };
}

/** Imports; returns the nodes that exist when the last rows are committed. */
async function nodesAtLastCommit(paths: string[], lowLatency = false): Promise<string[]> {
  let seen: string[] = [];
  await importInProcess(folder, paths, {
    chunk: { rows: ROWS / 4, ms: 1e9 },
    workers: 1,
    lowLatency,
    onSource: () => {
      seen = nodeNames();
    },
  });
  return seen;
}

it('are made of neighbours while one file is read, and stay', async () => {
  const early = await nodesAtLastCommit([flowFile('flows.csv', 1)]);
  const catalog = Catalog.open(folder);
  const inTime = catalog.segments.all().sort((a, b) => (a.minTs ?? 0) - (b.minTs ?? 0));
  catalog.close();
  expect(inTime.length).toBeGreaterThanOrEqual(4);
  const pairs = inTime.map(({ id }) => id);
  expect(early.map(headOf)).toHaveLength(inTime.length >>> 1);
  for (const { level, segments } of early.map(headOf)) {
    expect(level).toBe(1);
    expect(pairs.indexOf(segments[1]!) - pairs.indexOf(segments[0]!)).toBe(1);
  }
  const end = nodeNames();
  expect(end).toEqual(expect.arrayContaining(early));
  expect(end.map(headOf).some(({ level }) => level === TOP)).toBe(true);
});

it.each([
  ['files that are read beside each other', ['a.csv', 'b.csv'], false],
  ['what somebody waits for', ['a.csv'], true],
] as const)('are not made of %s', async (_, names, lowLatency) => {
  const paths = names.map((name, i) => flowFile(name, i));
  expect(await nodesAtLastCommit(paths, lowLatency)).toEqual([]);
});
