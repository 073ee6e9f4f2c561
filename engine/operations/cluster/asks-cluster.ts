/** Hosts of a case on a cluster are found by the questions that find those of a case on this machine. */
import { sourcesOfTotals } from '../../search/index.ts';
import type { HostAsker } from '../query/hosts/hosts.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterContext } from './cluster-context.ts';
import { askCluster } from './cluster-query.ts';

export function asksCluster(cluster: Cluster, context: ClusterContext): HostAsker {
  return {
    totals: sourcesOfTotals(context.sources(), 'bytes'),
    answer: async ({ text, from, to, list, exclude, zone }) => {
      const query = await askCluster(cluster, { text, from, to, list, exclude, zone }, context);
      return query.answer();
    },
  };
}
