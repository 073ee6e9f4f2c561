/**
 * Two projects: `unit` (tests beside the code they test) and `e2e` (the product through its command
 * line, as a process). Both run on the Node that starts vitest: the pinned one, through `npm run`.
 */
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Native modules (DuckDB, better-sqlite3) live in processes, not in worker threads.
    pool: 'forks',
    setupFiles: ['.ci/vitest-setup.mjs'],
    maxWorkers: 2,
    exclude: [...configDefaults.exclude, '**/*.daybook/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{app,engine,importers,renderer,fixtures,bench}/**/*.test.{ts,tsx}'],
          // Far beyond what a test takes on a quiet machine: CI's may be busy.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
