/** Handlers about the engine itself, its settings and the files of this machine. */
import { existsSync } from 'node:fs';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { join } from 'node:path';
import { Catalog } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Request, Result } from '../../contract/operations.ts';
import type { systemOperations } from '../../contract/operations/system.ts';
import { caseName } from '../case/case-info.ts';
import { listFolder } from './files.ts';
import type { HandlersOf, Services } from '../handler.ts';
import type { Product } from '../product.ts';
import { importMemoryOf } from './settings.ts';
import { forgetCase, readRecent, readSettings, writeSettings } from './state.ts';

/** DuckDB does not work sensibly with less. */
const LEAST_MEMORY = 128e6;
const MOST_THREADS = 256;
/** Largest state of a window, as JSON. */
const MOST_WINDOW_BYTES = 1 << 20;

export function systemHandlers(
  { settings, evidence }: Pick<Services, 'settings'> & Partial<Pick<Services, 'evidence'>>,
  product: Product,
): HandlersOf<keyof typeof systemOperations> {
  const { limits, stateFolder, casesFolder } = settings;
  const shown = (): Result<'settings.set'> => ({
    memory: limits.memory,
    threads: limits.threads,
    jobs: limits.jobs,
    window: readSettings(stateFolder).window ?? {},
  });
  return {
    'engine.info': async () => ({
      version: product.version,
      node: process.versions.node,
      pid: process.pid,
      platform: process.platform,
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      home: homedir(),
      casesFolder,
      formats: [...(evidence?.formats ?? [])],
      settings: shown(),
      recent: readRecent(stateFolder).map((one) => ({
        ...one,
        name: caseName(one.case),
        exists: Catalog.exists(one.case),
      })),
    }),
    'settings.set': async (request) => {
      checkSettings(request);
      // Omitted and undefined values stay unchanged.
      const changed = Object.entries(request).filter(([, value]) => value !== undefined);
      writeSettings(stateFolder, {
        ...readSettings(stateFolder),
        ...Object.fromEntries(changed),
      });
      limits.memory = request.memory ?? limits.memory;
      limits.importMemory = importMemoryOf(limits.memory);
      limits.threads = request.threads ?? limits.threads;
      limits.jobs = request.jobs ?? limits.jobs;
      return shown();
    },
    'recent.forget': async (request) => {
      forgetCase(stateFolder, request.case);
      return {};
    },
    'files.list': (request) => listFolder(request.folder),
    'sample.prepare': async () => ({
      paths: [...(await product.sample())],
      suggestedCase: freeName(casesFolder),
    }),
  };
}

/** @throws DaybookError usage */
function checkSettings({ memory, threads, jobs, window }: Request<'settings.set'>): void {
  const most = totalmem();
  if (memory !== undefined && (memory < LEAST_MEMORY || memory > most)) {
    throw new DaybookError(
      'usage',
      `the memory for queries must be between ${LEAST_MEMORY} and ${most} bytes, not ${memory}`,
    );
  }
  for (const [name, value] of Object.entries({ threads, jobs })) {
    if (value !== undefined && (value < 1 || value > MOST_THREADS)) {
      throw new DaybookError(
        'usage',
        `${name} must be between 1 and ${MOST_THREADS}, not ${value}`,
      );
    }
  }
  if (window !== undefined && JSON.stringify(window).length > MOST_WINDOW_BYTES) {
    throw new DaybookError('usage', 'the settings of the window are larger than 1 MB');
  }
}

/** A path for the sample's case that nothing has yet. */
function freeName(folder: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'sample.daybook' : `sample-${number}.daybook`;
    const path = join(folder, name);
    if (!existsSync(path)) return path;
  }
}
