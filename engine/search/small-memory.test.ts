/**
 * Answers with more groups or rows than fit in the memory limit: none is refused, and each equals that with ample
 * memory.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../app/compose.ts';
import { DaybookError } from '../contract/errors.ts';
import { CaseSession } from './session/case-session.ts';
import { SegmentStore } from '../store/reading/segment-store.ts';
import { type ShownRecord, shownRows, startQuery } from './query.ts';
import { top } from './groups/top.ts';
import { type SmallCase, smallCase } from '../operations/testing/small-case.ts';

const ROWS = 200_000;
/** Far less than the groups of these rows need. */
const LITTLE = 80e6;
/** Too little to sort the rows at once, but enough to spill them whatever else runs. */
const MODEST = 120e6;
/** Less than their columns need while being sorted. */
const TINY = 40e6;
/** For the sorts, which take half a minute of processor time, on a busy machine. */
const PATIENCE_MS = 600_000;

let small: SmallCase;

beforeAll(async () => {
  const start = Date.UTC(2026, 2, 1);
  const lines = ['ts,src_ip,src_port,dst_ip,dst_port,proto,bytes'];
  for (let i = 0; i < ROWS; i++) {
    const pair = (i * 7919) % 200_003;
    const ends = [`10.0.${pair & 255}.${(pair >> 8) & 255}`, `10.9.${pair % 251}.${pair % 241}`];
    const [from, to] = i % 3 === 0 ? ends : ends.toReversed();
    const at = new Date(start + i * 250).toISOString();
    lines.push(`${at},${from},${1024 + (i % 50_000)},${to},${i % 60_013},tcp,${(i * 31) % 9973}`);
  }
  small = await smallCase({ 'flows.csv': `${lines.join('\n')}\n` }, evidence);
});
afterAll(() => small.dispose());

/** Rows of events as stored: formatting them takes longer than finding them. */
async function records(
  text: string,
  memoryLimit: number,
  limit?: number,
  { folder }: Pick<SmallCase, 'folder'> = small,
): Promise<string[]> {
  const session = CaseSession.open(folder, { memoryLimit, threads: 2 });
  try {
    const running = startQuery(session, { text, zone: 'UTC', limit });
    const out: string[] = [];
    if (running.plan.shape === 'rows')
      for await (const { rows } of running.rows())
        for (const row of rows) out.push(row.map(String).join('\t'));
    else
      for await (const some of (await running.table()).records)
        for (const one of some) out.push(JSON.stringify(one));
    return out;
  } finally {
    await session.close();
  }
}

/** The same with ample memory; the evidence never changes. */
function ample(text: string): Promise<string[]> {
  const known = answers.get(text) ?? records(text, 4e9);
  answers.set(text, known);
  return known;
}
const answers = new Map<string, Promise<string[]>>();

describe('groups that are too many for memory', () => {
  it.each([
    '* | talkers',
    '* | talkers 7',
    '* | stats count(), p95(bytes), distinct(dst_port) by src_ip, dst_ip',
    '* | stats distinct(dst_ip) by src_ip, dst_port | sort src_ip desc | head 1000',
    '* | top 9 src_ip, dst_ip by distinct(dst_port)',
    '* | rare 9 src_ip, dst_ip by distinct(dst_port)',
  ])('%s', async (query) => {
    const all = await ample(query);
    expect(all.length).toBeGreaterThan(0);
    const found = await records(query, LITTLE);
    expect(found.length).toBe(all.length);
    expect(found.findIndex((row, i) => row !== all[i])).toBe(-1);
  });
});

describe('few groups that keep long texts', () => {
  it(
    'are divided further than by their number',
    async () => {
      const long = 'x'.repeat(2600);
      const lines = Array.from({ length: 40_000 }, (_, i) => {
        const at = new Date(Date.UTC(2026, 2, 1) + i * 1000).toISOString();
        return `${at},u${i % 2000},${long} ${i}`;
      });
      const noted = await smallCase(
        { 'a.csv': `ts,user,message\n${lines.join('\n')}\n` },
        evidence,
      );
      try {
        const query = '* | stats distinct(message) by user';
        const all = await records(query, 4e9, undefined, noted);
        expect(all).toHaveLength(2000);
        expect(await records(query, TINY, undefined, noted)).toEqual(all);
      } finally {
        await noted.dispose();
      }
    },
    PATIENCE_MS,
  );
});

describe('a table of groups that is too large to be sorted in memory', () => {
  const query = '* | talkers';
  const tooMuch = () => new DaybookError('limit-exceeded', 'out of memory, says the test');

  let whole: string[];
  beforeAll(async () => {
    whole = await ample(query);
  }, PATIENCE_MS);

  it.each([
    [2, 30_000],
    [1, 15_000],
  ])(
    'is sorted in slices, also where the second sort fails after batch %i: %i rows',
    async (after, limit) => {
      const all = whole.slice(0, limit);
      const run = SegmentStore.prototype.query;
      let [slices, failures] = [0, 0];
      const made = vi.spyOn(SegmentStore.prototype, 'query').mockImplementation(async function* (
        this: SegmentStore,
        ...args
      ) {
        const isSlice = args[0].startsWith('SELECT "src_v4" AS o0') && args[0].includes('unhex(');
        if (isSlice) slices += 1;
        const fails = isSlice && slices === 2;
        let batches = 0;
        for await (const batch of run.apply(this, args)) {
          if (fails && batches++ === after) {
            failures += 1;
            throw tooMuch();
          }
          yield batch;
        }
      });
      try {
        const found = await records(query, LITTLE, limit);
        expect(found.length).toBe(all.length);
        expect(found.findIndex((row, i) => row !== all[i])).toBe(-1);
      } finally {
        made.mockRestore();
      }
      expect(slices).toBeGreaterThan(3);
      expect(failures).toBe(1);
    },
  );

  it('is refused after a few attempts if small parts do not fit, either', async () => {
    const run = SegmentStore.prototype.query;
    let attempts = 0;
    const made = vi.spyOn(SegmentStore.prototype, 'query').mockImplementation(async function* (
      this: SegmentStore,
      ...args
    ) {
      if (args[0].startsWith('CREATE TABLE work.')) {
        attempts += 1;
        throw tooMuch();
      }
      yield* run.apply(this, args);
    });
    try {
      await expect(records(query, LITTLE)).rejects.toThrow('out of memory, says the test');
    } finally {
      made.mockRestore();
    }
    expect(attempts).toBe(3);
  });
});

describe('events that are too many to be sorted in memory', () => {
  it.each(['* | sort bytes', '* | sort -bytes | head 160000', '* | dedup src_ip, dst_ip'])(
    '%s',
    async (query) => {
      const all = await ample(query);
      expect(all.length).toBeGreaterThan(120_000);
      const found = await records(query, TINY);
      expect(found.length).toBe(all.length);
      expect(found.findIndex((row, i) => row !== all[i])).toBe(-1);
    },
    PATIENCE_MS,
  );

  it('are read once and put aside', async () => {
    const query = '* | sort bytes';
    const all = await ample(query);
    const made = vi.spyOn(SegmentStore.prototype, 'query');
    const found = await records(query, MODEST);
    const statements = made.mock.calls.map(([sql]) => sql);
    made.mockRestore();
    expect(found.findIndex((row, i) => row !== all[i])).toBe(-1);
    expect(statements.filter((sql) => sql.startsWith('COPY')).length).toBeGreaterThan(1);
    const slices = statements.filter((sql) => sql.includes('read_parquet'));
    expect(slices.length).toBeGreaterThan(4);
    expect(slices.some((sql) => sql.includes('.events'))).toBe(false);
  });
});

describe('what the window asks for', () => {
  async function pairs(memoryLimit: number) {
    const session = CaseSession.open(small.folder, { memoryLimit, threads: 2 });
    try {
      const answer = await top(
        session,
        {
          ...{ query: '*', zone: 'UTC', by: ['src_ip', 'dst_ip'], limit: 50, sparkline: 0 },
          measure: { fn: 'distinct', of: 'dst_port' },
        },
        new AbortController().signal,
      );
      const { batch, rest, total } = answer;
      return { batch, rest, total };
    } finally {
      await session.close();
    }
  }

  it('tops of more groups than memory holds', async () => {
    const all = await pairs(4e9);
    expect(all.batch.rows).toBe(50);
    expect(await pairs(LITTLE)).toEqual(all);
  });
});

describe('events without a time', () => {
  it('are read in slices as well', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `a note without a time, number ${i}`);
    const undated = await smallCase({ 'notes.txt': `${lines.join('\n')}\n` }, evidence);
    try {
      const { texts, statements } = await read(undated.folder, '*', 2e7);
      expect(texts).toEqual(lines);
      expect(statements.some((sql) => sql.startsWith('CREATE TABLE work.'))).toBe(true);
    } finally {
      await undated.dispose();
    }
  });
});

describe('many sources with columns of their own', () => {
  it('are read by statements of few columns, and come in order', async () => {
    const [sources, columns, rows] = [24, 600, 3];
    const files = Array.from({ length: sources }, (_, file): [string, string] => {
      const names = Array.from({ length: columns }, (_, i) => `f${file}_${i}`);
      const line = (row: number): string => {
        const at = new Date(Date.UTC(2026, 2, 1, 0, row, file)).toISOString();
        return [at, `row ${row * sources + file}`, ...names.map((name) => `${name} ${row}`)].join(
          ',',
        );
      };
      const lines = Array.from({ length: rows }, (_, row) => line(row));
      return [`${file}.csv`, `${['ts', 'note', ...names].join(',')}\n${lines.join('\n')}\n`];
    });
    const wide = await smallCase(Object.fromEntries(files), evidence);
    try {
      const { records, statements } = await read(wide.folder, 'kind:*', 4e9);
      const notes = records.map(({ attrs }) => (attrs as ShownRecord)['note']);
      expect(notes).toEqual(Array.from({ length: sources * rows }, (_, i) => `row ${i}`));
      for (const { attrs } of records) expect(Object.keys(attrs as ShownRecord)).toHaveLength(601);
      const widest = Math.max(...statements.map((sql) => sql.match(/ AS o\d+/g)?.length ?? 0));
      expect(widest).toBeGreaterThan(columns);
      expect(widest).toBeLessThan((sources * columns) / 2);
    } finally {
      await wide.dispose();
    }
  });
});

/** The events of a query, and the statements that were executed for them. */
async function read(folder: string, text: string, memoryLimit: number) {
  const session = CaseSession.open(folder, { memoryLimit, threads: 2 });
  const run = vi.spyOn(SegmentStore.prototype, 'query');
  try {
    const records: ShownRecord[] = [];
    for await (const some of shownRows(startQuery(session, { text, zone: 'UTC' }), 'UTC'))
      records.push(...some);
    const statements = run.mock.calls.map(([sql]) => sql);
    return { records, statements, texts: records.map(({ message }) => message) };
  } finally {
    run.mockRestore();
    await session.close();
  }
}
