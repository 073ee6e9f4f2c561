/**
 * For tests: calls a handler as the host does: with a request validated by its schema, and validating its parts and
 * result.
 */
import {
  operations,
  type OperationName,
  type Params,
  type Part,
  type Request,
  type Result,
} from '../../contract/operations.ts';
import type { Client, HandlersOf } from '../handler.ts';

interface Called<N extends OperationName> {
  result: Result<N>;
  parts: Part<N>[];
}

/** @throws whatever the handler throws, and ZodError if it violates the contract */
export async function called<N extends OperationName>(
  handlers: HandlersOf<N>,
  name: N,
  params: Params<N>,
  how: { signal?: AbortSignal; client?: Client; onPart?: (part: Part<N>) => void } = {},
): Promise<Called<N>> {
  const schema = operations[name];
  const parts: Part<N>[] = [];
  const check = <T>(type: { parse(value: unknown): unknown }, value: unknown): T =>
    type.parse(value) as T;
  const result = await handlers[name](check<Request<N>>(schema.params, params), {
    signal: how.signal ?? new AbortController().signal,
    client: how.client ?? { kept: new Map() },
    part: async (part) => {
      const checked = check<Part<N>>(schema.part, part);
      parts.push(checked);
      how.onPart?.(checked);
    },
  });
  return { result: check<Result<N>>(schema.result, result), parts };
}
