/**
 * A killed import: after `kill -9` at a random instant the case opens, verifies, and the same command resumes; in
 * the end it holds the same as an uninterrupted import by one worker, whether one worker was killed or several.
 *
 * DAYBOOK_KILLS sets how often (5 by default, 50 for the full run).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { daybook, generateEvidence, ROOT } from '../harness.ts';

const KILLS = Number(process.env['DAYBOOK_KILLS'] ?? 5);
const ENV = {
  DAYBOOK_CHUNK_ROWS: '1000',
};
let folder: string;
let evidence: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-kill-'));
  evidence = join(folder, 'evidence');
  await generateEvidence(evidence, '--scale', '0.1');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs an import and kills it after `ms`; resolves to whether it was still running then. */
function importAndKill(path: string, ms: number, jobs: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [join(ROOT, 'app/cli/daybook.mjs'), 'import', path, evidence, '--recursive', '--jobs', jobs],
      { stdio: 'ignore', env: { ...process.env, ...ENV } },
    );
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    child.on('exit', (_code, signal) => {
      clearTimeout(timer);
      resolve(signal === 'SIGKILL');
    });
  });
}

async function contents(path: string): Promise<{ rows: number; digest: string; sources: unknown }> {
  const rows = await daybook(['query', path, 'kind:*', '--format', 'ndjson']);
  expect(rows.status).toBe(0);
  const lines = rows.out
    .split('\n')
    .filter((line) => line !== '')
    .sort();
  const sources = await daybook(['sources', path, '--json']);
  const ledger = (JSON.parse(sources.out) as Record<string, unknown>[]).map((source) => ({
    source: source['source'],
    read: source['read'],
    stored: source['stored'],
    duplicate: source['duplicate'],
    quarantined: source['quarantined'],
    skipped: source['skipped'],
    byKind: source['byKind'],
    sha256: source['sha256'],
    status: source['status'],
  }));
  return {
    rows: lines.length,
    digest: createHash('sha256').update(lines.join('\n')).digest('hex'),
    sources: ledger,
  };
}

it(
  `holds the same after ${KILLS} kills as an import that ran through`,
  async () => {
    const whole = join(folder, 'whole.daybook');
    const started = performance.now();
    const run = await daybook(['import', whole, evidence, '--recursive', '--jobs', '1'], ENV);
    expect([0, 3]).toContain(run.status);
    const duration = performance.now() - started;
    const want = await contents(whole);
    expect(want.rows).toBeGreaterThan(10_000);

    let state = 20261121;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    let killed = 0;
    let round = 0;
    while (killed < KILLS) {
      const path = join(folder, `killed-${round++}.daybook`);
      const jobs = round % 2 === 0 ? '1' : '3';
      // Up to four kills in a row on one case, then it may run through.
      for (let times = 1 + Math.floor(random() * 4); times > 0 && killed < KILLS; times--) {
        if (!(await importAndKill(path, random() * duration * 1.1, jobs))) continue;
        killed += 1;
        const days = await daybook(['days', path, '--json']);
        // Killed before the case existed: then it reports that there is none.
        if (days.status !== 0) expect(days.err).toMatch(/not a Daybook case/);
        else {
          const verified = await daybook(['verify', path, '--json']);
          expect(JSON.parse(verified.out), `kill ${killed}`).toMatchObject({
            ...{ case: { intact: true }, sample: { differing: 0 } },
          });
        }
      }
      const resumed = await daybook(['import', path, evidence, '--recursive', '--jobs', jobs], ENV);
      expect(resumed.status, resumed.err).toBe(run.status);
      expect(await contents(path), `case ${round} after ${killed} kills`).toEqual(want);
      rmSync(path, { recursive: true });
    }
  },
  240_000 + KILLS * 60_000,
);
