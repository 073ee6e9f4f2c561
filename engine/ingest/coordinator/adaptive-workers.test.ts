/** A small amount of evidence gets one worker, unless a number of workers was requested. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importInProcess, startInProcess } from '../testing/in-process.ts';
import { rfc3164 } from '../testing/small-evidence.ts';

/** Files of each import, at most as many as workers: while one waits, nothing is left for another. */
const FILES = 3;
/** Logs with equal beginnings would wait for each other. */
const small = (i: number): string =>
  `2026-01-01T00:00:0${i}Z host app[${i}]: log ${i}\n`.repeat(20);
/** More rows than one worker reads alone, in less than a megabyte. */
const MANY_ROWS = 110_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-adaptive-'));
  mkdirSync(join(folder, 'small'));
  for (let i = 0; i < FILES; i++) writeFileSync(join(folder, 'small', `${i}.log`), small(i));
  mkdirSync(join(folder, 'packed'));
  writeFileSync(join(folder, 'packed/a.log.gz'), gzipSync(rfc3164(MANY_ROWS)));
  for (let i = 1; i < FILES; i++) writeFileSync(join(folder, 'packed', `b${i}.log`), small(i));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Workers started by an import that may start three. */
async function started(evidence: string, adaptiveWorkers: boolean): Promise<number> {
  let workers = 0;
  const { total } = await importInProcess(
    join(folder, `${evidence}-${adaptiveWorkers}.daybook`),
    [join(folder, evidence)],
    {
      ...{ workers: FILES, adaptiveWorkers },
      startWorker: () => {
        workers += 1;
        return startInProcess();
      },
    },
  );
  expect(total.stored).toBeGreaterThan(FILES);
  return workers;
}

it('has as many as were asked for', async () => {
  expect(await started('small', false)).toBe(FILES);
});

it('has one where there is little evidence', async () => {
  expect(await started('small', true)).toBe(1);
});

it('has more once much was read, which may have been compressed', async () => {
  expect(await started('packed', true)).toBe(FILES);
});
