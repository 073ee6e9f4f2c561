/** The table of handlers: one module per module of the contract. */
import type { Handlers, Services } from './handler.ts';
import { caseHandlers } from './case/handlers.ts';
import { eventHandlers } from './event/handlers.ts';
import { evidenceHandlers } from './evidence/handlers.ts';
import { markHandlers } from './marks/handlers.ts';
import { outputHandlers } from './output/handlers.ts';
import { queryHandlers } from './query/handlers.ts';
import { systemHandlers } from './system/handlers.ts';
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
