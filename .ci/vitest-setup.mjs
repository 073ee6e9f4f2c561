/**
 * Before every test file. Property tests take the same cases each time, so that a run that fails
 * fails again: DAYBOOK_SEED=N tries others, to look for what these do not find.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.DAYBOOK_SEED ?? 20261121) });
