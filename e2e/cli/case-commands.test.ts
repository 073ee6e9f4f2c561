/**
 * Commands for features that the window has, too: one event, saved searches, the audit log, previews; and shell
 * completion.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../../fixtures/generate.ts';
import { taggedCase } from '../tagged-case.ts';
import { assertClearMessage, Commands, daybook, json, ndjson, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
const runCommand = (args: readonly string[]) => commands.run(args);
const at = (...names: string[]): string => path.join(space.folder, ...names);
let tagged: string;

beforeAll(async () => {
  tagged = await taggedCase(space.folder, 'all of <them>', runCommand);
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

const idOf = async (folder: string, query: string): Promise<string> => {
  const asked = await commands.run([
    'query',
    folder,
    `${query} | fields event_id`,
    '--format',
    'csv',
  ]);
  return asked.out.trim().split('\n').at(-1)!.replaceAll('"', '');
};

describe('daybook event', () => {
  it('shows all of an event, and its bytes as they are in the evidence', async () => {
    const id = await idOf(tagged, '"line-3-"');
    const shown = json<Record<string, unknown>>(
      await commands.run(['event', tagged, id, '--json']),
    );
    expect(shown).toMatchObject({
      ...{ event: id, kind: 'log', ts: '2026-03-04T10:00:13Z' },
      fields: { host: 'host', program: 'app', message: 'line-3-' },
      tags: expect.arrayContaining(['guessed', 'all of <them>']) as unknown,
      source: { name: 'auth.log', path: at('auth.log') },
    });
    const line = readFileSync(at('auth.log'), 'utf8').split('\n')[3]!;
    expect((await commands.run(['event', tagged, id, '--raw'])).out.trimEnd()).toBe(line);
    const { hex } = json<{ hex: string }>(
      await commands.run(['event', tagged, id, '--hex', '--json']),
    );
    expect(Buffer.from(hex, 'hex').toString().trimEnd()).toBe(line);
    const text = await commands.run(['event', tagged, id]);
    expect(text.out).toMatch(/^time +2026-03-04T10:00:13Z$/m);
    expect(text.out).toMatch(/^source +auth\.log \(source 1\), byte \d+, \d+ bytes$/m);
  });

  it('shows its neighbours, and writes a note that findings and the audit log have', async () => {
    const id = await idOf(tagged, '"line-7-"');
    const around = await commands.run(['event', tagged, id, '--around', '1', '--json']);
    const { index, events } = json<{ index: number; events: { summary: string }[] }>(around);
    expect(index).toBe(1);
    expect(events.map(({ summary }) => summary)).toEqual(['line-6-', 'line-7-', 'line-8-']);
    expect((await commands.run(['event', tagged, id, '--note', 'came back'])).out).toMatch(
      /^note +came back$/m,
    );
    const found = json<{ text?: string }[]>(await commands.run(['findings', tagged, '--json']));
    expect(found.map(({ text }) => text)).toContain('came back');
    const audit = await daybook(['audit', tagged, '--last', '1', '--json']);
    expect(json(audit)).toMatchObject({
      entries: [{ operation: 'note', detail: { event: id, text: 'came back' }, intact: true }],
      problems: [],
    });
    await commands.run(['event', tagged, id, '--note', '']);
    expect((await commands.run(['event', tagged, id])).out).not.toContain('came back');
  });

  it('shows the layers of a packet, and says what has none', async () => {
    generateEvidence(at('made'), 0.02, 3);
    await commands.run(['import', at('packets.daybook'), at('made/evidence/capture')]);
    const id = await idOf(at('packets.daybook'), 'kind:packet proto:tcp | head 1');
    const packet = await commands.run(['event', at('packets.daybook'), id, '--layers', '--json']);
    const { layers } = json<{ layers: { name: string }[] }>(packet);
    expect(layers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Ethernet II', 'Transmission Control Protocol']),
    );
    const log = await commands.run(['event', tagged, await idOf(tagged, '"line-1-"'), '--layers']);
    expect(log).toMatchObject({
      status: 2,
      err: expect.stringContaining('is not a packet') as string,
    });
    for (const id of ['nonsense', '9:9']) {
      const none = await commands.run(['event', tagged, id]);
      expect(none.status).toBeGreaterThan(0);
      assertClearMessage(none.err);
    }
  });
});

it('saves searches, runs them, and takes them away', async () => {
  const none = await commands.run(['searches', tagged]);
  expect(none).toMatchObject({ status: 0, out: '' });
  const range = ['--from', '2026-03-04T10:00:12Z', '--to', '2026-03-04T10:00:15Z'];
  await commands.run(['searches', tagged, 'three', '--save', 'line', ...range, '--note', 'why']);
  expect(json(await commands.run(['searches', tagged, '--json']))).toMatchObject({
    searches: [{ name: 'three', query: 'line', from: '2026-03-04T10:00:12.000000Z', note: 'why' }],
  });
  const run = ndjson(await commands.run(['query', tagged, '--saved', 'three', '--json']));
  expect(run.map((one) => (one as { message: string }).message)).toEqual([
    ...['line-2-', 'line-3-', 'line-4-'],
  ]);
  // Saved again, it has the new query and keeps its note.
  await commands.run(['searches', tagged, 'three', '--save', '"line-9-" | count']);
  const now = json<{ searches: object[] }>(
    await commands.run(['searches', tagged, 'three', '--json']),
  );
  expect(now.searches).toMatchObject([{ query: '"line-9-" | count', from: null, note: 'why' }]);
  expect((await commands.run(['query', tagged, '--saved', 'three'])).out.trim()).toBe('1');
  for (const [args, says] of [
    [['query', tagged], /--saved NAME/],
    [['query', tagged, 'line', '--saved', 'three'], /cannot be combined/],
    [['query', tagged, '--saved', 'four'], /there is no saved search "four"\n.*three/],
    [['searches', tagged, 'bad', '--save', 'host:'], /daybook: /],
    [['searches', tagged, '--save', 'line'], /needs a NAME/],
    [['searches', tagged, 'three', '--from', '2026-03-04'], /--from needs --save/],
  ] as const)
    expect(await commands.run(args)).toMatchObject({
      status: 2,
      err: expect.stringMatching(says) as string,
    });
  await commands.run(['searches', tagged, 'three', '--remove']);
  expect(json(await commands.run(['searches', tagged, '--json']))).toEqual({ searches: [] });
});

it('gives scripts an exit status of their own where nothing is found', async () => {
  for (const [command, query, status] of [
    ['count', 'line', 0],
    ['count', 'no-such-word', 4],
    ['query', 'no-such-word', 4],
    ['query', 'no-such-word | top 3 host', 4],
    ['timeline', 'no-such-word', 4],
    ['timeline', 'line', 0],
  ] as const) {
    const asked = await commands.run([command, tagged, query, '--fail-empty']);
    expect([command, query, asked.status]).toEqual([command, query, status]);
    expect((await commands.run([command, tagged, query])).status).toBe(0);
  }
});

it('does not take nothing shown for nothing found', async () => {
  const asked = await commands.run(['query', tagged, 'line', '--limit', '0', '--fail-empty']);
  expect(asked.status).toBe(2);
  assertClearMessage(asked.err);
});

it('changes none of two saved searches of one name', async () => {
  const window = await taggedCase(mkdirAt('twice'), 'x', runCommand);
  await commands.run(['searches', window, 'twice', '--save', 'line']);
  await commands.run(['searches', window, 'other', '--save', 'line']);
  const catalog = new DatabaseSync(path.join(window, 'case.sqlite'));
  catalog.exec("UPDATE searches SET name = 'twice' WHERE name = 'other'");
  catalog.close();
  const saved = await commands.run(['searches', window, 'twice', '--save', 'changed']);
  expect(saved.status).toBe(2);
  const { searches } = json<{ searches: { query: string }[] }>(
    await commands.run(['searches', window, '--json']),
  );
  expect(searches.map(({ query }) => query)).toEqual(['line', 'line']);
});

it('names an entry of the audit log that was changed', async () => {
  const changed = await taggedCase(mkdirAt('changed'), 'x', runCommand);
  const catalog = new DatabaseSync(path.join(changed, 'case.sqlite'));
  const guards = catalog
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'")
    .all();
  for (const { name } of guards) catalog.exec(`DROP TRIGGER "${String(name)}"`);
  catalog.exec("UPDATE audit SET user = 'somebody' WHERE id = 2");
  for (const { sql } of guards) catalog.exec(String(sql));
  catalog.close();
  const audit = await commands.run(['audit', changed]);
  expect(audit.status).toBe(3);
  expect(audit.out).toContain('HASH DIFFERS');
  expect(audit.err).toMatch(/audit entry 2 \(tag, .*\) does not match its hash/);
});

it('previews files without a case, and with what a case has', async () => {
  const folder = mkdirAt('looked-at');
  writeFileSync(path.join(folder, 'a.log'), 'Mar  4 10:00:01 web sshd[1]: Connection closed\n');
  writeFileSync(
    path.join(folder, 'b.csv'),
    'when,source,target\n2026-03-04 10:00:00,192.0.2.1,192.0.2.2\n',
  );
  writeFileSync(path.join(folder, 'nothing.log'), '');
  const lines = ndjson<Record<string, unknown>>(
    await commands.run(['preview', folder, '--year', '2024', '--json']),
  );
  expect(lines).toMatchObject([
    {
      source: 'a.log',
      decisions: { year: 2024 },
      records: [{ ts: '2024-03-04T10:00:01.000000Z' }],
    },
    { source: 'b.csv' },
    { source: 'nothing.log', problem: expect.any(String) as string },
    { total: { sources: 3, left: 0 } },
  ]);
  const known = await commands.run(['preview', at('auth.log'), '--case', tagged]);
  expect(known.out).toContain('already in the case: source 1 (auth.log)');
  expect(known.status).toBe(0);
});

function mkdirAt(name: string): string {
  mkdirSync(at(name), { recursive: true });
  return at(name);
}

const missing = (program: string): string =>
  spawnSync(program, ['--version']).error === undefined ? '' : ` (skipped without ${program})`;

describe('help for shells', () => {
  it('completes commands and options in bash', async () => {
    writeFileSync(at('bash'), (await daybook(['completion', 'bash'])).out);
    const completed = (...words: string[]): string[] =>
      execFileSync('bash', [
        '-c',
        `. "$0"; COMP_WORDS=(daybook "$@"); COMP_CWORD=$#; _daybook; printf '%s\\n' "\${COMPREPLY[@]}"`,
        ...[at('bash'), ...words],
      ])
        .toString()
        .trim()
        .split('\n');
    expect(completed('que')).toEqual(['query']);
    expect(completed('query', '--li')).toContain('--limit');
    expect(completed('event', '--ra')).toEqual(['--raw']);
  });

  for (const shell of ['zsh', 'fish'])
    it.skipIf(missing(shell) !== '')(`is read by ${shell}${missing(shell)}`, async () => {
      writeFileSync(at(shell), (await commands.run(['completion', shell])).out);
      execFileSync(shell, ['-n', at(shell)]);
    });

  it('has every command and option in the manual page', async () => {
    const page = (await daybook(['man'])).out;
    const overview = (await commands.run(['--help'])).out;
    const names = [...overview.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(30);
    for (const name of names)
      expect(page).toMatch(new RegExp(`^\\.SS daybook ${name.replaceAll('-', '\\\\-')}`, 'm'));
    expect(page).toContain('.B \\-\\-fail\\-empty');
  });
});
