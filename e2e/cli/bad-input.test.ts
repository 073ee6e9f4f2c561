/**
 * Mistakes and failures, through the command line: files that cannot be read, a full disk, folders that are not
 * cases, two writers, damage, ctrl-C, overlapping evidence.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, generateEvidence } from '../../fixtures/generate.ts';
import {
  Commands,
  daybook,
  assertClearMessage,
  json,
  ledgerLines,
  ndjson,
  scratch,
  start,
  type Outcome,
  listening,
  until,
} from './harness.ts';

const { folder, remove } = scratch();
const commands = new Commands();
const at = (...names: string[]): string => path.join(folder, ...names);

/** A small case that tests may copy and damage. */
const WHOLE = at('whole.daybook');
let events = 0;

beforeAll(async () => {
  const { byKind } = generateEvidence(folder, 0.05, 7);
  events = eventsOf(byKind);
  // A segment for each day, so that damage to one does not affect other days.
  const outcome = await daybook(['import', WHOLE, at('evidence'), '--recursive', '--jobs', '1'], {
    env: { DAYBOOK_DENSE_ROWS: '1' },
  });
  expect(outcome.status, outcome.err).toBe(0);
});
afterAll(async () => {
  await commands.close();
  remove();
});

const count = async (name: string, query: string): Promise<number> => {
  const outcome = await commands.run(['count', name, query, '--json']);
  expect(outcome.status, outcome.err).toBe(0);
  return json<{ count: number }>(outcome).count;
};

/** Failed with a message that matches `what`, and without a stack trace. */
function failsClearly(outcome: Outcome, what: RegExp, status = 1): void {
  expect(outcome.err).toMatch(what);
  assertClearMessage(outcome.err);
  expect(outcome.status, outcome.err).toBe(status);
}

/** Bytes of no format. */
const junk = Buffer.from(Array.from({ length: 5000 }, (_, i) => ((i * i * 31) ^ (i >> 3)) & 255));

/** Distinct lines of a log. */
const lines = (from: number, to: number): string => {
  let text = '';
  for (let n = from; n < to; n++)
    text += `<38>1 2026-03-04T10:00:${String(n % 60).padStart(2, '0')}Z gate app ${n} - - event ${n}\n`;
  return text;
};

function importing(name: string, ...args: string[]): Promise<Outcome> {
  return commands.run(['import', at(name), ...args, '--json']);
}

it('says what is wrong in JSON where JSON is asked for', async () => {
  const nowhere = at('nowhere.daybook');
  for (const [args, code, status] of [
    [['query', nowhere, '*', '--json'], 'not-a-case', 1],
    [['query', nowhere, '*', '--format', 'json'], 'not-a-case', 1],
    [['query', WHOLE, 'host:', '--json'], 'query-syntax', 2],
    [['query', WHOLE, 'nothing_has_this:1', '--json'], 'unknown-field', 2],
    [['query', WHOLE, '*', '--json', '--no-such'], 'usage', 2],
    [['scan', at('nothing.log'), '--json'], 'not-found', 1],
    [['verify', nowhere, '--json'], 'not-a-case', 1],
  ] as const) {
    const outcome = await commands.run(args);
    expect(outcome).toMatchObject({ status, out: '' });
    const { error } = JSON.parse(outcome.err) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\w/) as string });
  }
  // After `--` it is part of the query.
  const plain = await daybook(['query', nowhere, '--', '--json']);
  expect(plain.err).toMatch(/^daybook: .* is not a Daybook case/);
});

describe('files that are not what they should be', () => {
  it('judges by content, names what it passes over and follows no link', async () => {
    const mixed = at('mixed');
    mkdirSync(path.join(mixed, 'below'), { recursive: true });
    copyFileSync(at('evidence/syslog/auth.log'), path.join(mixed, 'a-log.pcap'));
    copyFileSync(at('evidence/flows/conn.log'), path.join(mixed, 'b-table.zip'));
    copyFileSync(at('evidence/capture/files01.pcapng'), path.join(mixed, 'c-capture.log'));
    copyFileSync(at('evidence/syslog/fw01.log'), path.join(mixed, 'below/fw01.log'));
    writeFileSync(path.join(mixed, 'empty.log'), '');
    writeFileSync(path.join(mixed, 'junk.bin'), junk);
    symlinkSync('a-log.pcap', path.join(mixed, 'link-in'));
    symlinkSync(at('evidence/syslog/fw01.log'), path.join(mixed, 'link-out'));
    symlinkSync('nowhere', path.join(mixed, 'link-to-nothing'));
    execFileSync('mkfifo', [path.join(mixed, 'pipe')]);
    const outcome = await importing('mixed.daybook', mixed);
    expect(outcome.status, outcome.err).toBe(0);
    const said = new Map(
      ledgerLines(outcome).sources.map((line) => [line.source, line.message ?? line.dialect]),
    );
    expect(Object.fromEntries(said)).toEqual({
      'a-log.pcap': 'rfc3164',
      'b-table.zip': 'zeek-tsv',
      'c-capture.log': 'pcapng',
      below: 'a folder (--recursive also reads subfolders)',
      'empty.log': 'empty',
      'junk.bin': 'no importer recognises this content',
      'link-in': 'symbolic link to something in the folder',
      'link-out': 'symbolic link out of the folder',
      'link-to-nothing': 'symbolic link to nothing',
      pipe: 'named pipe',
    });
    expect(outcome.err).toContain(
      '1 folder in what was named was not read: --recursive reads it, too',
    );
  });

  it.each([
    [
      'an empty file',
      (file: string) => writeFileSync(file, ''),
      /nothing could be imported\n.*: empty\n$/,
    ],
    [
      'binary junk',
      (file: string) => writeFileSync(file, junk),
      /no importer recognises this content\n {2}if you know the format, give it with --format/,
    ],
    [
      'a database',
      (file: string) =>
        writeFileSync(file, Buffer.concat([Buffer.from('SQLite format 3\0'), junk])),
      /an SQLite database; convert it first: .*\n$/,
    ],
    ['an empty folder', (file: string) => mkdirSync(file), /no file to import/],
    [
      'a folder of folders',
      (file: string) => mkdirSync(path.join(file, 'below'), { recursive: true }),
      /nothing could be imported[^]* --recursive also reads the subfolders/,
    ],
  ])('%s alone is a failure that is said', async (name, make, what) => {
    const file = at(`alone-${name.replaceAll(' ', '-')}`);
    make(file);
    failsClearly(await commands.run(['import', `${file}.daybook`, file]), what);
  });

  it('reads a named pipe that is named', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const running = start(['import', at('pipe.daybook'), at('pipe'), '--json']);
    running.child.stdin.end();
    spawn('sh', ['-c', `cat "${at('evidence/syslog/auth.log')}" > "${at('pipe')}"`]);
    const outcome = await running.outcome;
    expect(outcome.status, outcome.err).toBe(0);
    expect(ledgerLines(outcome).total.total.stored).toBeGreaterThan(0);
  });

  it('a truncated capture: all whole packets, the tail in quarantine, the offset, status 3', async () => {
    const file = at('cut.pcap');
    copyFileSync(at('evidence/capture/bastion01.pcap'), file);
    truncateSync(file, 50_021);
    const bytes = readFileSync(file);
    let whole = 0;
    let offset = 24;
    while (
      offset + 16 <= bytes.length &&
      offset + 16 + bytes.readUInt32LE(offset + 8) <= bytes.length
    ) {
      offset += 16 + bytes.readUInt32LE(offset + 8);
      whole += 1;
    }
    const outcome = await importing('cut.daybook', file);
    expect(outcome.status).toBe(3);
    const [line] = ledgerLines(outcome).sources;
    expect(line).toMatchObject({ read: whole + 1, stored: whole, quarantined: 1 });
    expect(line!.notes!.join()).toContain(`ends at offset ${bytes.length}`);
    expect(line!.notes!.join()).toContain(`starts at offset ${offset}`);
    const [name] = readdirSync(at('cut.daybook/quarantine'));
    const kept = JSON.parse(readFileSync(at('cut.daybook/quarantine', name!), 'utf8')) as {
      offset: number;
      raw: string;
    };
    expect(kept.offset).toBe(offset);
    expect(Buffer.from(kept.raw, 'base64').equals(bytes.subarray(offset))).toBe(true);
  });

  it('a truncated .gz: whole lines up to there, status 3, and the place in the ledger', async () => {
    const packed = gzipSync(lines(0, 3000));
    writeFileSync(at('cut.gz'), packed.subarray(0, packed.length >> 1));
    const outcome = await importing('cut-gz.daybook', at('cut.gz'));
    const [line] = ledgerLines(outcome).sources;
    expect(line!.stored).toBeGreaterThan(500);
    expect(line!.stored).toBeLessThan(3000);
    expect(line!).toMatchObject({ status: 'partial', broken: { state: 'partial', checked: 0 } });
    expect(outcome.status).toBe(3);
    const again = await importing('cut-gz.daybook', at('cut.gz'));
    expect(again.status).toBe(3);
    writeFileSync(at('cut.gz'), packed);
    const rest = await importing('cut-gz.daybook', at('cut.gz'));
    expect(rest.status).toBe(0);
    expect(ledgerLines(rest).sources[0]).toMatchObject({
      status: 'complete',
      stored: 3000 - line!.stored,
      duplicate: line!.stored,
    });
  });
});

/** Runs as an unprivileged user; undefined where that is not possible. */
const asNobody = (() => {
  const prefix = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  try {
    execFileSync('setpriv', [...prefix, process.execPath, '--version'], { stdio: 'ignore' });
    execFileSync('setpriv', [...prefix, 'test', '-r', import.meta.filename], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return (...args: string[]): Promise<Outcome> =>
    new Promise((done) => {
      const entry = path.resolve(import.meta.dirname, '../../app/cli/daybook.mjs');
      const child = spawn('setpriv', [...prefix, process.execPath, entry, ...args]);
      let out = '';
      let err = '';
      child.stdout.on('data', (part: Buffer) => (out += part.toString()));
      child.stderr.on('data', (part: Buffer) => (err += part.toString()));
      child.on('close', (status) => done({ status, out, err }));
    });
})();

describe.skipIf(asNobody === undefined)(
  'without permission (skipped where no other user can be taken on)',
  () => {
    it('names a file that cannot be read, reads the others, and fails', async () => {
      mkdirSync(at('locked'));
      mkdirSync(at('open'));
      writeFileSync(at('locked/no.log'), lines(0, 9));
      writeFileSync(at('locked/yes.log'), lines(9, 20));
      chmodSync(at('locked/no.log'), 0o000);
      chmodSync(folder, 0o755);
      chmodSync(at('open'), 0o777);
      const outcome = await asNobody!('import', at('open/a.daybook'), at('locked'));
      failsClearly(outcome, /1 of 2 sources could not be read/);
      expect(outcome.out).toMatch(/no\.log: failed: .*permission denied/);
      expect(outcome.out).toMatch(/yes\.log: rfc5424.*stored 11/);
    });

    it('queries and verifies a case that it may not write', async () => {
      chmodSync(folder, 0o755);
      // Cases are private: their owner opens them to others.
      const hidden = await asNobody!('count', WHOLE, 'kind:*', '--json');
      expect(hidden.status).not.toBe(0);
      execFileSync('chmod', ['-R', 'go+rX', WHOLE]);
      const found = await asNobody!('count', WHOLE, 'kind:*', '--json');
      expect(found.status, found.err).toBe(0);
      expect(json<{ count: number }>(found).count).toBe(events);
      expect((await asNobody!('verify', WHOLE)).status).toBe(0);
      failsClearly(await asNobody!('tag', WHOLE, 'sshd', 'x'), /cannot be written/);
    });
  },
);

describe('cases that are none, or not whole', () => {
  it.each([
    ['a missing folder', () => undefined, /is not a Daybook case/],
    ['a file', (name: string) => writeFileSync(name, 'letter'), /not a/i],
    [
      'a folder with other files',
      (name: string) => {
        mkdirSync(name);
        writeFileSync(path.join(name, 'letter.txt'), 'Dear reader');
      },
      /is not a Daybook case/,
    ],
    [
      'a catalog that is garbage',
      (name: string) => {
        cpSync(WHOLE, name, { recursive: true });
        writeFileSync(path.join(name, 'case.sqlite'), Buffer.alloc(20_000, 0x5a));
      },
      /catalog .*cannot be read/,
    ],
    [
      'a catalog that is cut short',
      (name: string) => {
        cpSync(WHOLE, name, { recursive: true });
        truncateSync(path.join(name, 'case.sqlite'), 9000);
      },
      /catalog .*cannot be read/,
    ],
    [
      'a catalog that is empty',
      (name: string) => {
        cpSync(WHOLE, name, { recursive: true });
        truncateSync(path.join(name, 'case.sqlite'), 0);
      },
      /catalog .*is empty, but there are segments/,
    ],
    [
      'a case of a newer Daybook',
      (name: string) => {
        cpSync(WHOLE, name, { recursive: true });
        // user_version, at its place in SQLite's file format.
        const file = openSync(path.join(name, 'case.sqlite'), 'r+');
        writeSync(file, Buffer.from([0, 0, 3, 0xe7]), 0, 4, 60);
        closeSync(file);
      },
      /was written by a newer Daybook \(catalog version 999/,
    ],
  ])('%s: refused in words, and left alone', async (name, make, what) => {
    const target = at(`none-${name.replaceAll(' ', '-')}`);
    make(target);
    const before = name === 'a missing folder' || name === 'a file' ? [] : listing(target);
    for (const args of [
      ['count', target, '*'],
      ['verify', target],
    ])
      failsClearly(await commands.run(args), what);
    if (name === 'a missing folder') return;
    failsClearly(
      await commands.run(['import', target, at('evidence/syslog/auth.log')]),
      /not a|is empty|cannot be read|newer Daybook/,
    );
    if (name !== 'a file') expect(listing(target)).toEqual(before);
  });

  it.each([
    ['missing', (file: string) => rmSync(file), /is missing/],
    ['cut short', (file: string) => truncateSync(file, 6000), /segment .* has 6000 bytes/],
    [
      'another size',
      (file: string) => writeFileSync(file, Buffer.alloc(30_000, 0x33)),
      /segment .* has 30000 bytes/,
    ],
    [
      'other bytes',
      (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size, 0x33)),
      /segment .* is not the file that was written/,
    ],
  ])(
    'a segment that is %s: verify finds it, queries and changes say so',
    async (name, harm, what) => {
      const target = at(`segment-${name.replaceAll(' ', '-')}.daybook`);
      cpSync(WHOLE, target, { recursive: true });
      const day = path.join(target, 'days/2026-10-13');
      for (const file of readdirSync(day)) harm(path.join(day, file));
      const verified = await commands.run(['verify', target]);
      expect(verified.status).toBe(1);
      expect(verified.out).toMatch(/error: segment days\/2026-10-13/);
      failsClearly(await commands.run(['query', target, 'sshd', '--format', 'ndjson']), what);
      failsClearly(await commands.run(['top', target, 'src_ip', 'kind:flow']), what);
      failsClearly(
        await commands.run(['retime', target, 'syslog/auth.log.1', '--tz', '+01:00']),
        what,
      );
      // Other days are not concerned.
      const other = await commands.run(['count', target, 'sshd', '--from', '2026-10-15', '--json']);
      expect(other.status, other.err).toBe(0);
      expect(json<{ count: number }>(other).count).toBeGreaterThan(0);
    },
  );
});

/** Names and sizes below a folder. */
function listing(target: string): string[] {
  return readdirSync(target, { recursive: true })
    .map(String)
    .filter((name) => !/writer\.lock|sqlite-(wal|shm)|^staging/.test(name))
    .sort();
}

describe('two writers', () => {
  it('the second is told who writes and since when; the first finishes', async () => {
    const first = start(['import', at('two.daybook'), '-', '--json']);
    await until(() => readdirSync(folder).includes('two.daybook') && locked());
    const second = await importing('two.daybook', at('evidence/syslog/auth.log'));
    failsClearly(
      second,
      new RegExp(
        `being written by process ${first.child.pid} on .* \\(import, since 20\\d\\d-\\d\\d-\\d\\dT`,
      ),
    );
    failsClearly(
      await commands.run(['tag', at('two.daybook'), '*', 'x']),
      /being written by process/,
    );
    first.child.stdin.end(lines(0, 50));
    const done = await first.outcome;
    expect(done.status, done.err).toBe(0);
    expect(await count(at('two.daybook'), 'kind:*')).toBe(50);
    // And the lock is free again.
    expect((await importing('two.daybook', at('evidence/syslog/auth.log'))).status).toBe(0);
  });

  /** The first holds the lock once its staging folder is there. */
  const locked = () => readdirSync(at('two.daybook')).includes('staging');
});

const mounted = (() => {
  try {
    mkdirSync(at('probe'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at('probe')], {
      stdio: 'ignore',
    });
    execFileSync('umount', [at('probe')]);
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!mounted)('a full disk (skipped where no file system may be mounted)', () => {
  const disk = at('disk');
  let want: Awaited<ReturnType<typeof contents>>;
  beforeAll(async () => {
    mkdirSync(disk);
    want = await contents(WHOLE);
  });

  /** From no room for a catalog to room for a part of the import. */
  it.each(['8k', '700k', '1m'])(
    '%s: says so, and the same command goes on when there is room',
    async (size) => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
      try {
        const args = [
          'import',
          path.join(disk, 'c.daybook'),
          at('evidence'),
          '--recursive',
          '--jobs',
          '1',
        ];
        const env = { DAYBOOK_CHUNK_ROWS: '2000' };
        failsClearly(await daybook(args, { env }), /disk is full[\s\S]*try again/);
        execFileSync('mount', ['-o', 'remount,size=200m', disk]);
        if (size.endsWith('m')) {
          const verified = await commands.run(['verify', path.join(disk, 'c.daybook'), '--json']);
          expect(json<object>(verified)).toMatchObject({ case: { intact: true } });
        }
        const resumed = await daybook(args, { env });
        expect(resumed.status, resumed.err).toBe(0);
        expect(await contents(path.join(disk, 'c.daybook'))).toEqual(want);
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});

describe.skipIf(!existsSync('/dev/full'))('results that cannot be written', () => {
  it.each([
    ['count', WHOLE, '*'],
    ['query', WHOLE, 'kind:*', '--format', 'ndjson'],
    ['import', at('no-output.daybook'), at('evidence/syslog'), '--json'],
  ])('%s: says so and fails', async (...args) => {
    const entry = path.resolve(import.meta.dirname, '../../app/cli/daybook.mjs');
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', full, 'pipe'] });
    let err = '';
    child.stderr!.on('data', (part: Buffer) => (err += part.toString()));
    const status = await new Promise<number | null>((done) => child.on('close', done));
    closeSync(full);
    failsClearly({ status, out: '', err }, /standard output cannot be written: .*ENOSPC/);
  });

  it.each(['csv', 'ndjson', 'json', 'table', 'parquet'])('--out as %s', async (format) => {
    const outcome = await commands.run([
      ...['query', WHOLE, 'kind:*', '--format', format],
      ...['--out', format === 'parquet' ? at('no-such-folder/x') : '/dev/full'],
    ]);
    assertClearMessage(outcome.err);
    expect(outcome.status).toBe(1);
  });
});

/** Every event but its identity, sorted, and the ledgers. */
async function contents(name: string): Promise<{ rows: string[]; sources: unknown }> {
  const rows = await commands.run(['query', name, 'kind:*', '--format', 'ndjson']);
  expect(rows.status, rows.err).toBe(0);
  const sources = await commands.run(['sources', name, '--json']);
  return {
    rows: rows.out.split('\n').sort(),
    sources: json<Record<string, unknown>[]>(sources).map(
      ({ source, read, stored, duplicate, quarantined, skipped, byKind, sha256, status }) => ({
        ...{ source, read, stored, duplicate, quarantined, skipped, byKind, sha256, status },
      }),
    ),
  };
}

describe('ctrl-C', () => {
  const BIG = 600_000;
  beforeAll(() => {
    const file = openSync(at('big.log'), 'w');
    for (let n = 0; n < BIG; n += 10_000) writeSync(file, lines(n, n + 10_000));
    closeSync(file);
  });

  it('in an import: 130, a message, what was committed stays, the same command goes on', async () => {
    const args = ['import', at('big.daybook'), at('big.log'), '--json'];
    const running = start(args, { env: { DAYBOOK_CHUNK_ROWS: '50000' } });
    running.child.stdin.end();
    await until(() => {
      try {
        return readdirSync(at('big.daybook/days')).length > 0;
      } catch {
        return false;
      }
    });
    running.child.kill('SIGINT');
    const outcome = await running.outcome;
    expect(outcome.err).toMatch(/cancelled; what was committed is in the case/);
    expect(outcome.status).toBe(130);
    const there = await count(at('big.daybook'), '*');
    expect(there).toBeLessThan(BIG);
    // The case is intact; its source was not read to its end.
    expect((await commands.run(['verify', at('big.daybook')])).status).toBe(3);
    const resumed = await daybook(args);
    expect(resumed.status, resumed.err).toBe(0);
    expect(ledgerLines(resumed).total.total).toMatchObject({ read: BIG, stored: BIG });
    expect(await count(at('big.daybook'), '*')).toBe(BIG);
  });

  it.each([
    [
      'a query that counts',
      [
        'count',
        'CASE',
        ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
          .map((letter) => `message:/(e+v+)+.*(n+t+)+.*${letter}[xyz]{3}$/`)
          .join(' OR '),
        // Otherwise the shapes of the messages show at once that none matches.
        '--path',
        'scan',
      ],
    ],
    [
      'a query that groups',
      ['top', 'CASE', 'message', 'message:/(e+v+)+.*(n+t+)+/', '--path', 'scan'],
    ],
    ['a query that prints', ['query', 'CASE', '*', '--format', 'ndjson']],
    ['a verification', ['verify', 'CASE']],
  ])('in %s: 130, soon', async (_, args) => {
    const { env, isListening } = listening(folder);
    const running = start(
      args.map((arg) => (arg === 'CASE' ? at('big.daybook') : arg)),
      // One thread, to make it slow enough.
      { env: { DAYBOOK_THREADS: '1', ...env } },
    );
    running.child.stdin.end();
    let over = false;
    void running.outcome.then(() => (over = true));
    await until(() => over || isListening(running.child.pid));
    await until(() => over || isReading(running.child.pid!));
    if (over) return expect.fail('it ended before it could be interrupted');
    running.child.kill('SIGINT');
    const outcome = await running.outcome;
    expect(outcome.status, outcome.err).toBe(130);
    expect(outcome.err).toContain('cancelled');
  });

  /** Whether it has a segment or the evidence open; where that cannot be determined, assumes so. */
  function isReading(pid: number): boolean {
    if (process.platform !== 'linux') return true;
    const open = `/proc/${pid}/fd`;
    return readdirSync(open).some((fd) => {
      try {
        return /[.]duckdb$|big[.]log$/.test(readlinkSync(path.join(open, fd)));
      } catch {
        // It was closed after the folder was listed.
        return false;
      }
    });
  }
});

describe('evidence that overlaps', () => {
  const ledger = async (name: string, ...files: string[]) => {
    const outcome = await importing(name, ...files, '--jobs', '1');
    expect(outcome.status, outcome.err).toBe(0);
    return ledgerLines(outcome).sources.map(({ source, read, stored, duplicate, status }) => ({
      ...{ source, read, stored, duplicate, status },
    }));
  };

  it('the same file again, and under another name in the same import', async () => {
    mkdirSync(at('twice'));
    writeFileSync(at('twice/a.log'), lines(0, 100));
    writeFileSync(at('twice/b.log'), lines(0, 100));
    expect(await ledger('twice.daybook', at('twice'))).toEqual([
      { source: 'a.log', read: 100, stored: 100, duplicate: 0, status: 'complete' },
      { source: 'b.log', read: 100, stored: 0, duplicate: 100, status: 'duplicate' },
    ]);
    const again = await ledger('twice.daybook', at('twice'));
    expect(again.map(({ stored, duplicate }) => [stored, duplicate])).toEqual([
      [0, 100],
      [0, 100],
    ]);
    expect(await count(at('twice.daybook'), '*')).toBe(100);
  });

  it('says so when the same file is given with other options; a field that is none is refused', async () => {
    const table = at('mapped.csv');
    writeFileSync(table, 'From,To,When\n10.0.0.1,10.0.0.2,2026-01-02 03:04:05\n'.padEnd(80, '\n'));
    const mapped = ['import', at('mapped.daybook'), table, '--map'];
    failsClearly(await commands.run([...mapped, 'srcip=From']), /unknown field: "srcip"/, 2);
    expect(existsSync(at('mapped.daybook'))).toBe(false);
    const loose = await daybook([...mapped, 'src_ip=from,dst_ip=To,attrs.at=Wen']);
    expect(loose.out.match(/names a column that is not here: .*/g)).toEqual([
      'names a column that is not here: Wen',
    ]);
    const again = await commands.run([...mapped, 'src_ip=To,dst_ip=From']);
    expect(again.out).toMatch(
      /identical to source 1 .*nothing stored; it was read with other options/,
    );
  });

  it('verification reads sources in archives back', async () => {
    const log = at('member.log');
    writeFileSync(log, 'Oct 11 22:14:15 host su: one\n');
    execFileSync('tar', ['-cf', at('members.tar'), '-C', folder, 'member.log']);
    await commands.run(['import', at('members.daybook'), at('members.tar')]);
    const verified = await commands.run(['verify', at('members.daybook')]);
    expect(verified.status, verified.err).toBe(0);
    expect(verified.out).toContain('The evidence is unchanged: 1 file.');
    expect(verified.out).toContain('1 event of 1 source equals the evidence in every field.');
    const archive = readFileSync(at('members.tar'));
    archive.write('two', archive.indexOf('one'));
    writeFileSync(at('members.tar'), archive);
    const changed = await commands.run(['verify', at('members.daybook')]);
    expect(changed.status).not.toBe(0);
    expect(changed.out).toMatch(/^The case is intact/m);
    expect(changed.out).toMatch(/1 file changed/);
  });

  it('a log that grows: only what is new is stored', async () => {
    mkdirSync(at('grow'));
    writeFileSync(at('grow/app.log'), lines(0, 100));
    await ledger('grow.daybook', at('grow'));
    appendFileSync(at('grow/app.log'), lines(100, 130));
    expect(await ledger('grow.daybook', at('grow'))).toEqual([
      { source: 'app.log', read: 130, stored: 30, duplicate: 100, status: 'complete' },
    ]);
    appendFileSync(at('grow/app.log'), lines(130, 150));
    expect(await ledger('grow.daybook', at('grow'))).toEqual([
      { source: 'app.log', read: 150, stored: 20, duplicate: 130, status: 'complete' },
    ]);
    expect(await count(at('grow.daybook'), '*')).toBe(150);
    // Both copies in one import give the same result.
    mkdirSync(at('both'));
    writeFileSync(at('both/1.log'), lines(0, 100));
    writeFileSync(at('both/2.log'), lines(0, 130));
    expect((await ledger('both.daybook', at('both'))).map(({ stored }) => stored)).toEqual([
      100, 30,
    ]);
  });

  it('a rotated file and its archive in another compression are counted once', async () => {
    mkdirSync(at('rotated'));
    writeFileSync(at('rotated/app.log'), lines(200, 260));
    writeFileSync(at('rotated/app.log.1'), lines(100, 200));
    writeFileSync(at('rotated/app.log.2.gz'), gzipSync(lines(0, 100)));
    await ledger('rotated.daybook', at('rotated'));
    expect(await count(at('rotated.daybook'), '*')).toBe(260);
    mkdirSync(at('rotated-later'));
    writeFileSync(at('rotated-later/app.log.2.gz'), gzipSync(lines(100, 200), { level: 1 }));
    writeFileSync(at('rotated-later/app.log.3.gz'), gzipSync(lines(0, 100), { level: 1 }));
    writeFileSync(at('rotated-later/app.log.1'), lines(200, 290));
    const later = await ledger('rotated.daybook', at('rotated-later'));
    expect(Object.fromEntries(later.map(({ source, stored }) => [source, stored]))).toEqual({
      'app.log.3.gz': 0,
      'app.log.2.gz': 0,
      'app.log.1': 30,
    });
    expect(await count(at('rotated.daybook'), '*')).toBe(290);
  });

  it('records with an identity of their own are one across files; equal lines of a log are many', async () => {
    const zeek = (from: number, to: number) => {
      let text =
        '#separator \\x09\n#path\tconn\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\n#types\ttime\tstring\taddr\tport\taddr\tport\tenum\n';
      for (let n = from; n < to; n++)
        text += `${1_772_618_400 + n}.5\tC${n}\t10.0.0.1\t${1000 + n}\t192.0.2.1\t53\tudp\n`;
      return text;
    };
    mkdirSync(at('own'));
    writeFileSync(at('own/a.zeek'), zeek(0, 60));
    writeFileSync(at('own/b.zeek'), zeek(40, 100));
    const journal = (from: number, to: number) => {
      let text = '';
      for (let n = from; n < to; n++)
        text += `__CURSOR=s=1;i=${n}\n__REALTIME_TIMESTAMP=${1_772_618_400_000_000 + n}\n__MONOTONIC_TIMESTAMP=${n}\n_BOOT_ID=0\nMESSAGE=m${n}\n_HOSTNAME=gate\nPRIORITY=6\n\n`;
      return text;
    };
    writeFileSync(at('own/c.journal'), journal(0, 30));
    writeFileSync(at('own/d.journal'), journal(20, 50));
    writeFileSync(at('own/e.log'), lines(7, 8).repeat(25));
    const found = await ledger('own.daybook', at('own'));
    expect(found.map(({ source, stored, duplicate }) => [source, stored, duplicate])).toEqual([
      ['a.zeek', 60, 0],
      ['b.zeek', 40, 20],
      ['c.journal', 30, 0],
      ['d.journal', 20, 10],
      ['e.log', 25, 0],
    ]);
    expect(await count(at('own.daybook'), '*')).toBe(100 + 50 + 25);
  });
});

describe('a case that is changed', () => {
  it('retime needs no source; tags move along; deleted events leave the files', async () => {
    const name = at('change.daybook');
    mkdirSync(at('change'));
    let text = '';
    for (let n = 0; n < 40; n++)
      text += `Mar  4 23:${String(n).padStart(2, '0')}:00 gate app[${n}]: marker-${n} word\n`;
    writeFileSync(at('change/app.log'), text);
    await importing('change.daybook', at('change'), '--year', '2026');
    rmSync(at('change'), { recursive: true });
    const row = async (query: string) => {
      const outcome = await commands.run(['query', name, query, '--format', 'ndjson']);
      expect(outcome.status, outcome.err).toBe(0);
      return ndjson<{ ts: string; message: string }>(outcome);
    };
    expect((await row('"marker-7"'))[0]!.ts).toBe('2026-03-04T23:07:00Z');
    await commands.run(['tag', name, '"marker-7" OR "marker-30"', 'seen']);
    expect(await count(name, 'tag:seen')).toBe(2);

    const east = await commands.run(['retime', name, 'app.log', '--tz', 'America/New_York']);
    expect(east.status, east.err).toBe(0);
    expect((await row('tag:seen')).map(({ ts }) => ts)).toEqual([
      '2026-03-05T04:07:00Z',
      '2026-03-05T04:30:00Z',
    ]);
    const year = await commands.run(['retime', name, 'app.log', '--year', '2024', '--tz', 'UTC']);
    expect(year.status, year.err).toBe(0);
    expect((await row('tag:seen')).map(({ ts }) => ts)).toEqual([
      '2024-03-04T23:07:00Z',
      '2024-03-04T23:30:00Z',
    ]);
    const decided = await commands.run(['sources', name, '--json']);
    expect(json<{ decisions: unknown }[]>(decided)[0]!.decisions).toMatchObject({
      tz: 'UTC',
      year: 2024,
    });

    const deleted = await commands.run(['delete', name, '"marker-8"', '--reason', 'not ours']);
    expect(deleted.status, deleted.err).toBe(0);
    expect(await count(name, '*')).toBe(39);
    expect(await rowsOnDisk(name)).toBe(40);
    const compacted = await commands.run(['compact', name]);
    expect(compacted.status, compacted.err).toBe(0);
    expect(await rowsOnDisk(name)).toBe(39);
    expect(await count(name, '*')).toBe(39);
    expect((await row('tag:seen')).map(({ message }) => message.slice(-14))).toEqual(
      ['marker-7 word', 'marker-30 word'].map((end) => expect.stringContaining(end) as string),
    );
    // The evidence is gone: the case is intact, and the report says what could not be checked.
    const verified = await commands.run(['verify', name]);
    expect(verified.status, verified.out).toBe(3);
    expect(verified.out).toMatch(/^The case is intact/m);
    expect(verified.out).toContain('1 file missing, of 1 file');
    expect(verified.out).toContain('not compared: app.log: its evidence is not there');
  });

  /** Rows that a full scan reads: deleted ones are included while they are in a file. */
  async function rowsOnDisk(name: string): Promise<number> {
    const args = ['query', name, 'message:/./ | stats count()', '--path', 'scan'];
    const outcome = await commands.run([...args, '--format', 'json']);
    expect(outcome.status, outcome.err).toBe(0);
    return json<{ timings: { rowsExamined: number } }>(outcome).timings.rowsExamined;
  }
});

describe('evidence that is hostile', () => {
  it('10,000 attributes, lines of a megabyte, control and direction characters in every field', async () => {
    mkdirSync(at('hostile'));
    const many: Record<string, unknown> = {
      timestamp: '2026-03-04T10:00:00.000000+0000',
      event_type: 'anomaly',
      flow_id: 1,
    };
    for (let n = 0; n < 10_000; n++) many[`field ${n} "quoted" '`] = `value ${n}`;
    writeFileSync(at('hostile/many.json'), `${JSON.stringify(many)}\n`);
    const evil = '\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\u2066\u0000\u009b31m';
    writeFileSync(
      at('hostile/evil.log'),
      `<38>1 2026-03-04T10:00:00Z h${evil} p${evil} 1 I${evil} [x@1 k="${evil}"] message ${evil}\n` +
        `<38>1 2026-03-04T10:00:01Z gate app 1 - - ${'A'.repeat(1_000_000)} end-of-line\n` +
        `<38>1 2026-03-04T10:00:02Z gate app 1 - - after\n`,
    );
    writeFileSync(
      at('hostile/evil.json'),
      `${JSON.stringify({ timestamp: '2026-03-04T10:00:00.000000+0000', event_type: evil, flow_id: 2, src_ip: evil, [`a${evil}`]: evil, host: evil })}\n`,
    );
    const outcome = await importing('hostile.daybook', at('hostile'));
    expect([0, 3], outcome.err).toContain(outcome.status);
    const { total } = ledgerLines(outcome).total;
    expect(total.read).toBe(5);
    expect(total.stored + total.quarantined).toBe(5);
    expect(await count(at('hostile.daybook'), '"end-of-line"')).toBe(1);
    expect(await count(at('hostile.daybook'), '*')).toBe(total.stored);

    const table = await commands.run(['query', at('hostile.daybook'), '*', '--format', 'table']);
    expect(table.status, table.err).toBe(0);
    const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
    expect(table.out).not.toMatch(harmful);
    expect(table.out).toContain('\\x1b[2J');
    expect(table.out).toContain('\\u202e');
    for (const args of [
      ['top', at('hostile.daybook'), 'message', '*', '--format', 'table'],
      ['timeline', at('hostile.daybook'), '--by', 'host'],
      ['sources', at('hostile.daybook')],
      ['fields', at('hostile.daybook')],
    ]) {
      const shown = await commands.run(args);
      expect(shown.status, `${args[0]}: ${shown.err}`).toBe(0);
      expect(shown.out, args[0]).not.toMatch(harmful);
    }
    // Scripts get the rows that could be read.
    const rows = await commands.run(['query', at('hostile.daybook'), '*', '--format', 'ndjson']);
    const all = ndjson<{ message?: string; attrs?: Record<string, string> }>(rows);
    expect(all.some(({ message }) => message?.includes('\u202egnp.exe'))).toBe(true);
    const wide = all.find(({ attrs }) => Object.keys(attrs ?? {}).length > 9000);
    expect(wide?.attrs?.[`field 9999 "quoted" '`]).toBe('value 9999');
  });
});
