/** The table of handlers: one module per module of the contract. */
import { isClusterAddress } from '../contract/cluster-address.ts';
import { isOperation, type OperationName } from '../contract/operations.ts';
import { refusal } from './cluster/refusals.ts';
import type { Handler, Handlers, Services } from './handler.ts';
import { caseHandlers } from './case/handlers.ts';
import { eventHandlers } from './event/handlers.ts';
import { evidenceHandlers } from './evidence/handlers.ts';
import { markHandlers } from './marks/handlers.ts';
import { outputHandlers } from './output/handlers.ts';
import { queryHandlers } from './query/handlers.ts';
import { systemHandlers } from './system/handlers.ts';
import type { Product } from './product.ts';

/** All operations. Those on a case run where it is: in a folder of this machine, or on a cluster. */
export function makeHandlers(services: Services, product: Product): Handlers {
  const here: Handlers = {
    ...systemHandlers(services, product),
    ...caseHandlers(services),
    ...evidenceHandlers(services),
    ...eventHandlers(services),
    ...markHandlers(services),
    ...queryHandlers(services),
    ...outputHandlers(services, product),
  };
  let there: Promise<Partial<Handlers>> | undefined;
  // Most engines contact no cluster, and need no client.
  const onCluster = (): Promise<Partial<Handlers>> =>
    (there ??= import('./cluster/handlers.ts').then(({ clusterHandlers }) =>
      clusterHandlers(services.clusters),
    ));
  const routed = <N extends OperationName>(name: N): Handler<N> => {
    return async (request, context) => {
      const isThere = 'case' in request && isClusterAddress(String(request.case));
      if (!isThere) return here[name](request, context);
      const handler = (await onCluster())[name];
      if (handler === undefined) throw refusal(name);
      return handler(request, context);
    };
  };
  const names = Object.keys(here).filter(isOperation);
  // Each name has the handler of its own operation, which the type of entries cannot express.
  return Object.fromEntries(names.map((name) => [name, routed(name)])) as Handlers;
}
