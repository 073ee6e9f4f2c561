/**
 * Lists in ClickHouse: rows of one form are literals after IN, or a temporary table if there are many. Texts are
 * compared after folding the letters that occur in the list.
 */
import { COLUMNS, type ColumnName } from '../../contract/event.ts';
import { foldText } from '../../util/fold.ts';
import { formatIp4, formatIp6 } from '../values/address.ts';
import {
  both,
  firstIp6,
  foldingTo,
  either,
  maskedIp4,
  number as numberSql,
  text as textSql,
} from '../dialect/clickhouse.ts';
import { communityClickHouse } from '../dialect/clickhouse-community.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import type { KeyValues, ListGroup, ListKey } from '../lists/match-list.ts';
import type { NamedText } from '../plan/scope.ts';
import { memberValuesClickHouse } from './members.ts';

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
}

/** How a group is compared with events. */
export interface ComparedGroup {
  /** Additional conditions on an event. */
  readonly conditions: readonly string[];
  readonly types: readonly string[];
  /** Literals of each row; if there are none, only the conditions count. */
  readonly rows: readonly (readonly string[])[];
  /** What they are compared with: one text for each key. */
  readonly choices: readonly (readonly NamedText[])[];
}

export function comparedGroup({ keys, lines }: ListGroup, scope: ClickHouseScope): ComparedGroup {
  const conditions: string[] = [];
  const each: Compared[] = [];
  for (const given of keys) {
    if (given.key.key === 'present') conditions.push(`${given.key.side}_ip IS NOT NULL`);
    else each.push(compared(given, given.key, scope));
  }
  let choices: NamedText[][] = [[]];
  for (const { of } of each)
    choices = choices.flatMap((before) => of.map((one) => [...before, one]));
  return {
    conditions,
    types: each.map(({ type }) => type),
    rows: each.length === 0 ? [] : lines.map((_, row) => each.map(({ values }) => values[row]!)),
    choices,
  };
}

export function listGroupClickHouse(group: ListGroup, scope: ClickHouseScope): string {
  const { conditions, types, rows, choices } = comparedGroup(group, scope);
  if (rows.length === 0) return both(conditions);
  const all = [...new Map(rows.map((values) => [values.join('\0'), values])).values()];
  const among = scope.listTable(types, all, choices.length) ?? `(${all.map(tuple).join(', ')})`;
  return both([...conditions, either(choices.map((choice) => isChoiceAmong(choice, among)))]);
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

function compared(
  given: KeyValues,
  key: Exclude<ListKey, { key: 'present' }>,
  scope: ClickHouseScope,
): Compared {
  const values = Array.from(given.values);
  switch (key.key) {
    case 'address4': {
      const keyColumn = key.column.slice(0, -1);
      const isWhole = key.prefix === 32;
      return {
        type: isWhole ? 'String' : 'UInt32',
        values: values.map((value) =>
          isWhole ? textSql(formatIp4(Number(value))) : String(value),
        ),
        of: [single(isWhole ? keyColumn : maskedIp4(keyColumn, key.prefix))],
      };
    }
    case 'address6': {
      const keyColumn = key.column.slice(0, -1);
      const isWhole = key.prefix === 128;
      const addresses = values.map((value) => textSql(formatIp6(firstOfBlock(String(value)))));
      return {
        type: isWhole ? 'String' : 'IPv6',
        values: isWhole ? addresses : addresses.map((one) => `toIPv6(${one})`),
        of: [single(isWhole ? keyColumn : firstIp6(keyColumn, key.prefix))],
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
      const folded = values.map((value) => foldText(String(value)));
      const members = attributes.map(({ sql, isList }) => ({
        sql: isList
          ? `arrayFlatten(arrayMap(w -> ${memberValuesClickHouse('w')}, ${sql}))`
          : memberValuesClickHouse(sql),
        isList: true,
      }));
      const texts = [...column, ...attributes, ...members];
      const fold = foldingTo(folded);
      const of = texts.map(({ sql, isList }) => ({
        sql: isList ? `arrayMap(v -> ${fold('v')}, ${sql})` : fold(sql),
        isList,
      }));
      return { type: 'String', values: folded.map(textSql), of };
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
