/** The table of handlers: one module per module of the contract. */
import type { Handlers, Services } from './handler.ts';
import { caseHandlers } from './handlers/case.ts';
import { eventHandlers } from './handlers/event.ts';
import { evidenceHandlers } from './handlers/evidence.ts';
import { markHandlers } from './handlers/marks.ts';
import { outputHandlers } from './handlers/output.ts';
import { queryHandlers } from './handlers/query.ts';
import { systemHandlers } from './handlers/system.ts';
import type { Product } from './product.ts';

export function makeHandlers(services: Services, product: Product): Handlers {
  return {
    ...systemHandlers(services, product),
    ...caseHandlers(services),
    ...evidenceHandlers(services),
    ...eventHandlers(services),
    ...markHandlers(services),
    ...queryHandlers(services),
    ...outputHandlers(services, product),
  };
}
