/**
 * Before every test file in a worker that runs many of them. Where sessions and imports may take little memory, as
 * those of tests, the product has V8 collect garbage often (engine/store/return-memory.ts, app/threads.ts). It does so
 * in the whole process: each collection would mark all that these files share. Tests of memory have their own process.
 */
import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';

const GROWTH = '--heap-growing-percent=';
const setFlag = (globalThis.setFlagOfV8 ??= v8.setFlagsFromString);

// Threads of imports that ran in the file before may have set it, too.
setFlag(`${GROWTH}600`);
v8.setFlagsFromString = (flag) => {
  if (!flag.startsWith(GROWTH)) setFlag(flag);
};
syncBuiltinESMExports();
