/** Functions of the row before: the stage `eval` takes them out of its expression (previous.ts); nothing else has rows before. */
import type { Call, FunctionOperator } from '../operator.ts';

function ofEval(form: string, gives: string, most: number): FunctionOperator {
  const make = (call: Call): never =>
    call.wrong(
      -1,
      'is known of rows in an order, which eval has',
      'write eval gap = delta(ts) by src_ip, then use gap',
    );
  return { form, gives, least: 1, most, make };
}

export const PREVIOUS_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  prev: ofEval(
    'prev(value [, rows])',
    'in eval: the value of the row before, or of the row that many before',
    2,
  ),
  delta: ofEval(
    'delta(value)',
    'in eval: how much more it is than in the row before; of times, seconds',
    1,
  ),
};
