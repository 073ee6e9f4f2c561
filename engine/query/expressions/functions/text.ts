/** Functions of texts. Characters are Unicode's, and positions count from 1, as in SQL. */
import {
  characterCount,
  characterRange,
  partOfText,
  reversedText,
  withoutSpace,
} from '../../dialect/function-sql.ts';
import { cased } from '../../dialect/clickhouse-texts.ts';
import { SIMPLE_CASE, foldless } from '../case.ts';
import { patternMatches, patternReplace } from '../patterns.ts';
import { type FunctionOperator, characters, literalAt, scalar, typedAt } from '../operator.ts';
import { valueClickHouse, onePart } from '../value.ts';

const { lower, upper } = foldless;

/** NULL if there is no such part. */
function part(text: string, by: string, at: number): string | null {
  const parts = text.split(by);
  return parts[at < 0 ? parts.length + at : at - 1] ?? null;
}

const SPACES = ' \\t\\n\\r\\f\\v';
const trimmed = (text: string, ends: RegExp): string => text.replace(ends, '');

const SIDES = { trim: 'BOTH', ltrim: 'LEADING', rtrim: 'TRAILING' } as const;

function stripped(name: 'trim' | 'ltrim' | 'rtrim', gives: string, ends: RegExp): FunctionOperator {
  return scalar({
    form: `${name}(text)`,
    ...{ gives, takes: ['text'], type: 'text' },
    sql: ([text]) => withoutSpace(name, text!),
    clickhouse: ([text]) => `TRIM(${SIDES[name]} ' \\t\\n\\x0B\\f\\r' FROM ${text})`,
    of: ([text]) => trimmed(String(text), ends),
  });
}

export const TEXT_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  lower: scalar({
    ...{ form: 'lower(text)', gives: 'the text in lower case', takes: ['text'], type: 'text' },
    sql: ([text]) => `lower(${text})`,
    of: ([text]) => lower(String(text)),
    clickhouse: ([text]) => cased('lower', text!, SIMPLE_CASE.lower),
  }),
  upper: scalar({
    ...{ form: 'upper(text)', gives: 'the text in upper case', takes: ['text'], type: 'text' },
    sql: ([text]) => `upper(${text})`,
    of: ([text]) => upper(String(text)),
    clickhouse: ([text]) => cased('upper', text!, SIMPLE_CASE.upper),
  }),
  len: scalar({
    ...{
      form: 'len(text)',
      gives: 'the number of characters',
      takes: ['text'],
      type: 'number',
    },
    sql: ([text]) => characterCount(text!),
    clickhouse: ([text]) => `toFloat64(lengthUTF8(${text}))`,
    of: ([text]) => characters(String(text)).length,
  }),
  trim: stripped(
    'trim',
    'the text without white space at either end',
    new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, 'g'),
  ),
  ltrim: stripped(
    'ltrim',
    'the text without white space at its start',
    new RegExp(`^[${SPACES}]+`),
  ),
  rtrim: stripped('rtrim', 'the text without white space at its end', new RegExp(`[${SPACES}]+$`)),
  replace: {
    form: 'replace(text, "this" or /pattern/, "by that")',
    gives: 'the text with every occurrence replaced',
    least: 3,
    most: 3,
    make: (call) => {
      const [, searched] = call.args;
      if (searched?.type === 'pattern') return patternReplace(call, searched);
      return scalar({
        ...{ form: '', gives: '', takes: ['text', 'text', 'text'], type: 'text' },
        sql: ([text, from, to]) =>
          `CASE WHEN ${from} = '' THEN ${text} ELSE replace(${text}, ${from}, ${to}) END`,
        clickhouse: ([text, from, to]) =>
          `if(${from} = '', ${text}, replaceAll(${text}, ${from}, ${to}))`,
        of: ([text, from, to]) =>
          from === '' ? text! : String(text).replaceAll(String(from), () => String(to)),
      }).make(call);
    },
  },
  split: scalar({
    form: 'split(text, "by", N)',
    gives: 'the Nth part; the last is -1',
    ...{ takes: ['text', 'text', 'number'], type: 'text' },
    check: (call) => {
      if (literalAt(call, 1, 'text') === '') call.wrong(1, 'takes a text that is not empty');
      const at = literalAt(call, 2, 'number');
      if (!Number.isSafeInteger(at) || at === 0 || Math.abs(Number(at)) > 1e6)
        call.wrong(2, 'takes a whole number, not 0');
    },
    sql: ([text, by], _, call) => partOfText(text!, by!, Number(literalAt(call, 2, 'number'))),
    clickhouse: ([text, by], _, call) => {
      const at = Number(literalAt(call, 2, 'number'));
      const parts = `splitByString(${by}, ${text})`;
      return `if(${text} IS NULL OR length(${parts}) < ${Math.abs(at)}, NULL, ${parts}[${at}])`;
    },
    of: ([text, by, at]) => part(String(text), String(by), Number(at)),
  }),
  substr: scalar({
    form: 'substr(text, from [, length])',
    gives: 'a part of the text; the first character is 1, the last -1',
    ...{ takes: ['text', 'number', 'number'], optional: 1, type: 'text' },
    check: (call) => {
      const from = literalAt(call, 1, 'number');
      if (!Number.isSafeInteger(from) || from === 0 || Math.abs(Number(from)) > 1e6)
        call.wrong(1, 'takes a whole number, not 0');
      if (call.args.length < 3) return;
      const length = literalAt(call, 2, 'number');
      if (!Number.isSafeInteger(length) || Number(length) < 0 || Number(length) > 1e6)
        call.wrong(2, 'takes a whole number from 0');
    },
    sql: ([text], _, call) => {
      const length = call.args.length < 3 ? undefined : Number(literalAt(call, 2, 'number'));
      return characterRange(text!, Number(literalAt(call, 1, 'number')), length);
    },
    clickhouse: ([text], _, call) => {
      const from = Number(literalAt(call, 1, 'number'));
      const start = from > 0 ? from : `greatest(lengthUTF8(${text}) + ${from + 1}, 1)`;
      const length = call.args.length < 3 ? '' : `, ${Number(literalAt(call, 2, 'number'))}`;
      return `substringUTF8(${text}, ${start}${length})`;
    },
    of: ([text, from, length]) => {
      const all = characters(String(text));
      const start = Number(from) > 0 ? Number(from) - 1 : Math.max(0, all.length + Number(from));
      return all.slice(start, length === undefined ? undefined : start + Number(length)).join('');
    },
  }),
  concat: {
    form: 'concat(value, …)',
    gives: 'the values joined; missing ones are left out',
    ...{ least: 1, most: 64 },
    make: (call) => {
      const args = call.args.map((_, i) => typedAt(call, i, 'text'));
      return {
        type: 'text',
        sql: (scope) => [`concat(${args.map((arg) => onePart(arg, scope)).join(', ')})`],
        clickhouse: (scope) =>
          `concat(${args.map((arg) => `ifNull(${valueClickHouse(arg, scope)}, '')`).join(', ')})`,
        reader: (scope) => {
          const readers = args.map((arg) => arg.reader(scope));
          return (row) => readers.map((read) => read(row) ?? '').join('');
        },
      };
    },
  },
  reverse: scalar({
    ...{
      form: 'reverse(text)',
      gives: 'the text reversed',
      takes: ['text'],
      type: 'text',
    },
    sql: ([text]) => reversedText(text!),
    clickhouse: ([text]) => `reverseUTF8(${text})`,
    of: ([text]) => characters(String(text)).reverse().join(''),
  }),
  indexof: scalar({
    form: 'indexof(text, "this")',
    gives: 'the position of "this", from 1; 0 if it is not found',
    ...{ takes: ['text', 'text'], type: 'number' },
    clickhouse: ([text, what]) => `toFloat64(positionUTF8(${text}, ${what}))`,
    sql: ([text, what]) => `CAST(strpos(${text}, ${what}) AS DOUBLE)`,
    of: ([text, what]) => {
      const at = String(text).indexOf(String(what));
      return at < 0 ? 0 : characters(String(text).slice(0, at)).length + 1;
    },
  }),
  match: {
    form: 'match(text, /pattern/)',
    gives: 'whether the pattern matches anywhere in the text',
    ...{ least: 2, most: 2 },
    make: patternMatches,
  },
  tostring: scalar({
    ...{ form: 'tostring(value)', gives: 'the value as a text', takes: ['text'], type: 'text' },
    sql: ([text]) => text!,
    of: ([text]) => text!,
    clickhouse: ([text]) => text!,
  }),
};
