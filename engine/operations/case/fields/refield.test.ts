/** Re-extracted fields equal those of an import with the same extractors; what people added stays. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalog } from '../../../catalog/catalog.ts';
import { BUILDER, importInProcess } from '../../../ingest/testing/in-process.ts';
import { CaseSession } from '../../../search/session/case-session.ts';
import { deleteEvents, tagEvents } from '../../marks/mark.ts';
import { createCase } from '../open-case.ts';
import { addExtractor, removeExtractor } from './own-extractors.ts';
import { refieldCase, type RefieldReport } from './refield.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'daybook-refield-'));
  folder = join(home, 'case');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const LINES = 1000;
const PROGRAMS: readonly ((n: number) => string)[] = [
  (n) =>
    `sshd[${n}]: Failed password for user${n % 7} from 192.0.2.${n % 200} port ${1024 + n} ssh2`,
  (n) => `gate: door ${n % 9} opened by card ${n} of badge-${n % 5} at 198.51.100.${n % 99}`,
  (n) => `app: nothing of note ${n}`,
  (n) =>
    `kernel: [UFW BLOCK] IN=eth0 OUT= SRC=2001:db8::${n % 99} DST=192.0.2.1 PROTO=TCP SPT=${n + 1} DPT=22`,
];

async function importLogs(into: string): Promise<void> {
  for (const [name, day] of [
    ['a.log', 4],
    ['b.log', 5],
  ] as const) {
    const path = join(home, name);
    const lines = Array.from({ length: LINES }, (_, n) => {
      const time = new Date(Date.UTC(2026, 2, day, 10) + n * 1000).toISOString();
      return `${time} fw1 ${PROGRAMS[n % PROGRAMS.length]!(n)}\n`;
    });
    writeFileSync(path, lines.join(''));
    await importInProcess(into, [path]);
  }
}

const gate = (version: number, text: string): string =>
  JSON.stringify({
    ...{ extractor: 'gate', version, for: 'doors', leavesOut: 'nothing', programs: ['gate'] },
    templates: [{ text, set: { action: 'open' } }],
  });
const DOOR = 'door {:number} opened by card {session:number} of {user:word} at {src_ip}';

const refield = (source?: string): Promise<RefieldReport> =>
  refieldCase({ folder, source, builder: BUILDER });

/** Every stored value, by event. */
async function contents(of: string): Promise<string[]> {
  const session = CaseSession.open(of, { memoryLimit: 5e8, threads: 1 });
  try {
    const out: string[] = [];
    const { store, catalog } = session;
    for (const segment of catalog.segments.all()) {
      const release = store.hold();
      try {
        await store.attach([segment]);
        const rows = await store.rows(
          `SELECT to_json(events) FROM seg_${segment.id}.events`,
          [],
          new AbortController().signal,
        );
        for (const [row] of rows) {
          const values = Object.entries(JSON.parse(String(row)) as Record<string, unknown>)
            .filter(([name, value]) => value !== null && name !== 'rowid')
            .sort(([one], [other]) => (one < other ? -1 : 1));
          out.push(JSON.stringify(values));
        }
      } finally {
        release();
      }
    }
    return out.sort();
  } finally {
    await session.close();
  }
}

const add = (document: string): Promise<unknown> =>
  addExtractor(folder, document, 'gate.json', BUILDER);

async function tagged(): Promise<number> {
  const catalog = Catalog.open(folder);
  try {
    return catalog.marks
      .summary()
      .reduce((sum, { tagId, count }) => sum + (tagId > 0 ? count : 0), 0);
  } finally {
    catalog.close();
  }
}

it('gives an event the host of its header back', async () => {
  const other = join(home, 'other');
  const named = gate(1, DOOR.replace('{user:word}', '{host:word}'));
  await importLogs(folder);
  const without = await contents(folder);
  await add(named);
  await refield();
  const relayed = (await contents(folder)).filter((one) => one.includes('"header_host","fw1"'));
  expect(relayed).toHaveLength(LINES / 2);
  await createCase(other, BUILDER);
  await addExtractor(other, named, 'gate.json', BUILDER);
  await importLogs(other);
  expect(await contents(folder)).toEqual(await contents(other));
  await removeExtractor(folder, 'gate', BUILDER);
  await refield();
  expect(await contents(folder)).toEqual(without);
});

it('cuts what an import with the extractor cuts, and takes it back', async () => {
  const other = join(home, 'other');
  await importLogs(folder);
  const without = await contents(folder);
  expect(await refield()).toMatchObject({ changed: 0, segments: { rewritten: 0 } });
  await add(gate(1, DOOR));
  expect(await refield()).toMatchObject({
    ...{ events: 2 * LINES, before: LINES, after: LINES * 1.5, changed: LINES / 2, left: 0 },
    extractors: { 'gate/1': LINES / 2, 'netfilter/6': LINES / 2, 'openssh/4': LINES / 2 },
  });

  await createCase(other, BUILDER);
  await addExtractor(other, gate(1, DOOR), 'gate.json', BUILDER);
  await importLogs(other);
  expect(await contents(folder)).toEqual(await contents(other));
  expect(await refield()).toMatchObject({ changed: 0, segments: { rewritten: 0 } });

  await removeExtractor(folder, 'gate', BUILDER);
  expect(await refield()).toMatchObject({ changed: LINES / 2, after: LINES });
  expect(await contents(folder)).toEqual(without);
});

it.each(['before', 'after'])(
  'keeps the process that a message names, and the message stored by it: an extractor added %s the import',
  async (when) => {
    const named = 'door {pid} opened by card {session:number} of {user:word} at {src_ip}';
    const stored = async (): Promise<Record<string, unknown>[]> =>
      (await contents(folder)).map((row) =>
        Object.fromEntries(JSON.parse(row) as [string, unknown][]),
      );
    const textsAndPids = async (): Promise<string[]> =>
      (await stored()).map(({ message, pid }) => `${String(message)} ${String(pid)}`).sort();
    await createCase(folder, BUILDER);
    if (when === 'before') await add(gate(1, named));
    await importLogs(folder);
    if (when === 'after') await add(gate(1, named));
    await refield();
    const cut = await textsAndPids();
    const doors = cut.filter((text) => text.includes('door '));
    expect(doors).toHaveLength(LINES / 2);
    for (const text of doors) expect(text).toMatch(/door (\d) .* \1$/);
    expect(cut).toContainEqual(expect.stringMatching(/^sshd\[8\]: .* 8$/));
    await add(gate(2, DOOR));
    await refield();
    expect(await textsAndPids()).toEqual(cut);
  },
);

it('takes an extractor of Daybook out of use and into use again', async () => {
  await importLogs(folder);
  const before = await contents(folder);
  const none = JSON.parse(gate(99, 'no such message')) as Record<string, unknown>;
  await add(JSON.stringify({ ...none, extractor: 'openssh' }));
  expect(await refield()).toMatchObject({ before: LINES, after: LINES / 2 });
  expect((await contents(folder)).filter((row) => row.includes('192.0.2.'))).not.toEqual([]);
  await removeExtractor(folder, 'openssh', BUILDER);
  await refield();
  expect(await contents(folder)).toEqual(before);
});

it('changes one source only, and keeps tags and what is deleted', async () => {
  await importLogs(folder);
  const session = CaseSession.open(folder, { memoryLimit: 5e8, threads: 1 });
  try {
    const of = { session, zone: 'UTC' };
    await tagEvents({ ...of, text: 'program:gate', name: 'doors', remove: false });
    await deleteEvents({ ...of, text: 'program:app source:a.log', reason: 'test' });
  } finally {
    await session.close();
  }
  const marked = await tagged();
  await add(gate(1, DOOR));
  expect(await refield('a.log')).toMatchObject({ after: LINES * 0.75, changed: LINES / 4 });
  expect(await tagged()).toBe(marked);
  const rows = await contents(folder);
  expect(rows).toHaveLength(2 * LINES - LINES / 4);
  expect(rows.filter((row) => row.includes('gate/1'))).toHaveLength(LINES / 4);
});

it('says in the audit log what was cut by which extractors, and in the ledger', async () => {
  await importLogs(folder);
  await add(gate(1, DOOR));
  await refield('b.log');
  const catalog = Catalog.open(folder);
  try {
    const entries = catalog.audit
      .entries()
      .filter(({ operation }) => !/import|merge/.test(operation));
    expect(entries.map(({ operation }) => operation)).toEqual([
      ...['add extractor', 'refield', 'refield'],
    ]);
    expect(entries[0]?.detail).toMatchObject({ name: 'gate', version: 1, file: 'gate.json' });
    expect(entries[2]?.detail).toMatchObject({ changed: LINES / 4 });
    const [a, b] = catalog.sources.all();
    expect(a?.decisions['extractors']).toBeUndefined();
    expect(b?.decisions['extractors']).toMatch(/ of Daybook, gate\/1$/);
    expect(catalog.integrityProblems()).toEqual([]);
  } finally {
    catalog.close();
  }
});

it('leaves whole segments when it is cancelled, and goes on', async () => {
  await importLogs(folder);
  await add(gate(1, DOOR));
  const abort = new AbortController();
  let calls = 0;
  const cancelled = refieldCase({
    ...{ folder, source: undefined, builder: BUILDER, signal: abort.signal },
    onProgress: () => {
      if (++calls === 2) abort.abort();
    },
  });
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  const half = (await contents(folder)).filter((row) => row.includes('gate/1'));
  expect(half).toHaveLength(LINES / 4);
  expect(await refield()).toMatchObject({
    ...{ changed: LINES / 4, after: LINES * 1.5 },
    segments: { rewritten: 1, unchanged: 1 },
  });
});

it('refuses a version that is there, and what is no extractor, with the line', async () => {
  await createCase(folder, BUILDER);
  await add(gate(1, DOOR));
  await add(gate(1, DOOR));
  await expect(add(gate(1, `${DOOR}!`))).rejects.toThrow('gate of version 1 already');
  await expect(add('{\n"extractor": }')).rejects.toThrow('gate.json:2: ');
  await expect(add(gate(2, 'door {nonsense}'))).rejects.toThrow('gate.json:1: ');
  const wrong = JSON.parse(gate(2, DOOR)) as { templates: Record<string, unknown>[] };
  wrong.templates[0]!['samples'] = [['door 1 opened by card 2 of a at 192.0.2.1', { user: 'b' }]];
  await expect(add(JSON.stringify(wrong))).rejects.toThrow('does not give the expected fields');
});
