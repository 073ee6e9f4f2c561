/**
 * Files that commands write: no output replaces evidence, a case or an input; an existing file needs `--force`; a
 * failure leaves nothing behind. And the JSON of every shape of answer, validated against its schema.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonDocument } from '../../engine/contract/wire/json-document.ts';
import { assertClearMessage, Commands, daybook, json, ndjson, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
const at = (...names: string[]): string => path.join(space.folder, ...names);
const CASE = at('case.daybook');
const OTHER = at('other.daybook');
const LOG = at('evidence/auth.log');
const JSON_LOG = at('evidence/records.json');
const LIST = at('list.txt');

beforeAll(async () => {
  mkdirSync(at('evidence'));
  mkdirSync(at('out'));
  const lines = Array.from(
    { length: 50 },
    (_, i) => `2026-03-01T10:00:${String(i).padStart(2, '0')}Z web1 sshd[${i}]: accepted u${i % 3}`,
  );
  writeFileSync(LOG, `${lines.join('\n')}\n`);
  writeFileSync(
    JSON_LOG,
    Array.from({ length: 5 }, (_, i) =>
      JSON.stringify({
        '@timestamp': `2026-03-01T11:00:0${i}.123456789Z`,
        ...{ code: 200 + i, zip: '007', ok: i === 0, names: ['a', `b${i}`], user: `u${i}` },
      }),
    ).join('\n') + '\n',
  );
  writeFileSync(LIST, 'u1\nnowhere\n');
  for (const folder of [CASE, OTHER]) {
    const made = await daybook(['import', folder, at('evidence'), '--recursive']);
    expect(made.status, made.err).toBe(0);
  }
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

describe('an output replaces nothing that matters', () => {
  const link = at('link.csv');
  const copy = at('copy-of-evidence.csv');
  const outside = at('out/there.csv');
  beforeAll(() => {
    symlinkSync(LOG, link);
    copyFileSync(LOG, copy);
    writeFileSync(outside, 'mine\n');
  });
  const query = ['query', CASE, 'accepted', '--format', 'csv'];
  const listed = [...query, '--list', LIST];
  const refused: [string, string[], string, RegExp][] = [
    ['evidence', [...query, '--out', LOG], LOG, /evidence of this case/],
    ['evidence, by a link', [...query, '--out', link], LOG, /evidence of this case/],
    ['evidence that lies elsewhere now', [...query, '--out', copy], copy, /evidence of this case/],
    ['the catalog', [...query, '--out', path.join(CASE, 'case.sqlite')], LOG, /inside the case/],
    [
      'a new file in the case',
      [...query, '--out', path.join(CASE, 'x.csv')],
      LOG,
      /inside the case/,
    ],
    ['another case', [...query, '--out', path.join(OTHER, 'days/x.csv')], LOG, /inside the case/],
    ['the list', [...listed, '--out', LIST], LIST, /input of this command/],
    ['the list, with its unmatched lines', [...listed, '--list-unmatched', LIST], LIST, /input/],
    ['evidence, with unmatched lines', [...listed, '--list-unmatched', LOG], LOG, /evidence/],
    ['what a scan reads', ['scan', LOG, '*', '--out', LOG], LOG, /input of this command/],
    ['evidence, by a report', ['report', CASE, '--out', LOG], LOG, /evidence of this case/],
  ];
  it.each(refused)('%s', async (_, args, file, message) => {
    const before = readFileSync(file);
    const catalog = readFileSync(path.join(CASE, 'case.sqlite'));
    for (const force of [[], ['--force']]) {
      const outcome = await commands.run([...args, ...force]);
      expect(outcome.status, outcome.err).toBe(2);
      expect(outcome.err).toMatch(message);
      assertClearMessage(outcome.err);
      expect(readFileSync(file)).toEqual(before);
      expect(readFileSync(path.join(CASE, 'case.sqlite')).length).toBe(catalog.length);
    }
    expect(readdirSync(path.join(OTHER, 'days')).filter((name) => name === 'x.csv')).toEqual([]);
  });

  it.each([
    ['query', [...query, '--out', outside]],
    ['report', ['report', CASE, '--out', outside]],
    ['unmatched lines', [...listed, '--list-unmatched', outside]],
  ])('another existing file needs --force: %s', async (_, args) => {
    writeFileSync(outside, 'mine\n');
    const refusal = await commands.run(args);
    expect(refusal.status).toBe(2);
    expect(refusal.err).toMatch(/exists already\n.*--force/);
    expect(readFileSync(outside, 'utf8')).toBe('mine\n');
    const forced = await commands.run([...args, '--force']);
    expect(forced.status, forced.err).toBe(0);
    expect(readFileSync(outside, 'utf8')).not.toBe('mine\n');
  });

  it('a file that fails is not there, nor anything beside it', async () => {
    for (const args of [
      ['query', CASE, 'nofield:x', '--out', at('out/failed.csv')],
      ['query', CASE, '*', '--out', at('nowhere/failed.csv')],
    ]) {
      const outcome = await commands.run(args);
      expect(outcome.status).not.toBe(0);
    }
    expect(readdirSync(at('out')).filter((name) => name !== 'there.csv')).toEqual([]);
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});

describe('standard output', () => {
  it('--out - is standard output, for Parquet too', async () => {
    const csv = await daybook(['query', CASE, 'user:u1', '--format', 'csv', '--out', '-']);
    expect(csv.status, csv.err).toBe(0);
    expect(csv.out.split('\n')[0]?.split(',')).toContain('user');
    const parquet = await daybook(['query', CASE, 'accepted', '--format', 'parquet', '--out', '-']);
    expect(parquet.status, parquet.err).toBe(0);
    expect(parquet.out.slice(0, 4)).toBe('PAR1');
    expect(existsSync('-')).toBe(false);
  });

  it('a count is a number for scripts', async () => {
    const lines = Array.from({ length: 1500 }, (_, i) => `2026-03-02T10:00:00Z h p: n${i}`);
    writeFileSync(at('many.log'), `${lines.join('\n')}\n`);
    expect((await commands.run(['scan', at('many.log'), '* | count'])).out).toBe('1500\n');
    expect((await commands.run(['count', CASE, 'accepted'])).out).toBe('50\n');
  });
});

describe('JSON', () => {
  const shapes: [string, string][] = [
    ['count', '* | count'],
    ['top', '* | top 2 program'],
    ['timeline', 'kind:log | timeline 1h'],
    ['timeline', 'kind:log | timeline 1h by host'],
    ['timeline', 'nothing_like_it | timeline'],
    ['stats', '* | stats count() as n, max(ts) by host'],
    ['values', 'code:* | values code'],
    ['top', '* | patterns 3'],
    ['values', '* | values host | head 1'],
  ];
  it.each(shapes)('%s has the envelope: %s', async (shape, text) => {
    for (const args of [
      ['query', CASE, text, '--json'],
      ['query', CASE, text, '--format', 'json'],
      ['scan', LOG, text.replace('code', 'host'), '--json'],
    ]) {
      // A scan that cannot answer says so, and prints no document.
      const outcome = await commands.run(args);
      if (args[0] === 'scan' && outcome.status === 2) continue;
      expect(outcome.status, outcome.err).toBe(0);
      const document = jsonDocument.parse(json(outcome));
      if (!text.includes('head')) expect(document.shape).toBe(shape);
      const names = new Set(document.rows.flatMap((row) => Object.keys(row)));
      for (const name of names) expect(document.columns).toContain(name);
    }
  });

  it('events have it in --format json, and are one a line under --json', async () => {
    const text = 'code:* | sort code';
    const whole = await commands.run(['query', CASE, text, '--format', 'json']);
    const document = jsonDocument.parse(json(whole));
    expect(document).toMatchObject({ shape: 'rows', notes: [] });
    expect(document.columns).toContain('attrs.code');
    expect(ndjson(await commands.run(['query', CASE, text, '--json']))).toEqual(document.rows);
  });

  it('numbers, truth values and arrays of attributes are no text; what they would change stays text', async () => {
    const [first] = ndjson(await commands.run(['query', CASE, 'code:200', '--format', 'ndjson']));
    expect(first).toMatchObject({
      ts: '2026-03-01T11:00:00.123456789Z',
      user: 'u0',
      attrs: { code: 200, zip: '007', ok: true, names: ['a', 'b0'] },
    });
    const { rows } = json<{ rows: unknown[] }>(
      await commands.run(['query', CASE, 'code:200 | values code', '--json']),
    );
    expect(rows).toEqual([{ code: 200, count: 1 }]);
  });

  it('what a query names and is not there is wrong use', async () => {
    for (const text of ['source:none.log', 'tag:none', 'nofield:x', 'kind:none'])
      expect((await commands.run(['count', CASE, text])).status, text).toBe(2);
  });
});
