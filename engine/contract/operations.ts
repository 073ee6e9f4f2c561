/**
 * Every operation of the engine by name: the one contract of all shells. Only the host validates input and output
 * by these schemas. Windows use just the types.
 */
import type { z } from 'zod';
import { caseOperations } from './operations/case.ts';
import { eventOperations } from './operations/event.ts';
import { evidenceOperations } from './operations/evidence.ts';
import { markOperations } from './operations/marks.ts';
import { outputOperations } from './operations/output.ts';
import { queryOperations } from './operations/query.ts';
import { systemOperations } from './operations/system.ts';

export const operations = {
  ...systemOperations,
  ...caseOperations,
  ...evidenceOperations,
  ...queryOperations,
  ...eventOperations,
  ...markOperations,
  ...outputOperations,
};

export type OperationName = keyof typeof operations;
/** As a window writes it: fields with a default may be omitted. */
export type Params<N extends OperationName> = z.input<(typeof operations)[N]['params']>;
/** As a handler receives it. */
export type Request<N extends OperationName> = z.output<(typeof operations)[N]['params']>;
/** A partial result, sent before the result. */
export type Part<N extends OperationName> = z.output<(typeof operations)[N]['part']>;
export type Result<N extends OperationName> = z.output<(typeof operations)[N]['result']>;

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
