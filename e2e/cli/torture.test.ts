/**
 * The attacks of `npm run torture` with few runs and a new seed each time, which is printed so that failures can be
 * repeated. docs/torture.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { attack, report } from '../torture/attack.ts';
import { ATTACKS } from '../torture/attacks.ts';

/** An attack consists of many commands; with other tests running, each may take long. */
const PATIENCE_MS = 900_000;
const seed = Math.floor(Math.random() * 1e9);
const folder = mkdtempSync(path.join(tmpdir(), 'daybook-torture-'));
let failed = false;
afterAll(() => {
  if (!failed) rmSync(folder, { recursive: true, force: true });
});

it.each(ATTACKS.map((one) => [one.name, one] as const))(
  '%s',
  async (_name, one) => {
    // Kept in the log, whatever the result.
    const say = (text: string): void => void process.stdout.write(`${text}\n`);
    const outcome = await attack(one, { seed, runs: one.runs.short, size: 1, folder, say });
    say(`seed ${seed}: ${report(outcome)}`);
    failed ||= outcome.failures.length > 0;
    expect(outcome.failures).toEqual([]);
    if (outcome.skipped === undefined) expect(outcome.tried).toBe(one.runs.short);
  },
  PATIENCE_MS,
);
