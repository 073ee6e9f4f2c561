/** Retiming changes all events of all sources, or none; logs that grow afterwards. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { ACK, classicFile, SYN } from '../../../importers/pcap/testing/build.ts';
import { stream } from '../../../importers/pcap/protocols/testing/frames.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { DaybookError } from '../../contract/errors.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { SegmentBuilder } from '../../store/segment-builder.ts';
import { shownRows, startQuery } from '../../search/query.ts';
import { verifyOn } from '../verify/verify-thread.ts';
import { retimeSources } from './retime.ts';

const MINUTE = 60e6;
let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'daybook-retime-'));
  folder = join(home, 'case');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

const lines = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) => `Nov 20 10:${String(from + i).padStart(2, '0')}:00 host app: line ${from + i}\n`,
  ).join('');

function log(name: string, text: string): string {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
}

/** Packets, flows and HTTP messages: several kinds. */
function capture(): string {
  const { client, server } = stream(8080);
  const asked = 'GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n';
  const frames = [
    ...[client(0, '', SYN), server(0, '', SYN | ACK, 1), client(1, asked)],
    server(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  ];
  const path = join(home, 'a.pcap');
  const records = frames.map((bytes, i) => ({
    ...{ seconds: 1_700_000_000 + i, fraction: 0, bytes, wire: bytes.length },
  }));
  writeFileSync(path, classicFile({}, records));
  return path;
}

async function times(): Promise<Map<string, number>> {
  const session = CaseSession.open(folder, { memoryLimit: 5e8, threads: 1 });
  const found = new Map<string, number>();
  try {
    const running = startQuery(session, { text: 'kind:* | fields event_id, ts', zone: 'UTC' });
    for await (const records of shownRows(running, 'UTC'))
      for (const { event_id: id, ts } of records)
        found.set(String(id), Date.parse(String(ts)) * 1000);
    return found;
  } finally {
    await session.close();
  }
}

/** Problems that verify finds, and events that differ from the evidence. */
async function findings(): Promise<readonly unknown[]> {
  const { findings: found, sample } = await verifyOn(
    evidence.startVerify(),
    { folder, repair: false, sample: 'all', memoryLimit: 5e8, threads: 2, builder: BUILDER },
    undefined,
    () => undefined,
  );
  return [
    ...found.filter(({ level }) => level !== 'note'),
    ...(sample.differing > 0 ? [sample] : []),
  ];
}

const slow = (sources: string[]): Promise<unknown> =>
  retimeSources({ folder, sources, clock: '5m slow', builder: BUILDER });

describe('all at once, or not at all', () => {
  it('for all kinds of a capture, however often it failed before', async () => {
    await importInProcess(folder, [capture()]);
    const before = await times();
    const real = SegmentBuilder.prototype.build;
    for (const failing of [2, 3]) {
      let calls = 0;
      const build = vi.spyOn(SegmentBuilder.prototype, 'build');
      build.mockImplementation(function (this: SegmentBuilder, ...args) {
        calls += 1;
        if (calls === failing) throw new DaybookError('disk-full', 'no space left');
        return real.apply(this, args);
      });
      await expect(slow(['a.pcap'])).rejects.toMatchObject({ code: 'disk-full' });
      build.mockRestore();
    }
    expect(await times()).toEqual(before);
    await slow(['a.pcap']);
    const after = await times();
    for (const [id, ts] of before) expect(after.get(id), id).toBe(ts + 5 * MINUTE);
    expect(await findings()).toEqual([]);
  });

  it('also where its segments together are too much for the memory', async () => {
    await importInProcess(folder, [log('a.log', lines(0, 5))]);
    await importInProcess(folder, [log('b.log', lines(0, 9).replaceAll('Nov 20', 'Nov 2'))]);
    const before = await times();
    const real = SegmentBuilder.prototype.build;
    let calls = 0;
    const build = vi.spyOn(SegmentBuilder.prototype, 'build');
    build.mockImplementation(function (this: SegmentBuilder, ...args) {
      calls += 1;
      if (calls === 1) throw new DaybookError('limit-exceeded', 'too much');
      return real.apply(this, args);
    });
    await slow(['a.log', 'b.log']);
    expect(calls).toBe(3);
    const after = await times();
    expect(after.size).toBe(14);
    for (const [id, ts] of before) expect(after.get(id), id).toBe(ts + 5 * MINUTE);
    expect(await findings()).toEqual([]);
  });

  it('for all named sources', async () => {
    await importInProcess(folder, [log('a.log', lines(0, 5))]);
    const before = await times();
    await expect(slow(['a.log', 'none.log'])).rejects.toMatchObject({ code: 'not-found' });
    expect(await times()).toEqual(before);
  });

  it('writes segments that sources share once', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `${i}.log`);
    await importInProcess(
      folder,
      names.map((name, i) => log(name, lines(i, i + 4))),
    );
    const before = await times();
    const build = vi.spyOn(SegmentBuilder.prototype, 'build');
    await slow(names);
    expect(build).toHaveBeenCalledTimes(1);
    const after = await times();
    expect(after.size).toBe(36);
    for (const [id, ts] of before) expect(after.get(id), id).toBe(ts + 5 * MINUTE);
    // Sources with different earlier decisions.
    const zoned = { folder, sources: ['1.log', '2.log'], timeZone: '+02:00', builder: BUILDER };
    await retimeSources({ ...zoned, clock: '1m fast' });
    await slow(names);
    expect(await times()).not.toEqual(after);
    for (const [id, ts] of await times())
      expect(ts, id).toBe(after.get(id)! - (/^[23]:/.test(id) ? 120 * MINUTE : 0));
    expect(await findings()).toEqual([]);
  });
});

describe('a log that grows', () => {
  it('is read with the later decisions, and its beginning is stored once', async () => {
    const path = log('a.log', lines(0, 40));
    await importInProcess(folder, [path]);
    const decided = { timeZone: '+03:00', clock: '10m fast' };
    await retimeSources({ ...{ folder, sources: ['a.log'], builder: BUILDER }, ...decided });
    const before = await times();
    appendFileSync(path, lines(40, 50));
    await importInProcess(folder, [path]);
    const after = await times();
    expect(after.size).toBe(50);
    const inOrder = [...after.values()].sort((a, b) => a - b);
    expect(inOrder.slice(0, 40)).toEqual([...before.values()].sort((a, b) => a - b));
    expect(inOrder.map((ts, i) => ts - inOrder[0]! - i * MINUTE)).toEqual(inOrder.map(() => 0));
    const catalog = Catalog.open(folder);
    const second = catalog.sources.get(2)!;
    catalog.close();
    expect(second).toMatchObject({
      ...{ read: 50, stored: 10, duplicate: 40 },
      decisions: { tz: '+03:00', clock: '10m fast' },
    });
    expect(second.notes.join()).toContain('begins with the content of source 1');
    expect(await findings()).toEqual([]);
    // It grows again, now from source 2.
    appendFileSync(path, lines(50, 55));
    await importInProcess(folder, [path]);
    expect((await times()).size).toBe(55);
    expect(await findings()).toEqual([]);
  });
});
