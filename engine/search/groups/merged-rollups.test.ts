/**
 * Merged rollups give the same answers as the rows (`path: scan`), whatever happens to the segments they were made
 * from (marked, compacted, retimed, joined by others) and to their files.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { writeZeekConn } from '../../../fixtures/evidence/flows.ts';
import { END, START } from '../../../fixtures/evidence/story.ts';
import { writeAuthLog } from '../../../fixtures/evidence/syslog.ts';
import { NodeFile, TOP } from '../../index/rollup/tree/node-file.ts';
import { sideFilePath } from '../../index/side-file.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { mergeRollups } from '../../ingest/compaction/merge-rollups.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { pcapOf } from '../../ingest/testing/small-evidence.ts';
import { CaseSession } from '../session/case-session.ts';
import { compactCase } from '../../operations/case/compact.ts';
import { markHandlers } from '../../operations/marks/handlers.ts';
import { startQuery } from '../query.ts';
import { retimeSources } from '../../operations/case/retime.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';
import { maintainCase } from '../../operations/evidence/background-maintenance.ts';
import { verifyCase } from '../../operations/verify/verify-case.ts';

/** One of each kind of answer. */
const SOME = [
  ...['* | top 10 src_ip', '* | top 3 src_ip, dst_ip', 'kind:flow | top 4 dst_port, proto'],
  ...['kind:log | top 3 program, host', '* | stats count(), sum(bytes), sum(packets)'],
];
const QUERIES = [
  ...SOME,
  ...['kind:flow | top 5 dst_ip, src_ip', '* | top 5 dst_port', 'kind:flow | values dst_port'],
  ...['kind:flow | top 5 src_ip by sum(bytes)'],
  ...['* | top 2 host', 'kind:log | top 9 program'],
  ...['kind:packet | top 4 src_ip', 'kind:packet | stats count() by proto', '* | values service'],
  ...['src_ip:* | top 4 src_ip', 'kind:flow src_ip:* | top 3 src_ip, dst_ip', '* | values source'],
  ...['tag:* | top 5 src_ip', '* | top 3 conn_state by sum(packets_rev)'],
  ...[
    'src_ip:10.20.0.0/16 | stats count(), sum(bytes)',
    'src_ip>=10.20.0.0 | top 4 src_ip',
    'dst_ip:10.20.1.10 | top 3 src_ip',
  ],
];
const DAY = 86_400e6;
const RANGES: { from?: number; to?: number }[] = [
  {},
  { from: START + DAY / 2 + 1, to: START + 2 * DAY + 5e6 },
  { to: END - 3600e6 },
];

let small: SmallCase;
const { signal } = new AbortController();

/** Runs every query by the best path and by rows; returns how many were answered by merged rollups. */
async function answersAgree(queries = QUERIES): Promise<number> {
  const session = CaseSession.open(small.folder, { memoryLimit: 1e9, threads: 2 });
  let merged = 0;
  try {
    for (const text of queries) {
      for (const range of RANGES) {
        const asked = { text, zone: 'UTC', ...range };
        const running = startQuery(session, asked);
        const answer = await running.answer();
        expect([text, range, answer]).toEqual([
          text,
          range,
          await startQuery(session, { ...asked, path: 'scan' }).answer(),
        ]);
        const [, said] = /(\d+) merged/.exec((await running.explain()).join('\n')) ?? [];
        merged += Number(said ?? 0);
      }
    }
  } finally {
    await session.close();
  }
  return merged;
}

function nodeFiles(): string[] {
  const folder = join(small.folder, 'rollups');
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Nodes of all events, of one kind or of all kinds. */
function topFiles(): string[] {
  return nodeFiles().filter((path) => {
    const node = NodeFile.open(path);
    node?.close();
    return node?.head.level === TOP;
  });
}

/** Number of the first log's source. */
function firstLog(): string {
  const catalog = Catalog.open(small.folder);
  const found = catalog.sources.all().find(({ name }) => name.endsWith('auth.log'));
  catalog.close();
  return String(found?.id);
}

async function findings(repair: boolean): Promise<string[]> {
  const session = CaseSession.open(small.folder, { memoryLimit: 1e9, threads: 2 });
  try {
    const report = await verifyCase(session, { repair, builder: BUILDER });
    return report.findings.map(({ level, message }) => `${level}: ${message}`);
  } finally {
    await session.close();
  }
}

function written(seed: number): Record<string, Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-merged-'));
  try {
    const logs = { from: START, to: END, linesPerDay: 90, seed };
    writeAuthLog(join(folder, 'auth.log'), logs);
    writeZeekConn(join(folder, 'conn.log'), { connectionsPerDay: 160, seed });
    return Object.fromEntries(
      ['auth.log', 'conn.log'].map((name) => [name, readFileSync(join(folder, name))]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

beforeAll(async () => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '10');
  vi.stubEnv('DAYBOOK_NODE_PARTS', '2');
  // Each day has segments of its own.
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
  small = await smallCase({ ...written(5), 'a.pcap': pcapOf(60) }, evidence, {
    chunk: { rows: 200, ms: 1e9 },
  });
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await small.dispose();
});

describe('merged rollups', () => {
  it('answer as rows do', async () => {
    expect(nodeFiles().length).toBeGreaterThan(5);
    expect(await answersAgree()).toBeGreaterThan(QUERIES.length);
    expect(await findings(false)).toEqual([]);
  });

  it.each(['* | top 3 src_ip, dst_ip', 'kind:flow | top 3 dst_ip, src_ip', '* | top 3 host'])(
    '%s is answered by one of them',
    async (text) => {
      const session = CaseSession.open(small.folder, { memoryLimit: 1e9, threads: 2 });
      const lines = await startQuery(session, { text, zone: 'UTC' }).explain();
      await session.close();
      expect(lines.join('\n')).toMatch(/groups by rollup: (\d+) segments, \1 of them in 1 merged/);
    },
  );

  it('are not used where events are deleted, and do not know of tags', async () => {
    const marks = markHandlers(small.services);
    const context = { signal, client: { kept: new Map() }, part: async () => undefined };
    const view = (query: string) => ({ view: { query, zone: 'UTC' } });
    const target = { case: small.folder, remove: false };
    const before = await answersAgree(['* | top 10 src_ip']);
    await marks['tag.set']({ ...target, name: 'seen', target: view('dst_port:22') }, context);
    expect(await answersAgree(['* | top 10 src_ip'])).toBe(before);
    const query = `dst_port:53 bytes:<200 ts:<${new Date((START + DAY) / 1000).toISOString()}`;
    await marks['delete.run']({ case: small.folder, reason: 'test', target: view(query) }, context);
    expect(await answersAgree()).toBeGreaterThan(QUERIES.length / 2);
  });

  it('stay of use when more evidence of the same days comes', async () => {
    const before = new Set(nodeFiles());
    const below = join(small.root, 'more');
    mkdirSync(below);
    for (const [name, bytes] of Object.entries(written(6))) writeFileSync(join(below, name), bytes);
    await importInProcess(small.folder, [below], { chunk: { rows: 900, ms: 1e9 } });
    expect(nodeFiles().some((file) => before.has(file))).toBe(true);
    await answersAgree(SOME);
    expect(await findings(false)).toEqual([]);
  });

  it('of everything stay while little is added, and answer beside what came', async () => {
    const flowSegments = () => {
      const catalog = Catalog.open(small.folder);
      const found = catalog.segments.all().filter(({ kind }) => kind === 'flow');
      catalog.close();
      return found.length;
    };
    const below = join(small.root, 'little');
    mkdirSync(below);
    const [head, line] = [
      'ts_start,src_ip,dst_ip,dst_port,proto,bytes,packets',
      '2026-11-02 10:00:0',
    ];
    const rows = [1, 2, 3].map((n) => `${line}${n},10.9.0.${n},10.9.9.9,443,TCP,${n}00,${n}`);
    writeFileSync(join(below, 'few.csv'), [head, ...rows, ''].join('\n'));
    const [before, segments] = [topFiles(), flowSegments()];
    await importInProcess(small.folder, [below]);
    expect(flowSegments()).toBe(segments + 1);
    expect(topFiles()).toEqual(before);
    expect(await answersAgree(SOME)).toBeGreaterThan(SOME.length / 2);
    expect(await findings(false)).toEqual([]);
  });

  it('of everything are made when there is time, also while somebody writes', async () => {
    const before = topFiles();
    const staging = join(small.folder, 'staging');
    const writer = await CaseWriter.open(small.folder, 'test', BUILDER);
    try {
      expect(await maintainCase(small.folder, BUILDER)).toBeGreaterThan(0);
      expect(readdirSync(staging).filter((name) => !name.startsWith('spill-'))).toEqual([]);
      expect(await maintainCase(small.folder, BUILDER)).toBe(0);
      // Nodes that no longer fit are left to the writer.
      expect(topFiles()).toEqual(expect.arrayContaining(before));
      expect(topFiles().length).toBeGreaterThan(before.length);
      await mergeRollups(writer);
      expect(topFiles().length).toBe(before.length);
    } finally {
      writer.close();
    }
    const session = CaseSession.open(small.folder, { memoryLimit: 1e9, threads: 2 });
    const lines = await startQuery(session, {
      text: 'kind:flow | top 3 src_ip, dst_ip',
      zone: 'UTC',
    }).explain();
    await session.close();
    expect(lines.join('\n')).toMatch(/merged/);
    await answersAgree(SOME);
    expect(await findings(false)).toEqual([]);
  });

  it('are rebuilt from what is compacted or retimed', async () => {
    await compactCase(small.folder, BUILDER);
    expect(await answersAgree(SOME)).toBeGreaterThan(SOME.length / 2);
    const before = new Set(nodeFiles());
    await retimeSources({
      ...{ folder: small.folder, sources: [firstLog()], timeZone: '+05:30', year: undefined },
      builder: BUILDER,
    });
    expect(nodeFiles().some((file) => !before.has(file))).toBe(true);
    expect(await answersAgree()).toBeGreaterThan(QUERIES.length / 2);
    expect(await findings(false)).toEqual([]);
  });

  it('are done without where they are missing or damaged, which is told and mended', async () => {
    const files = nodeFiles();
    rmSync(files[0]!);
    for (const [i, file] of files.entries()) {
      if (i === 0 || i % 2 === 0) continue;
      const bytes = readFileSync(file);
      if (i % 3 === 0) bytes.fill(0x5a, 8);
      else bytes[bytes.length >>> 1]! ^= 0xff;
      writeFileSync(file, bytes);
    }
    await answersAgree(SOME);
    expect((await findings(false)).join('\n')).toMatch(/error: the merged rollup .* is damaged/);
    expect((await findings(true)).join('\n')).toMatch(/repaired: rebuilt \d+ merged rollup/);
    expect(await findings(false)).toEqual([]);
    expect(await answersAgree(SOME)).toBeGreaterThan(SOME.length / 2);
  });

  it('are no reason for anything to fail, or to go unsaid: here they cannot be written', async () => {
    const folder = join(small.folder, 'rollups');
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
    const below = join(small.root, 'even-more');
    mkdirSync(below);
    for (const [name, bytes] of Object.entries(written(7))) writeFileSync(join(below, name), bytes);
    await importInProcess(small.folder, [below], { chunk: { rows: 900, ms: 1e9 } });
    await compactCase(small.folder, BUILDER);
    await retimeSources({
      ...{ folder: small.folder, sources: [firstLog()], timeZone: '+01:00', year: undefined },
      builder: BUILDER,
    });
    expect(await findings(true)).toEqual([]);
    const catalog = Catalog.open(small.folder);
    const said = catalog.audit.entries().map(({ operation }) => operation);
    const [failed] = catalog.operations
      .all()
      .filter(({ operation }) => operation === 'case.rollups');
    catalog.close();
    expect([failed?.status, failed?.text]).toEqual([
      'failed',
      expect.stringMatching(/^rollups\/.* was not made: /),
    ]);
    // Each swap of segments has a log entry.
    expect(said.filter((one) => one !== 'merge').slice(-5)).toEqual([
      ...['import', 'compact', 'retime', 'retime', 'verify'],
    ]);
    rmSync(folder);
    expect((await findings(true)).join()).toMatch(/rebuilt \d+ merged rollup/);
  });

  it('are made of what is left where a segment is damaged, which is told', async () => {
    const catalog = Catalog.open(small.folder);
    const [damaged, other] = catalog.segments.all().filter(({ index }) => index !== undefined);
    catalog.close();
    const files = [damaged!, other!].map(({ file }) => join(small.folder, file));
    const whole = readFileSync(files[0]!);
    writeFileSync(files[0]!, Buffer.alloc(whole.length, 1));
    for (const file of files) rmSync(sideFilePath(file));
    const found = (await findings(true)).join('\n');
    expect(found).toMatch(/repaired: rebuilt the indexes of 1 segment/);
    expect(found).toContain(`error: segment ${damaged!.file} differs from what was written`);
    writeFileSync(files[0]!, whole);
    expect((await findings(true)).join()).toMatch(/rebuilt the indexes of 1 segment/);
    expect(await findings(false)).toEqual([]);
  });
});
