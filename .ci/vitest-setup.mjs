/**
 * Before every test file. Property tests take the same cases each time, so that a run that fails
 * fails again: DAYBOOK_SEED=N tries others, to look for what these do not find. Files share a process: what one
 * changes of its environment is undone.
 */
import fc from 'fast-check';
import { afterAll } from 'vitest';

fc.configureGlobal({ seed: Number(process.env.DAYBOOK_SEED ?? 20261121) });

const environment = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
