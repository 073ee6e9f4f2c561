/** Histories of shells and PowerShell transcripts: what they state, and what they do not. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { shellImporter } from './index.ts';

const sniffed = (text: string | Buffer, name = 'x'): string | undefined =>
  shellImporter.sniff(Buffer.from(text), { name, complete: true })?.format;
const collect = (
  text: string | Buffer,
  format = sniffed(text) ?? 'bash-history',
  timeZone?: string,
): Promise<Collected> =>
  collectInput(shellImporter, inputOf(Buffer.from(text)), { format, timeZone });
/** Second, whether it is inherited, and command. */
const told = ({ rows }: Collected): unknown[] =>
  rows.map((row) => [
    row['ts'] === undefined ? undefined : Number(row['ts']) / 1e6,
    (Number(row['ts_basis'] ?? 0) & TS_BASIS.inherited) !== 0,
    row['command'],
  ]);

describe('a history of Bash', () => {
  it('has times, and commands that state none', async () => {
    const text = 'early\n#1700000000\nwhoami\n\n#1700000005\nls -la\ncd /\n#1700000009\n';
    expect(sniffed(text)).toBe('bash-history');
    const got = await collect(text);
    expect(told(got)).toEqual([
      [undefined, false, 'early'],
      [1_700_000_000, false, 'whoami'],
      [1_700_000_005, false, 'ls -la'],
      [1_700_000_005, true, 'cd /'],
    ]);
    expect(got.skipped).toEqual({ 'blank line': 1, 'time without a command': 1 });
    expect(got.rows[1]).toMatchObject({
      ...{ kind: 'log', seq: 2, offset: 6, length: 18, ts_digits: 0 },
      ...{ message: 'whoami', category: 'process' },
    });
  });

  it.each([
    ['quotes', 'echo "one\ntwo" three'],
    ['single quotes', "awk '{ print $1\n}' x"],
    ['a backslash', 'wget \\\n  http://192.0.2.1/'],
  ])('has commands of several lines in %s', async (_, command) => {
    const got = await collect(`#1700000000\n${command}\nls\n#1700000001\nls\n`);
    expect(told(got).slice(0, 2)).toEqual([
      [1_700_000_000, false, command],
      [1_700_000_000, true, 'ls'],
    ]);
  });

  it.each(["echo \\' x", 'echo "a" \'b\'', "# don't", "echo a # it's", 'echo \\\\'])(
    'does not take the next command for a part of %s',
    async (command) => {
      const got = await collect(`#1700000000\n${command}\nls\n#1700000001\npwd\n`);
      expect(got.rows.map((row) => row['command'])).toEqual([command, 'ls', 'pwd']);
    },
  );

  it('without times is known by its name', async () => {
    const text = 'whoami\nls -la\n';
    expect(sniffed(text, 'home/alice/.bash_history')).toBe('bash-history');
    expect(sniffed(text, 'root/.zsh_history')).toBe('zsh-history');
    expect(sniffed(text, 'notes.txt')).toBeUndefined();
    expect(told(await collect(text))).toEqual([
      [undefined, false, 'whoami'],
      [undefined, false, 'ls -la'],
    ]);
  });
});

it('reads histories of zsh: durations, several lines, and bytes that it writes as two', async () => {
  // zsh escapes no byte of é (C3 A9), and the second of à (C3 A0).
  const accented = Buffer.from([0xc3, 0xa9, 0xc3, 0x83, 0x80]);
  const text = Buffer.concat([
    Buffer.from(
      ': 1700000000:0;ls\n: 1700000005:12;for i in 1; do\\\n echo $i\\\ndone\n: 1700000020:0;echo ',
    ),
    accented,
    Buffer.from('\npwd\n'),
  ]);
  const got = await collect(text);
  expect(told(got)).toEqual([
    [1_700_000_000, false, 'ls'],
    [1_700_000_005, false, 'for i in 1; do\n echo $i\ndone'],
    [1_700_000_020, false, 'echo éà'],
    [1_700_000_020, true, 'pwd'],
  ]);
  expect(got.rows[1]!.attrs).toEqual({ duration: '12' });
  expect(got.rows[1]).toMatchObject({ offset: 18, length: 46 });
});

it('reads histories of fish', async () => {
  const text =
    '- cmd: echo a\\nb \\\\\\\\n\n  when: 1700000000\n- cmd: cat a b\n  when: 1700000007\n  paths:\n    - a\n    - b\n- cmd: ls\n';
  const got = await collect(text);
  expect(told(got)).toEqual([
    [1_700_000_000, false, 'echo a\nb \\\\n'],
    [1_700_000_007, false, 'cat a b'],
    [undefined, false, 'ls'],
  ]);
  expect(got.rows[1]!.attrs).toEqual({ paths: 'a b' });
});

const STARS = '*'.repeat(22);
const HEADER = [
  ...[STARS, 'Windows PowerShell transcript start', 'Start time: 20261121101112'],
  ...['Username: CORP\\alice', 'RunAs User: CORP\\admin', 'Configuration Name: '],
  ...['Machine: PC1 (Microsoft Windows NT 10.0.19044.0)', 'Host Application: powershell.exe -nop'],
  ...['Process ID: 4321', 'PSVersion: 5.1', STARS, 'Transcript started'],
];
const START = Date.UTC(2026, 10, 21, 10, 11, 12) / 1000;

describe('a transcript of PowerShell', () => {
  const transcript = [
    ...[...HEADER, 'PS C:\\> whoami', 'corp\\alice', '', 'PS C:\\>', STARS, 'no time', STARS],
    ...[STARS, 'Command start time: 20261121101500', STARS, 'PS>Get-Process', 'a', 'b'],
    ...[STARS, 'Windows PowerShell transcript end', 'End time: 20261121102000', STARS, ''],
  ].join('\r\n');

  it('has its commands with what they print, in the zone of the machine', async () => {
    expect(sniffed(`\ufeff${transcript}`)).toBe('powershell-transcript');
    const got = await collect(transcript, undefined, '+01:00');
    const [at, decided] = [START - 3600, TS_BASIS.zoneDecided];
    expect(told(got)).toEqual([
      [at, false, undefined],
      [at, true, undefined],
      [at, true, 'whoami'],
      [at + 228, false, 'Get-Process'],
      [at + 528, false, undefined],
    ]);
    expect(got.rows.map((row) => row['ts_basis'])).toEqual([
      ...[decided, decided | TS_BASIS.inherited, decided | TS_BASIS.inherited, decided, decided],
    ]);
    for (const row of got.rows)
      expect(row).toMatchObject({ user: 'alice', user_domain: 'CORP', host: 'PC1' });
    expect(got.rows[0]).toMatchObject({ pid: 4321, process: 'powershell.exe -nop' });
    expect(got.rows[0]!.attrs).toEqual({ run_as: 'CORP\\admin' });
    expect(got.rows[2]!['message']).toContain('corp\\alice');
    expect(got.rows[2]!['message']).toContain('no time');
    expect(got.rows[3]!['message']).toMatch(/PS>Get-Process\na\nb$/);
    expect(got.decisions).toEqual({ tz: '+01:00', tzBasis: 'given' });
  });

  it('says which time it has where a date is none', async () => {
    const odd = transcript.replace('20261121101500', '20261399101500');
    expect(told(await collect(odd)).map((row) => (row as unknown[])[0])).toEqual([
      ...[START, START, START, START, START + 528],
    ]);
  });
});

it('loses no line, wherever the content ends, and whatever the blocks are', async () => {
  const texts = [
    '#1700000000\necho "a\nb"\n#1700000003\nls\n',
    ': 1700000000:0;ls \\\n x\n: 1700000001:1;pwd\n',
    '- cmd: ls\n  when: 1700000000\n- cmd: pwd\n  when: 1700000001\n',
    [...HEADER, 'PS C:\\> whoami', 'x', STARS, 'Command start time: 20261121101500', STARS].join(
      '\n',
    ),
  ];
  for (const text of texts) {
    const format = sniffed(text)!;
    const whole = await collectInput(shellImporter, inputOf(Buffer.from(text)), { format });
    for (const size of [1, 7]) {
      const input = inputOf(Buffer.from(text), 'x', size);
      expect(await collectInput(shellImporter, input, { format })).toEqual(whole);
    }
    for (let end = 1; end < text.length; end++) {
      const part = text.slice(0, end);
      const { rows } = await collect(part, format);
      // Each line but times and blank ones is in a record.
      const covered = rows.map((row) =>
        part.slice(Number(row['offset']), Number(row['offset']) + Number(row['length'])),
      );
      const left = covered.reduce((rest, piece) => rest.replace(piece, ''), part);
      expect(left.replace(/^#\d+$|^- ?c?m?d?:?$/gm, '').trim()).toBe('');
    }
  }
});

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const REAL = path.join(SHARED, 'data/syslog/plaso');

describe.skipIf(!existsSync(REAL))('real files (skipped without the shared evidence)', () => {
  it.each([
    ['bash_history', 4, 4],
    ['bash_history_desync', 5, 4],
    ['zsh_extended_history.txt', 4, 4],
    ['powershell_transcript.txt', 3, 3],
    ['powershell_transcript_ger.txt', 9, 9],
  ])('%s', async (name, commands, dated) => {
    const { rows, quarantined } = await collect(readFileSync(path.join(REAL, name)));
    expect([rows.length, rows.filter((row) => row['ts'] !== undefined).length]).toEqual([
      ...[commands, dated],
    ]);
    expect(quarantined).toEqual([]);
  });
});
