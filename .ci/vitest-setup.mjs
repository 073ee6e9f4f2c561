/**
 * Runs before every test file. Property tests use the same cases each time, so that a failing run can be repeated:
 * DAYBOOK_SEED=N tries others. Files share a process: changes of its environment are undone after each.
 */
import fc from 'fast-check';
import { afterAll } from 'vitest';

fc.configureGlobal({ seed: Number(process.env.DAYBOOK_SEED ?? 20261121) });

const environment = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
