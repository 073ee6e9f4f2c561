/**
 * Functions of the previous row: the stage `eval` extracts them from its expression (previous.ts); nowhere else do
 * rows have a previous one.
 */
import type { Call, FunctionOperator } from '../operator.ts';

function ofEval(form: string, gives: string, most: number): FunctionOperator {
  const make = (call: Call): never =>
    call.wrong(
      -1,
      'needs rows in order, which only eval has',
      'write eval gap = delta(ts) by src_ip, then use gap',
    );
  return { form, gives, least: 1, most, make };
}

export const PREVIOUS_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  prev: ofEval(
    'prev(value [, rows])',
    'in eval: the value in the row before, or that many rows before',
    2,
  ),
  delta: ofEval(
    'delta(value)',
    'in eval: the difference from the row before; for times, in seconds',
    1,
  ),
};
