/**
 * Assembles the services of handlers: for the engine's process, and for tests that run the host in their own
 * process.
 */
import { CasePool } from '../../engine/search/index.ts';
import { clusterAddress, type ClusterAddress } from '../../engine/contract/cluster-address.ts';
import type { Services } from '../../engine/operations/handler.ts';
import { ImportJobs } from '../../engine/operations/evidence/import-jobs.ts';
import type { Product } from '../../engine/operations/product.ts';
import { evidence } from '../compose.ts';
import { cacheFolder } from '../folders.ts';
import { engineSettings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { sampleEvidence } from './sample.ts';

/** The cluster for which the engine was started (`daybook serve clickhouse://…`). */
function clustersOf({
  DAYBOOK_CLUSTER: address,
  CLICKHOUSE_USER: user,
  CLICKHOUSE_PASSWORD: password,
}: NodeJS.ProcessEnv): ClusterAddress[] {
  return address === undefined ? [] : [clusterAddress(address, { user, password })];
}

export function engineServices(env: NodeJS.ProcessEnv): { services: Services; product: Product } {
  const settings = engineSettings(env);
  const { limits } = settings;
  return {
    services: {
      cases: new CasePool(() => ({ memoryLimit: limits.memory, threads: limits.threads })),
      evidence,
      imports: new ImportJobs(),
      settings,
      clusters: clustersOf(env),
    },
    product: {
      version: VERSION,
      sample: async () => [sampleEvidence(cacheFolder(env))],
    },
  };
}
