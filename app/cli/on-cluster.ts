/** Commands whose case is one that was attached to a ClickHouse, by its address. */
import { DaybookError } from '../../engine/contract/errors.ts';
import type { ClusterSession } from '../../engine/operations/cluster/session.ts';
import type { Cluster as ClusterType } from '../../engine/operations/cluster/cluster.ts';
import {
  clusterAddress,
  type ClusterAddress,
  isClusterAddress,
} from '../../engine/contract/cluster-address.ts';

/** An address with the credentials in the environment, unless it has its own. @throws DaybookError usage */
export function withCredentials(address: string): ClusterAddress {
  const { CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password } = process.env;
  return clusterAddress(address, { user, password });
}

/** Opens a cluster while `use` runs, and returns its result. @throws DaybookError usage */
export async function withCluster(
  address: string,
  signal: AbortSignal,
  use: (cluster: ClusterType) => Promise<number>,
): Promise<number> {
  // Most commands need no client.
  const { Cluster } = await import('../../engine/operations/cluster/cluster.ts');
  const cluster = new Cluster(withCredentials(address), signal);
  try {
    return await use(cluster);
  } finally {
    await cluster.close();
  }
}

/** The same, if a case is attached. @throws DaybookError usage, not-found, unreadable */
export async function withAttached(
  address: string,
  signal: AbortSignal,
  use: (cluster: ClusterType) => Promise<number>,
): Promise<number> {
  const { attachedCase } = await import('../../engine/operations/cluster/cluster-context.ts');
  return withCluster(address, signal, async (cluster) => {
    await attachedCase(cluster);
    return use(cluster);
  });
}

/** Opens the case on a cluster, as operations of windows do. @throws DaybookError usage, not-found, unreadable */
export async function withClusterSession(
  address: string,
  signal: AbortSignal,
  use: (session: ClusterSession) => Promise<number>,
): Promise<number> {
  const { CaseOnCluster } = await import('../../engine/operations/cluster/session.ts');
  return new CaseOnCluster(withCredentials(address)).use(signal, use);
}

/** Commands supported for a case on a cluster; all others require a case on this machine. */
const ON_CLUSTER: ReadonlySet<string> = new Set([
  ...['attach', 'query', 'count', 'top', 'timeline', 'fields', 'sources', 'hosts', 'serve'],
  ...['tag', 'event', 'findings', 'searches'],
]);

/** @throws DaybookError usage for a command that a cluster cannot do */
export function refuseOnCluster(command: string, positionals: readonly string[]): void {
  if (ON_CLUSTER.has(command) || !positionals.some(isClusterAddress)) return;
  throw new DaybookError(
    'usage',
    `${command} does not work on a cluster: it holds a hand-over, without the evidence and the decisions of the case`,
    `run it on the case, then hand the case over and attach it again; commands for a cluster: ${[...ON_CLUSTER].join(', ')}`,
  );
}

/** @throws DaybookError usage for an option of cases on this machine */
export function refuseOptions(
  parsed: { text(name: string): string | undefined; flag(name: string): boolean },
  names: readonly string[],
): void {
  const given = names.find((name) => parsed.text(name) !== undefined || parsed.flag(name));
  if (given === undefined) return;
  throw new DaybookError(
    'usage',
    `--${given} does not work on a cluster`,
    'leave it out, or query a case on this machine',
  );
}
