/** Joins what handlers need: for the engine's process, and for tests that run the host in their own. */
import { CasePool } from '../../engine/search/index.ts';
import type { Services } from '../../engine/operations/handler.ts';
import { ImportJobs } from '../../engine/operations/evidence/import-jobs.ts';
import type { Product } from '../../engine/operations/product.ts';
import { evidence } from '../compose.ts';
import { cacheFolder } from '../folders.ts';
import { engineSettings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { sampleEvidence } from './sample.ts';

export function engineServices(env: NodeJS.ProcessEnv): { services: Services; product: Product } {
  const settings = engineSettings(env);
  const { limits } = settings;
  return {
    services: {
      cases: new CasePool(() => ({ memoryLimit: limits.memory, threads: limits.threads })),
      evidence,
      imports: new ImportJobs(),
      settings,
    },
    product: {
      version: VERSION,
      sample: async () => [sampleEvidence(cacheFolder(env))],
    },
  };
}
