/**
 * A source that several workers read in pieces is what one worker makes of it: every column of every
 * event, the ledger, the decisions, the quarantine and its order, the hash; also when the import is
 * cancelled in the middle, and when the content lies about where its records begin.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Catalog } from '../catalog/catalog.ts';
import type { IndexerHandle } from './index-feed.ts';
import type { WorkerHandle } from './run-import.ts';
import { contents, counting } from './testing/case-contents.ts';
import {
  importInProcess,
  startIndexerInProcess,
  startInProcess,
  type InProcessOptions,
} from './testing/in-process.ts';
import { eveJson, rfc3164, zeekConn } from './testing/small-evidence.ts';

let folder: string;
let made = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-split-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function importInto(evidence: string, how: InProcessOptions) {
  const path = join(folder, `${++made}.daybook`);
  await importInProcess(path, [evidence], how);
  const held = await contents(path);
  rmSync(path, { recursive: true });
  return held;
}

const noise = (n: number): string =>
  n % 701 === 0 ? 'no header here\n\n' : n % 97 === 0 ? '\tat some.where(There.java:7)\n' : '';
const lines = (n: number, line: (n: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('');
const MONTHS = ['Nov', 'Dec', 'Jan', 'Feb'];
const withoutYears = lines(
  2400,
  (n) =>
    `${MONTHS[Math.floor(n / 600)]!} ${String(1 + ((n % 600) >> 9)).padStart(2)} 10:00:00 gate sshd[${n}]: Failed ${n}\n${noise(n)}`,
);
const FILES: Record<string, string> = {
  'years.log': lines(
    2400,
    (n) => `2026-03-0${1 + (n >> 11)}T10:00:00.5Z gate evnt[${n}]: m\xe4ssage ${n}\n${noise(n)}`,
  ),
  'no-years.log': withoutYears,
  'rfc3164.log': rfc3164(2000),
  'zeek.log': zeekConn(1500) + 'no\trow\n#path\tdns\n' + zeekConn(700, 1500),
  'table.csv':
    'src_ip,src_port,time,note\n' +
    lines(
      2000,
      (n) =>
        `10.0.0.${n % 250},${n},${13 + (n >> 10)}/11/2026 10:00,"one${n % 7 === 0 ? '\ntwo, and' : ''} ${n}"\n${n % 500 === 0 ? '\n' : ''}${n % 900 === 1 ? 'stray "\n' : ''}`,
    ),
  'rows-in-cells.csv':
    'src_ip,src_port,note,bytes\n' +
    lines(60, (n) => `10.0.0.1,${n},"${lines(60, (i) => `1,${i},a,4\n`)}",5\n`),
  'eve.json': eveJson(1000) + 'not json\n' + eveJson(800),
};

/** What looks like the start of a row is none, time and again. */
const IN_ONE = ['rows-in-cells.csv'];

describe.each(Object.keys(FILES))('%s', (name) => {
  it('is the same from one worker and from many', async () => {
    const evidence = join(folder, name);
    writeFileSync(evidence, FILES[name]!, 'latin1');
    const one = await importInto(evidence, { workers: 1 });
    const hash = createHash('sha256').update(readFileSync(evidence)).digest('hex');
    expect(one.sources[0]).toMatchObject({ rawSha256: hash, status: 'complete' });
    for (const [workers, pieceLines] of [
      [2, 290],
      [4, 97],
    ] as const) {
      const { startWorker, pieces, readOnInOne } = counting();
      const many = await importInto(evidence, { workers, chunk: { pieceLines }, startWorker });
      expect(pieces()).toBeGreaterThan(5);
      expect(readOnInOne()).toBe(IN_ONE.includes(name));
      expect(many.sources).toEqual(one.sources);
      expect(many.quarantine).toEqual(one.quarantine);
      expect(many.rows).toEqual(one.rows);
    }
  });
});

it('chunks of one piece are committed one after the other', async () => {
  const evidence = join(folder, 'large.log');
  writeFileSync(evidence, rfc3164(24_000));
  const one = await importInto(evidence, { workers: 1 });
  const many = await importInto(evidence, {
    workers: 3,
    chunk: { rows: 2000, pieceLines: 11_000 },
  });
  expect(many.sources).toEqual(one.sources);
  expect(many.rows.length).toBe(24_000);
  expect(many.rows).toEqual(one.rows);
});

it('workers that have read the last pieces go when their indexes are written', async () => {
  const evidence = join(folder, 'indexed.log');
  writeFileSync(evidence, rfc3164(12_000));
  const slowIndexer = (): IndexerHandle => {
    const inner = startIndexerInProcess();
    let gone = false;
    return {
      ...inner,
      post: (message) => {
        if (message.type === 'finish')
          setTimeout(() => {
            if (!gone) inner.post(message);
          }, 500);
        else inner.post(message);
      },
      stop: () => {
        gone = true;
        inner.stop();
      },
    };
  };
  const path = join(folder, 'indexed.daybook');
  await importInProcess(path, [evidence], {
    // A piece for each.
    workers: 6,
    chunk: { pieceLines: 2500 },
    startWorker: () => {
      const inner = startInProcess(slowIndexer);
      let before = Promise.resolve();
      return {
        ...inner,
        onMessage: (handler) =>
          inner.onMessage((message) => {
            // The last piece is read before the one that is committed before it.
            const isLate = message.type === 'chunk' && message.piece?.index === 3;
            before = before.then(() => delay(isLate ? 250 : 0)).then(() => handler(message));
          }),
      };
    },
  });
  const catalog = Catalog.open(path);
  expect(catalog.segments().map(({ index }) => index !== undefined)).not.toContain(false);
  catalog.close();
});

it('copies of a log that is read in pieces wait for it, however few workers there are', async () => {
  const evidence = join(folder, 'copies');
  mkdirSync(evidence);
  const log = rfc3164(2000);
  writeFileSync(join(evidence, 'a.log'), log.slice(0, log.indexOf('\n', log.length >> 1) + 1));
  writeFileSync(join(evidence, 'b.log'), log);
  writeFileSync(join(evidence, 'c.log'), log);
  writeFileSync(join(evidence, 'd.log'), log + log);
  writeFileSync(join(evidence, 'e.log'), withoutYears, 'latin1');
  const one = await importInto(evidence, { workers: 1 });
  for (const workers of [2, 5]) {
    const many = await importInto(evidence, { workers, chunk: { pieceLines: 300 } });
    expect(many.sources).toEqual(one.sources);
    expect(many.rows).toEqual(one.rows);
  }
});

it.each([
  ['cut off', (path: string) => truncateSync(path, rfc3164(1000).length)],
  ['written on', (path: string) => appendFileSync(path, '\tmore of it\n')],
])('a file that is %s behind the survey is read in one', async (_, change) => {
  const evidence = join(folder, 'changing.log');
  writeFileSync(evidence, rfc3164(2000));
  const startWorker = (): WorkerHandle => {
    const inner = startInProcess();
    return {
      ...inner,
      onMessage: (handler) =>
        inner.onMessage((message) => {
          if (message.type === 'surveyed') change(evidence);
          handler(message);
        }),
    };
  };
  const { sources, rows } = await importInto(evidence, {
    workers: 2,
    chunk: { pieceLines: 300 },
    startWorker,
  });
  const [source] = sources;
  const read = readFileSync(evidence).subarray(0, source!.contentSize);
  // What is said of the content, its hash and its events are of the same bytes.
  expect(source?.contentSha256).toBe(createHash('sha256').update(read).digest('hex'));
  expect(source?.read).toBe(rows.length);
  const whole = read.toString('latin1').split('\n');
  expect(rows.length).toBe(whole.filter((line) => line !== '').length);
});

it('goes on to the same after a cancellation in the middle', async () => {
  const evidence = join(folder, 'cancelled');
  mkdirSync(evidence);
  for (const name of ['no-years.log', 'table.csv', 'eve.json'])
    writeFileSync(join(evidence, name), FILES[name]!, 'latin1');
  const whole = await importInto(evidence, { workers: 1 });
  for (const after of [2, 9]) {
    const path = join(folder, `after-${after}.daybook`);
    const controller = new AbortController();
    let commits = 0;
    const startWorker = (): WorkerHandle => {
      const inner = startInProcess();
      return {
        ...inner,
        post: (message) => {
          if (message.type === 'committed' && ++commits >= after) controller.abort();
          inner.post(message);
        },
      };
    };
    const chunk = { pieceLines: 400 };
    await expect(
      importInProcess(path, [evidence], {
        workers: 3,
        chunk,
        startWorker,
        signal: controller.signal,
      }),
    ).rejects.toThrow();
    await importInProcess(path, [evidence], { workers: 3, chunk });
    const held = await contents(path);
    expect(held.rows.length).toBe(whole.rows.length);
    const stored = (from: typeof whole) =>
      from.sources
        .map(({ name, read, stored, quarantined: bad, skipped, contentSha256 }) => ({
          name,
          read,
          stored,
          bad,
          skipped,
          contentSha256,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(stored(held)).toEqual(stored(whole));
    rmSync(path, { recursive: true });
  }
});

it('is the same whatever the content and wherever it is cut', async () => {
  const piece = fc.constantFrom(
    'Dec 31 23:59:59 h a[1]: one\n',
    'Jan  1 00:00:01 h a[1]: two\n',
    '\tat continuation\n',
    '\n',
    'text\n',
    '2026-03-04T10:00:00Z h p: stated\n',
    '{"ts":1}\n',
    '\0\0\n',
  );
  const cell = fc.constantFrom(
    '1,2,3/4/2026 10:00\n',
    '"a\n',
    'b",2,3/4/2026 10:00\n',
    '"\n',
    ',,\n',
    '\n',
    'src_ip,bytes,time\n',
    '9,9,30/4/2026 10:00\n',
  );
  const content = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 60 }).map((all) => all.join('')),
    fc
      .array(cell, { maxLength: 60 })
      .map((all) => 'src_ip,bytes,time\n1,2,3/4/2026 10:00\n' + all.join('')),
  );
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 2, max: 4 }),
      async (text, pieceLines, workers) => {
        const evidence = join(folder, 'hostile');
        writeFileSync(evidence, text);
        const one = await importInto(evidence, { workers: 1 });
        expect(await importInto(evidence, { workers, chunk: { pieceLines } })).toEqual(one);
      },
    ),
    { numRuns: 8 },
  );
});
