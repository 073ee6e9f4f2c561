/** Hosts of a case on a cluster are found by the questions that find those of a case on this machine. */
import type { HostAsker } from '../query/hosts.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterContext } from './cluster-context.ts';
import { askCluster } from './cluster-query.ts';

/** Which flows state one number of bytes for both ways is not known there. */
export function asksCluster(cluster: Cluster, context?: ClusterContext): HostAsker {
  return {
    totals: [],
    answer: async ({ text, from, to, list, exclude, zone }) => {
      const query = await askCluster(cluster, { text, from, to, list, exclude, zone }, context);
      return query.answer();
    },
  };
}
