/**
 * Hash manifests delivered with evidence: how an import reports matching, differing, missing and unlisted files.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Commands, daybook, json, ndjson, scratch, type Outcome } from './harness.ts';
import { zipOf } from '../../importers/shared/testing/archives.ts';

const space = scratch();
const commands = new Commands();
afterAll(async () => {
  await commands.close();
  space.remove();
});

const hash = (algorithm: string, content: string | Uint8Array) =>
  createHash(algorithm).update(content).digest('hex');
const log = (name: string) =>
  [1, 2, 3].map((n) => `<38>1 2026-03-04T10:00:0${n}Z host app 1 - - ${name} ${n}\n`).join('');
const RIGHT = log('right');
const WRONG = log('wrong');
const NOTES = 'SQLite format 3\0 and more';
/** Line 5 is not a hash. */
const sums = (algorithm: string) =>
  [
    `${hash(algorithm, RIGHT)}  logs/right.log`,
    `${hash(algorithm, 'as it was')}  logs/wrong.log`,
    `${hash(algorithm, '')}  logs/gone.log`,
    `${hash(algorithm, NOTES)}  notes.sqlite`,
    'what is this?',
    '',
  ].join('\n');
const FILES: Readonly<Record<string, string>> = {
  'logs/right.log': RIGHT,
  'logs/wrong.log': WRONG,
  'logs/unlisted.log': log('unlisted'),
  'notes.sqlite': NOTES,
};

interface Listed {
  id: number | null;
  source: string;
  listedHashes: { manifest: string; state: string; line?: number; actual?: string }[];
}
interface Reported {
  manifest: string;
  listed: number;
  agree: number;
  differ: { count: number; first: { file: string; line: number; actual: string }[] };
  missing: { first: { file: string; line: number }[] };
  notCompared: { first: { file: string; line: number; reason: string }[] };
  unlisted: { first: string[] };
  problems: { first: { line: number; reason: string }[] };
}

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

const sectionOf = (page: string, id: string) =>
  page.split('<section').find((section) => section.includes(`<h2 id="${id}"`)) ?? '';
const manifestsOf = (outcome: Outcome) =>
  ndjson<Partial<Reported>>(outcome).filter((one): one is Reported => one.manifest !== undefined);

function entriesOf(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([name, content]) => ({ name, content }));
}

describe.each([
  ['a folder', 'sha256', ''],
  ['a folder', 'md5', ''],
  ['a zip', 'sha256', 'ev.zip!'],
  ['a zip', 'sha1', 'ev.zip!'],
])('in %s, by %s', (where, algorithm, prefix) => {
  const base = path.join(space.folder, `${where}-${algorithm}`.replace(' ', '-'));
  const folder = path.join(base, 'case.daybook');
  const manifest = `${prefix}SUMS`;
  const wrong = hash(algorithm, WRONG);
  let outcome: Outcome;
  beforeAll(async () => {
    const files = { ...FILES, SUMS: sums(algorithm) };
    const evidence = path.join(base, 'ev');
    if (prefix === '') write(evidence, files);
    else write(base, { 'ev.zip': zipOf(entriesOf(files)) });
    const given = prefix === '' ? evidence : path.join(base, 'ev.zip');
    outcome = await commands.run(['import', folder, given, '--recursive', '--json']);
  });

  it('says of each listed file what became of it', () => {
    expect(manifestsOf(outcome)).toMatchObject([
      {
        ...{ manifest, listed: 4, agree: 1 },
        differ: { count: 1, first: [{ file: `${prefix}logs/wrong.log`, line: 2, actual: wrong }] },
        missing: { first: [{ file: 'logs/gone.log', line: 3 }] },
        notCompared: { first: [{ file: `${prefix}notes.sqlite`, line: 4 }] },
        unlisted: { first: [`${prefix}logs/unlisted.log`] },
        problems: { first: [{ line: 5 }] },
      },
    ]);
  });

  it('is loud about the one that differs', () => {
    expect(outcome.status).toBe(3);
    expect(outcome.err).toContain(
      `1 HASH DIFFERS from what a manifest lists: ${prefix}logs/wrong.log (${manifest})`,
    );
    expect(outcome.err).toContain('1 line of hash manifests cannot be read');
  });

  it('keeps it with each source', async () => {
    const all = json<Listed[]>(await commands.run(['sources', folder, '--json']));
    // Beside them is what was not imported.
    const sources = all.filter(({ id }) => id !== null);
    const states = sources.map(({ source, listedHashes }) => [
      source,
      listedHashes.map(({ state, line }) => `${state} ${line ?? ''}`.trim()),
    ]);
    expect(Object.fromEntries(states)).toEqual({
      [`${prefix}logs/right.log`]: ['agrees 1'],
      [`${prefix}logs/wrong.log`]: ['differs 2'],
      [`${prefix}logs/unlisted.log`]: ['unlisted'],
    });
    const listed = await commands.run(['sources', folder]);
    expect(listed.err).toContain(`the file has ${wrong}`);
  });

  it('has it in the audit log and in the report, and verify finds the case intact', async () => {
    const page = path.join(base, 'report.html');
    expect((await commands.run(['report', folder, '--out', page])).status).toBe(0);
    const text = readFileSync(page, 'utf8');
    for (const section of ['sources', 'manifests', 'audit'])
      expect(sectionOf(text, section), section).toContain(wrong);
    expect((await commands.run(['verify', folder])).status).toBe(0);
  });
});

it('prints for people what it found, and ends with 0 where all agrees', async () => {
  const evidence = write(path.join(space.folder, 'good'), {
    'a.log': RIGHT,
    'b.log': WRONG,
    'a.log.sha256': `${hash('sha256', RIGHT)}\n`,
    'x_CopyLog.csv':
      'CopiedTimestamp,SourceFile,DestinationFile,FileSize,SourceFileSha1,DeferredCopy,CreatedOnUtc,ModifiedOnUtc,LastAccessedOnUtc,CopyDuration\r\n' +
      `2026-03-04 10:00:00.0000000,C:\\b.log,F:\\out\\b.log,9,${hash('sha1', WRONG).toUpperCase()},False,2026-03-04 10:00:00.0000000,2026-03-04 10:00:00.0000000,2026-03-04 10:00:00.0000000,00:00:00.01\r\n`,
  });
  const run = await daybook(['import', path.join(space.folder, 'good.daybook'), evidence]);
  expect(run.out).toContain('a.log.sha256: hashes of 1 file: 1 agrees\n');
  expect(run.out).toContain('x_CopyLog.csv: hashes of 1 file: 1 agrees\n');
  expect(run.err).not.toMatch(/DIFFER|cannot be read/);
  expect(run.status, run.err).toBe(0);
});

it('compares an archive as a whole, and with a list that came later', async () => {
  const zip = zipOf(entriesOf({ 'a.log': RIGHT }));
  const base = write(path.join(space.folder, 'later'), {
    'ev.zip': zip,
    'ev.zip.md5': `${hash('md5', zip)}  ev.zip\n`,
    'bad.md5': `${hash('md5', 'another')}  ev.zip\n`,
  });
  const folder = path.join(base, 'case.daybook');
  const run = await commands.run(['import', folder, path.join(base, 'ev.zip')]);
  expect(run.status, run.err).toBe(0);
  const good = await commands.run(['import', folder, path.join(base, 'ev.zip.md5')]);
  expect(good.out).toContain('ev.zip.md5: hashes of 1 file: 1 agrees\n');
  expect(good.status, good.err).toBe(0);
  const bad = await commands.run(['import', folder, path.join(base, 'bad.md5')]);
  expect(bad.out).toContain(`DIFFERS: ev.zip (line 1): MD5 is ${hash('md5', zip)}`);
  expect(bad.status).toBe(3);
});

it('says so where a file has changed since it was read, and compares nothing', async () => {
  const base = write(path.join(space.folder, 'changed'), { 'a.log': RIGHT });
  const folder = path.join(base, 'case.daybook');
  expect((await commands.run(['import', folder, path.join(base, 'a.log')])).status).toBe(0);
  write(base, { 'a.log': WRONG, 'a.log.md5': `${hash('md5', RIGHT)}  a.log\n` });
  const run = await commands.run(['import', folder, path.join(base, 'a.log.md5'), '--json']);
  expect(manifestsOf(run)).toMatchObject([
    {
      ...{ agree: 0, differ: { count: 0 } },
      notCompared: { first: [{ reason: 'its bytes have changed since it was read' }] },
    },
  ]);
});
