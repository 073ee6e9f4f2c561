/** The functions of expressions, by name. */
import { VALUE_FUNCTION_NAMES } from '../syntax/lexemes.ts';
import type { FunctionOperator } from './operator.ts';
import { ADDRESS_FUNCTIONS } from './functions/address.ts';
import { CONDITIONAL_FUNCTIONS } from './functions/conditional.ts';
import { DECODE_FUNCTIONS } from './functions/decode.ts';
import { NUMBER_FUNCTIONS } from './functions/number.ts';
import { PREVIOUS_FUNCTIONS } from './functions/previous.ts';
import { TEXT_FUNCTIONS } from './functions/text.ts';
import { TIME_FUNCTIONS } from './functions/time.ts';

export const VALUE_FUNCTIONS: ReadonlyMap<string, FunctionOperator> = new Map(
  Object.entries({
    ...CONDITIONAL_FUNCTIONS,
    ...TEXT_FUNCTIONS,
    ...NUMBER_FUNCTIONS,
    ...TIME_FUNCTIONS,
    ...ADDRESS_FUNCTIONS,
    ...DECODE_FUNCTIONS,
    ...PREVIOUS_FUNCTIONS,
  }),
);

/** Each function as completion and the documents describe it. */
export const VALUE_FUNCTION_LIST = VALUE_FUNCTION_NAMES.map((name) => {
  const { form, gives } = VALUE_FUNCTIONS.get(name)!;
  return { name, form, gives };
});
