import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import type { Part, Result } from '../../contract/operations.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { pcapOf, rfc3164, rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { readRecent } from '../system/state.ts';
import { SegmentBuilder } from '../../store/segment-builder.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';
import { caseHandlers } from './handlers.ts';
import { markHandlers } from '../marks/handlers.ts';

let small: SmallCase;
let handlers: ReturnType<typeof caseHandlers>;
beforeEach(async () => {
  small = await smallCase(
    { 'a.log': rfc5424(40), 'b.pcap': pcapOf(5), 'c.log': rfc3164(6) },
    evidence,
  );
  handlers = caseHandlers(small.services);
});
afterEach(() => small.dispose());

const open = async (): Promise<Result<'case.open'>> =>
  (await called(handlers, 'case.open', { case: small.folder })).result;
const byKindSum = (info: Pick<Result<'case.open'>, 'byKind'>): number =>
  Object.values(info.byKind).reduce((sum, count) => sum + count, 0);

describe('case.open', () => {
  it('says what is in a case, without what was deleted', async () => {
    const before = await open();
    expect(before).toMatchObject({
      name: 'small',
      case: small.folder,
      sources: 3,
      readOnly: false,
    });
    expect(before.events).toBe(byKindSum(before));
    expect(before.byKind).toMatchObject({ packet: 5, log: 46 });
    expect(before.writer).toBeUndefined();
    const marks = markHandlers(small.services);
    await called(marks, 'delete.run', {
      ...{ case: small.folder, reason: 'test', target: { view: { query: 'kind:packet' } } },
    });
    await called(marks, 'tag.set', {
      ...{ case: small.folder, name: 'seen', target: { events: ['1:1', '1:2'] } },
    });
    const after = await open();
    expect(after.events).toBe(before.events - 5);
    expect(after.byKind.packet).toBe(0);
    expect(after.tags).toMatchObject([{ name: 'seen', count: 2 }]);
    const { result } = await called(handlers, 'case.days', { case: small.folder });
    expect(result.days.reduce((sum, day) => sum + day.events, 0)).toBe(after.events);
    expect(result.days.filter(({ day }) => day !== 'undated').length).toBe(after.days);
  });

  it('keeps it among the recent ones', async () => {
    await open();
    expect(readRecent(small.root)[0]?.case).toBe(small.folder);
  });

  it('recovers what a killed import left, once', async () => {
    const writer = await CaseWriter.open(small.folder, 'import', BUILDER);
    writer.catalog.imports.begin({});
    writer.close();
    mkdirSync(join(small.folder, 'days/2026-01-01'), { recursive: true });
    writeFileSync(join(small.folder, 'days/2026-01-01/000000ff.duckdb'), 'half');
    expect((await open()).recovered).toEqual([
      'import 2 was interrupted; what it had committed is in the case',
      'removed 1 segment files that no import had committed',
    ]);
    expect((await open()).recovered).toEqual([]);
    const { result } = await called(handlers, 'case.audit', { case: small.folder });
    expect(result.entries[0]).toMatchObject({ operation: 'recover' });
  });

  it('leaves alone what is being written', async () => {
    const writer = await CaseWriter.open(small.folder, 'import', BUILDER);
    writer.catalog.imports.begin({});
    const info = await open();
    expect(info.recovered).toEqual([]);
    // This process is the writer, so no other is named.
    expect(info.writer).toBeUndefined();
    expect(writer.catalog.imports.all().at(-1)?.status).toBe('running');
    writer.close();
  });

  it.each([
    ['no case', 'not-a-case', () => mkdtempSync(join(tmpdir(), 'daybook-none-'))],
    [
      'a damaged catalog',
      'not-a-case|case-damaged',
      () => {
        const folder = mkdtempSync(join(tmpdir(), 'daybook-damaged-'));
        writeFileSync(join(folder, 'case.sqlite'), 'SQLite format 3\0 but not really'.repeat(100));
        return folder;
      },
    ],
  ])('says so for %s', async (_what, code, make) => {
    const folder = make();
    await expect(called(handlers, 'case.open', { case: folder })).rejects.toMatchObject({
      code: expect.stringMatching(code) as string,
    });
    rmSync(folder, { recursive: true });
    expect(readRecent(small.root)).toEqual([]);
  });
});

describe('case.create', () => {
  it.each([
    ['a case', () => small.folder, 'usage'],
    ['a folder with other files', () => small.evidence, 'not-a-case'],
    ['a relative path', () => 'somewhere.daybook', 'usage'],
  ])('refuses %s', async (_what, folder, code) => {
    const making = called(handlers, 'case.create', { case: folder() });
    await expect(making).rejects.toMatchObject({ code });
  });

  it('keeps the number and the examiner, and says each change of them in the audit log', async () => {
    const folder = join(small.root, 'numbered.daybook');
    const made = { case: folder, number: ' 2026/17 ', examiner: '' };
    const { result } = await called(handlers, 'case.create', made);
    expect(result.number).toBe('2026/17');
    await called(handlers, 'case.describe', { case: folder, examiner: 'A. Example' });
    // An unchanged value is not a change.
    await called(handlers, 'case.describe', { case: folder, number: '2026/17' });
    await called(handlers, 'case.describe', { case: folder, number: '' });
    const { result: info } = await called(handlers, 'case.open', { case: folder });
    expect([info.number, info.examiner]).toEqual([undefined, 'A. Example']);
    const entries = await small.services.cases.use(folder, async ({ catalog }) =>
      catalog.audit.entries().filter(({ operation }) => operation === 'describe'),
    );
    expect(entries.map(({ detail }) => detail)).toEqual([
      { before: {}, after: { number: '2026/17' } },
      { before: { number: '2026/17' }, after: { number: '2026/17', examiner: 'A. Example' } },
      { before: { number: '2026/17', examiner: 'A. Example' }, after: { examiner: 'A. Example' } },
    ]);
  });
});

/** As long as a test may take. */
const FOR_LONG = { timeout: 60_000, interval: 20 };

describe('case.watch', () => {
  it('tells what this process and others commit, in order', async () => {
    const stop = new AbortController();
    type Told = Part<'case.watch'>;
    const parts: { change: NonNullable<Told['change']>; info: Told['info'] }[] = [];
    const watching = called(
      handlers,
      'case.watch',
      { case: small.folder },
      {
        signal: stop.signal,
        onPart: ({ change, info }) => {
          if (change !== undefined) parts.push({ change, info });
        },
      },
    );
    const change = (name: string) =>
      small.services.cases.use(small.folder, async ({ catalog }) => catalog.changes.add(name, {}));
    // What is committed before watching starts is not reported.
    await vi.waitUntil(() => change('begin').then(() => parts.length > 0), FOR_LONG);
    writeFileSync(join(small.root, 'more.log'), rfc5424(7).replaceAll('gate', 'more'));
    const before = (await open()).events;
    await importInProcess(small.folder, [join(small.root, 'more.log')]);
    await called(markHandlers(small.services), 'tag.set', {
      ...{ case: small.folder, name: 'seen', target: { events: ['1:1'] } },
    });
    // The very connection that watches.
    await change('own');
    await vi.waitUntil(() => parts.at(-1)?.change.operation === 'own', FOR_LONG);
    stop.abort();
    await watching;
    const told = parts.map(({ change }) => change.operation);
    expect(told).toContain('import');
    expect(told.slice(-2)).toEqual(['tag', 'own']);
    expect(parts.at(-1)?.info.events).toBe(before + 7);
    const ids = parts.map(({ change }) => change.id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('tells who begins to write before anything is committed, and that a writer was killed', async () => {
    const stop = new AbortController();
    const writers: (string | undefined)[] = [];
    const watching = called(
      handlers,
      'case.watch',
      { case: small.folder },
      {
        signal: stop.signal,
        onPart: ({ change, info }) => {
          expect(change).toBeUndefined();
          writers.push(info.writer?.operation);
        },
      },
    );
    const lock = JSON.stringify(join(import.meta.dirname, '../../catalog/writer-lock.ts'));
    const script = `import { WriterLock } from ${lock};
      WriterLock.take(${JSON.stringify(small.folder)}, 'import');
      setInterval(() => undefined, 1000);`;
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script]);
    await vi.waitUntil(() => writers.length > 0, FOR_LONG);
    writer.kill('SIGKILL');
    await vi.waitUntil(() => writers.length > 1, FOR_LONG);
    stop.abort();
    await watching;
    expect(writers).toEqual(['import', undefined]);
  });
});

describe('sources', () => {
  it('say what the catalog knows, and whether the evidence is there', async () => {
    renameSync(join(small.evidence, 'a.log'), join(small.root, 'moved.log'));
    const { result } = await called(handlers, 'case.sources', { case: small.folder });
    const byName = new Map(result.sources.map((source) => [source.name, source]));
    expect(byName.get('a.log')).toMatchObject({ exists: false, importer: 'syslog', read: 40 });
    expect(byName.get('b.pcap')).toMatchObject({ exists: true, members: [], status: 'complete' });
    expect(byName.get('b.pcap')?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are retimed and cut into fields again with half of the memory, as large as that is', async () => {
    const given: number[] = [];
    const real = SegmentBuilder.prototype.build;
    const build = vi.spyOn(SegmentBuilder.prototype, 'build');
    build.mockImplementation(function (this: SegmentBuilder, ...args) {
      given.push(this.memoryLimit);
      return real.apply(this, args);
    });
    small.services.settings.limits.memory = 3e9;
    const { folder } = small;
    await called(handlers, 'source.retime', { case: folder, sources: [3], tz: '+02:00' });
    await called(handlers, 'case.refield', { case: folder });
    expect(new Set(given)).toEqual(new Set([1.5e9]));
    build.mockRestore();
  });

  it('are retimed, which is audited', async () => {
    const { result } = await called(handlers, 'case.sources', { case: small.folder });
    const source = result.sources.find(({ name }) => name === 'c.log')!;
    const params = { case: small.folder, sources: [source.id], tz: '+02:00' };
    const { result: changed } = await called(handlers, 'source.retime', params);
    expect(changed.changed).toBe(6);
    expect(changed.notes).toHaveLength(2);
    const again = await called(handlers, 'case.sources', { case: small.folder });
    const after = again.result.sources.find(({ id }) => id === source.id)!;
    expect(after.first).toBe(source.first! - 2 * 3600e6);
    expect(after.decisions['tz']).toBe('+02:00');
    const { result: audit } = await called(handlers, 'case.audit', { case: small.folder });
    expect(audit.entries[0]).toMatchObject({ operation: 'retime', detail: { name: 'c.log' } });
    await expect(
      called(handlers, 'source.retime', { case: small.folder, sources: [99], tz: 'UTC' }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('maintenance', () => {
  it('verifies, and finds what was changed', async () => {
    const sound = await called(handlers, 'case.verify', { case: small.folder });
    expect(sound.result).toMatchObject({ ok: true, case: { intact: true }, findings: [] });
    expect(sound.result.sample.compared).toBeGreaterThan(0);
    expect(sound.parts.map(({ phase }) => phase)).toContain('catalog');
    appendFileSync(join(small.evidence, 'a.log'), 'one more line\n');
    const changed = await called(handlers, 'case.verify', { case: small.folder });
    expect(changed.result).toMatchObject({
      ...{ ok: false, exitStatus: 3, case: { intact: true } },
      evidence: { state: 'changed', changed: 1 },
      findings: [{ about: 'evidence', level: 'error', code: 'grown' }],
    });
  });

  it('compacts, and a second writer is told who writes', async () => {
    const writer = await CaseWriter.open(small.folder, 'import', BUILDER);
    const compacting = called(handlers, 'case.compact', { case: small.folder });
    await expect(compacting).rejects.toMatchObject({
      code: 'case-locked',
      message: expect.stringContaining(`process ${process.pid} `) as string,
    });
    writer.close();
    const { result } = await called(handlers, 'case.compact', { case: small.folder });
    expect(result.after).toBeLessThanOrEqual(result.before);
  });

  it('says what was done and what it took, the last of it', async () => {
    await open();
    await called(handlers, 'case.days', { case: small.folder });
    const { result } = await called(handlers, 'case.latency', { case: small.folder, recent: 2 });
    expect(result.recent.map(({ operation }) => operation)).toEqual(['case.open', 'case.days']);
    const none = await called(handlers, 'case.latency', { case: small.folder, recent: 0 });
    expect(none.result.recent).toEqual([]);
    const all = await called(handlers, 'case.audit', { case: small.folder });
    const one = await called(handlers, 'case.audit', { case: small.folder, limit: 1 });
    expect(one.result.entries).toEqual(all.result.entries.slice(0, 1));
    expect(one.result.total).toBe(all.result.total);
  });
});
