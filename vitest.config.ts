/**
 * Three projects: `unit` (tests beside the code they test), `process` (the same, of what a process has once) and
 * `e2e` (the product through its command line, as a process). All run on the Node that starts vitest: the pinned
 * one, through `npm run`.
 */
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, of each project the longest first. In a fresh clone vitest begins with the
 * largest files, and those that run the suite of the contract, all attacks, or whole folders of evidence
 * from a few lines would come last: one worker would wait for the other.
 */
const SLOW = [
  'cli/torture',
  'cli/clickhouse-queries',
  'cli/bad-input',
  'window/import',
  'cli/bucket',
  'window/case-work',
  'conformance/cluster',
  'window/accessible',
  'cli/attach',
  'cli/shared-data',
  'cli/hand-over',
  'window/navigation',
  'window/walk',
  'cli/mixed-evidence',
  'window/lost',
  'cli/memory',
  'window/hostile',
  'window/cluster',
  'cli/query',
  'cli/documents',
  'cli/many-segments',
  'conformance/web',
  'conformance/electron',
  'search/small-memory',
  'operations/query/handlers',
  'operations/evidence/handlers',
  'decompress/decompress',
  'coordinator/hostile-content',
  'operations/scan/scan',
  'verify/damage',
  'text/text-index',
].map((name) => `/${name}.test.ts`);

const UNIT = ['{app,engine,importers,renderer,fixtures,bench}/**/*.test.{ts,tsx}'];
/** They look at the memory of their process, which others would use. */
const OWN_PROCESS = [
  'engine/index/text/index-memory.test.ts',
  'engine/store/return-memory.test.ts',
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? SLOW.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    // Native modules (DuckDB, better-sqlite3) live in processes, not in worker threads.
    pool: 'forks',
    setupFiles: ['.ci/vitest-setup.mjs'],
    maxWorkers: 2,
    // Far beyond what a test takes on a quiet machine: CI's may be busy.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    sequence: { sequencer: SlowFirst },
    exclude: [...configDefaults.exclude, '**/*.daybook/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          exclude: [...configDefaults.exclude, '**/*.daybook/**', ...OWN_PROCESS],
          // Loading the product for each file takes a sixth of the time of all tests.
          isolate: false,
          // After those of all projects.
          setupFiles: ['.ci/vitest-shared.mjs'],
        },
      },
      {
        extends: true,
        test: { name: 'process', include: OWN_PROCESS },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          // Loading Vitest and Playwright for each file takes half a second of processor time.
          isolate: false,
        },
      },
    ],
  },
});
