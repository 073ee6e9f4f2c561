/**
 * Lists in ClickHouse: rows of one form are literals behind IN, or a temporary table where they are many. Texts are
 * compared by their ASCII letters folded; rows with other characters are conditions of their own.
 */
import { COLUMNS, type ColumnName } from '../../contract/event.ts';
import { formatIp4, formatIp6 } from '../address.ts';
import {
  FALSE_SQL,
  both,
  firstIp6,
  foldingAscii,
  isAscii,
  either,
  matches,
  maskedIp4,
  number as numberSql,
  text as textSql,
} from '../dialect/clickhouse.ts';
import { communityClickHouse } from '../dialect/clickhouse-community.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import type { KeyValues, ListGroup, ListKey } from '../lists/match-list.ts';
import type { NamedText } from '../scope.ts';
import { someText } from './field-texts.ts';
import { memberValuesClickHouse } from './members.ts';
import { valuePattern } from './wildcard.ts';

const TYPES: Readonly<Partial<Record<(typeof COLUMNS)[ColumnName], string>>> = {
  u8: 'UInt8',
  u16: 'UInt16',
  u32: 'UInt32',
  i32: 'Int32',
  i64: 'Int64',
  u64: 'Int64',
  f64: 'Float64',
};

/** A key's values as literals, and what they are compared with: one for each text that an event may have. */
interface Compared {
  readonly type: string;
  readonly values: readonly string[];
  readonly of: readonly NamedText[];
  /** Texts as they are, where `of` has them folded. */
  readonly texts?: readonly NamedText[];
}

export function listGroupClickHouse({ keys, lines }: ListGroup, scope: ClickHouseScope): string {
  const conditions: string[] = [];
  const valued: { readonly given: KeyValues; readonly compared: Compared }[] = [];
  for (const given of keys) {
    if (given.key.key === 'present') conditions.push(`${given.key.side}_ip IS NOT NULL`);
    else valued.push({ given, compared: compared(given, given.key, scope) });
  }
  if (valued.length === 0) return both(conditions);
  const { plain, odd } = byLetters(
    lines.length,
    valued.map(({ given }) => given),
  );
  const each = valued.map((one) => one.compared);
  const among = either([
    amongRows(each, plain, scope),
    ...odd.map((row) => both(valued.map((one) => meetsRow(one.given, one.compared, row)))),
  ]);
  return both([...conditions, among]);
}

/** Rows of which all texts are of ASCII, and the others. */
function byLetters(rows: number, keys: readonly KeyValues[]): { plain: number[]; odd: number[] } {
  const texts = keys.filter(({ key }) => isText(key));
  const plain: number[] = [];
  const odd: number[] = [];
  for (let row = 0; row < rows; row++) {
    const isPlain = texts.every(({ values }) => isAscii(String(values[row])));
    (isPlain ? plain : odd).push(row);
  }
  return { plain, odd };
}

function isText({ key }: ListKey): boolean {
  return key === 'text' || key === 'attribute';
}

function amongRows(
  keys: readonly Compared[],
  rows: readonly number[],
  scope: ClickHouseScope,
): string {
  if (rows.length === 0) return FALSE_SQL;
  const tuples = new Map<string, readonly string[]>();
  for (const row of rows) {
    const values = keys.map(({ values }) => values[row]!);
    tuples.set(values.join('\0'), values);
  }
  const all = [...tuples.values()];
  let choices: NamedText[][] = [[]];
  for (const { of } of keys)
    choices = choices.flatMap((before) => of.map((one) => [...before, one]));
  const types = keys.map(({ type }) => type);
  const among = scope.listTable(types, all, choices.length) ?? `(${all.map(tuple).join(', ')})`;
  return either(choices.map((choice) => isChoiceAmong(choice, among)));
}

/** Whether texts of an event, one of each that are several, are those of a row of a list. */
function isChoiceAmong(choice: readonly NamedText[], rows: string): string {
  const names = choice.map(({ sql, isList }, at) => (isList ? `m${at}` : sql));
  return choice.reduceRight(
    (inner, { sql, isList }, at) =>
      isList ? `arrayExists(m${at} -> ifNull(${inner}, false), ${sql})` : inner,
    `${tuple(names)} IN ${rows}`,
  );
}

function tuple(parts: readonly string[]): string {
  return parts.length === 1 ? parts[0]! : `(${parts.join(', ')})`;
}

function meetsRow({ values }: KeyValues, { of, values: literals, texts }: Compared, row: number) {
  if (texts === undefined) return someText(of, (sql) => `${sql} = ${literals[row]}`);
  const pattern = valuePattern(String(values[row]), false);
  return someText(texts, (sql) => matches(sql, pattern, true));
}

function compared(
  given: KeyValues,
  key: Exclude<ListKey, { key: 'present' }>,
  scope: ClickHouseScope,
): Compared {
  const values = Array.from(given.values);
  switch (key.key) {
    case 'address4': {
      const own = key.column.slice(0, -1);
      const isWhole = key.prefix === 32;
      return {
        type: isWhole ? 'String' : 'UInt32',
        values: values.map((value) =>
          isWhole ? textSql(formatIp4(Number(value))) : String(value),
        ),
        of: [single(isWhole ? own : maskedIp4(own, key.prefix))],
      };
    }
    case 'address6': {
      const own = key.column.slice(0, -1);
      const isWhole = key.prefix === 128;
      const addresses = values.map((value) => textSql(formatIp6(firstOfBlock(String(value)))));
      return {
        type: isWhole ? 'String' : 'IPv6',
        values: isWhole ? addresses : addresses.map((one) => `toIPv6(${one})`),
        of: [single(isWhole ? own : firstIp6(own, key.prefix))],
      };
    }
    case 'number':
      return {
        type: TYPES[COLUMNS[key.column]] ?? 'Float64',
        values: values.map((value) => numberSql(Number(value))),
        of: [single(scope.column(key.column))],
      };
    case 'text':
    case 'attribute': {
      const column = key.key === 'text' ? [single(scope.column(key.column))] : [];
      const name = key.key === 'text' ? key.attribute : key.name;
      const attributes = name === undefined ? [] : scope.attributesNamed(name);
      const folded = values.map((value) => String(value).toLowerCase());
      const members = attributes.map(({ sql, isList }) => ({
        sql: isList
          ? `arrayFlatten(arrayMap(w -> ${memberValuesClickHouse('w')}, ${sql}))`
          : memberValuesClickHouse(sql),
        isList: true,
      }));
      const texts = [...column, ...attributes, ...members];
      const fold = foldingAscii(folded);
      const of = texts.map(({ sql, isList }) => ({
        sql: isList ? `arrayMap(v -> ${fold('v')}, ${sql})` : fold(sql),
        isList,
      }));
      return { type: 'String', values: folded.map(textSql), of, texts };
    }
    case 'written4':
      throw new TypeError('addresses in text are compared as a group');
    case 'community-id':
      return {
        ...{ type: 'String', values: values.map((value) => textSql(String(value))) },
        of: [single(communityClickHouse(scope))],
      };
  }
}

function single(sql: string): NamedText {
  return { sql, isList: false };
}

/** An IPv6 address of the first digits of a UUID. */
function firstOfBlock(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '').padEnd(32, '0')}`);
}
