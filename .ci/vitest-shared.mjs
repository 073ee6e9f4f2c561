/**
 * Before every test file in a worker that runs many of them. Sessions and imports of tests may take little memory. Then
 * the product has V8 collect garbage often (engine/store/return-memory.ts, app/threads/threads.ts), and returns memory before a
 * question where the process takes more (engine/search/asked-view.ts). Each collection would mark all that these files
 * share. Tests of memory have a process of their own.
 */
import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';

const GROWTH = '--heap-growing-percent=';
const setFlag = (globalThis.setFlagOfV8 ??= v8.setFlagsFromString);

// Threads of imports that ran in the file before may have set it, too.
setFlag(`${GROWTH}300`);
// Otherwise every 64 MB of columns, which are outside of the heap, have all of it marked.
setFlag('--external-memory-accounted-in-global-limit');
v8.setFlagsFromString = (flag) => {
  if (!flag.startsWith(GROWTH)) setFlag(flag);
};
syncBuiltinESMExports();

// It would be that of all files.
process.memoryUsage.rss = () => 1;
